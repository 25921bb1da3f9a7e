// Hints by NOTIFY, on one channel for all namespaces of a database.
#pragma once

#include <memory>
#include <string>

#include "base/rng.h"
#include "link/postgres.h"
#include "store/hint_line.h"

namespace cronce::postgres {

class Hints final : public HintLine {
 public:
  Hints(std::string conninfo, std::string name_space);

  Status tell() override;
  Result<bool> listen(int wake, Duration patience) override;

 private:
  /// As somebody who also hears, if `listens`.
  Status connect(bool listens);

  PostgresSettings settings_;
  std::string name_space_;
  std::string own_;  // what we tell: the namespace, and who we are
  std::unique_ptr<PostgresConnection> connection_;
  bool listens_ = false;
};

}  // namespace cronce::postgres
