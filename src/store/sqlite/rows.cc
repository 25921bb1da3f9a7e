#include "store/sqlite/rows.h"

#include "store/sqlite/rows_sql.h"

namespace cronce::sqlite {

Rows::Rows(const Database& database) : sql_(std::make_unique<Statements>(database)) {}

Rows::~Rows() = default;

}  // namespace cronce::sqlite
