#include "store/postgres/hints.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ids.h"

namespace cronce::postgres {
namespace {

constexpr Duration kHintPatience{2'000};

Status done_or(const Result<std::vector<PostgresRows>, PostgresError>& answered) {
  if (!answered) return answered.error().error;
  return Done{};
}

std::string own_word(const std::string& name_space) {
  Rng rng(random_seed());
  return name_space + "/" + print(Incarnation::random(rng));
}

}  // namespace

Hints::Hints(std::string conninfo, std::string name_space)
    : settings_{.conninfo = std::move(conninfo),
                .connect_timeout = kHintPatience,
                .answer_timeout = kHintPatience},
      name_space_(std::move(name_space)),
      own_(own_word(name_space_)) {}

Status Hints::connect(bool listens) {
  if (!connection_ || !connection_->is_usable()) {
    auto connected = PostgresConnection::connect(settings_);
    if (!connected) return connected.error().error;
    connection_ = *std::move(connected);
    listens_ = false;
  }
  if (!listens || listens_) return Done{};
  const Status begun =
      done_or(connection_->run(std::array{PostgresStatement{"LISTEN cronce", {}}}));
  listens_ = begun.ok();
  return begun;
}

Status Hints::tell() {
  if (const Status connected = connect(listens_); !connected) return connected;
  return done_or(
      connection_->run(std::array{PostgresStatement{"SELECT pg_notify('cronce', $1)", {own_}}}));
}

Result<bool> Hints::listen(int wake, Duration patience) {
  if (const Status connected = connect(true); !connected) return connected.error();
  const auto words = connection_->notifications(wake, patience);
  if (!words) return words.error().error;
  return std::any_of(words->begin(), words->end(), [&](const std::string& word) {
    return word != own_ && word.starts_with(name_space_ + "/");
  });
}

}  // namespace cronce::postgres
