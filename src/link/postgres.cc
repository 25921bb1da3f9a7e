#include "link/postgres.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "link/pq.h"

namespace cronce {
namespace {

using Steady = std::chrono::steady_clock;

/// Waits for these events of a socket. False when the deadline has passed.
bool await_socket(int socket, short events, Steady::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<Duration>(deadline - Steady::now()).count();
    if (left <= 0) return false;
    pollfd one{socket, events, 0};
    const int ready = poll(
        &one, 1, static_cast<int>(std::min<std::int64_t>(left, std::numeric_limits<int>::max())));
    if (ready > 0) return true;
    CHECK(ready == 0 || errno == EINTR);
  }
}

/// A password with a bare `@` or `/` in a URL would end up in the name of a host, and so in an
/// error.
bool is_torn_url(std::string_view text) {
  if (!text.starts_with("postgres://") && !text.starts_with("postgresql://")) return false;
  text.remove_prefix(text.find("://") + 3);
  const std::string_view authority = text.substr(0, text.find('/'));
  const auto marks = std::count(authority.begin(), authority.end(), '@');
  return marks > 1 || (marks == 0 && text.substr(0, text.find('?')).find('@') != text.npos);
}

/// Its own check, because libpq would repeat a part of the text, which may hold a password.
bool is_conninfo(const PqTable& pq, const std::string& text) {
  char* reason = nullptr;
  PQconninfoOption* options = pq.conninfo_parse(text.c_str(), &reason);
  pq.conninfo_free(options);
  pq.free_memory(reason);
  return options != nullptr && !is_torn_url(text);
}

constexpr const char* kUnreadable =
    "the address of the PostgreSQL server cannot be read: write "
    "postgresql://USER@HOST:PORT/DATABASE "
    "or key=value pairs; in a URL a special character is written as %XX (@ is %40)";

PGconn* begin_connect(const PqTable& pq, const PostgresSettings& settings) {
  // A host that drops what we send is given up in time for the next one.
  const std::string silence = std::to_string(settings.answer_timeout.count());
  // What comes later wins: what the text says, but for the encoding, which is ours.
  const std::array keys = {"fallback_application_name",
                           "keepalives",
                           "keepalives_idle",
                           "keepalives_interval",
                           "keepalives_count",
                           "tcp_user_timeout",
                           "dbname",
                           "client_encoding",
                           static_cast<const char*>(nullptr)};
  const std::array values = {"cronce",
                             "1",
                             "5",
                             "5",
                             "2",
                             silence.c_str(),
                             settings.conninfo.c_str(),
                             "UTF8",
                             static_cast<const char*>(nullptr)};
  static_assert(keys.size() == values.size());
  return pq.connect_start_params(keys.data(), values.data(), 1);
}

/// Until it stands. False when the deadline has passed, or libpq gave up.
bool finish_connect(const PqTable& pq, PGconn* connection, Steady::time_point deadline) {
  auto next = PGRES_POLLING_WRITING;
  while (pq.status(connection) != CONNECTION_BAD) {
    const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!await_socket(pq.socket(connection), events, deadline)) return false;
    next = pq.connect_poll(connection);
    if (next == PGRES_POLLING_OK) return true;
    if (next == PGRES_POLLING_FAILED) return false;
  }
  return false;
}

/// True if the server did not wait for its standby any longer: it says so in a warning, and that
/// all is well.
bool tells_of_cancelled_wait(const PqTable& pq, const PGresult* notice) {
  const auto has = [&](int field, std::string_view words) {
    const char* text = pq.result_error_field(notice, field);
    return text != nullptr && std::string_view(text).find(words) != std::string_view::npos;
  };
  return has(PG_DIAG_SOURCE_FUNCTION, "SyncRepWaitForLSN") ||
         has(PG_DIAG_MESSAGE_PRIMARY, "wait for synchronous replication");
}

PostgresError not_sent(Code code, std::string message) {
  return {{code, std::move(message)}, "", true};
}

}  // namespace

std::size_t PostgresRows::size() const {
  return static_cast<std::size_t>(pq_->ntuples(result_.get()));
}

bool PostgresRows::is_null(std::size_t row, std::size_t column) const {
  CHECK(row < size() && column < static_cast<std::size_t>(pq_->nfields(result_.get())));
  return pq_->getisnull(result_.get(), static_cast<int>(row), static_cast<int>(column)) != 0;
}

std::string_view PostgresRows::text(std::size_t row, std::size_t column) const {
  CHECK(row < size() && column < static_cast<std::size_t>(pq_->nfields(result_.get())));
  const int at = static_cast<int>(row);
  const int in = static_cast<int>(column);
  return {pq_->getvalue(result_.get(), at, in),
          static_cast<std::size_t>(pq_->getlength(result_.get(), at, in))};
}

/// One batch on its way: sent, and answered by the end of its transaction or not at all.
class PostgresBatch {
 public:
  PostgresBatch(PostgresConnection* connection, Duration patience)
      : of_(*connection),
        pq_(connection->pq_),
        connection_(connection->connection_),
        patience_(patience),
        deadline_(Steady::now() + patience) {}

  Result<std::vector<PostgresRows>, PostgresError> run(
      std::span<const PostgresStatement> statements) {
    if (!send(statements)) return give_up(connect_error(pq_.error_message(connection_)));
    while (!is_over_) {
      if (!await_result()) {
        return give_up(
            PostgresError{{Code::unavailable,
                           "no answer from the PostgreSQL server within " + print(patience_)}});
      }
      if (!take_result()) return give_up(lost());
    }
    if (failure_) return failed(true);
    if (of_.is_wait_cancelled_) {
      return PostgresError{{Code::unavailable,
                            "the PostgreSQL server has not waited for its standby: what was "
                            "written may be lost with the server"}};
    }
    CHECK(rows_.size() == statements.size());
    return std::move(rows_);
  }

 private:
  PostgresError give_up(PostgresError error) {
    of_.drop();
    return error;
  }

  /// False if libpq does not take it; without the Sync nothing is applied.
  bool send(std::span<const PostgresStatement> statements) {
    return std::all_of(statements.begin(), statements.end(),
                       [&](const PostgresStatement& one) { return send(one); }) &&
           pq_.pipeline_sync(connection_) == 1;
  }

  bool send(const PostgresStatement& one) {
    std::vector<const char*> values;
    values.reserve(one.values.size());
    for (const auto& value : one.values) values.push_back(value ? value->c_str() : nullptr);
    return pq_.send_query_params(connection_, one.sql.c_str(), static_cast<int>(values.size()),
                                 nullptr, values.data(), nullptr, nullptr, 0) == 1;
  }

  /// Until there is one to take, also that of a loss. False when the deadline has passed.
  bool await_result() {
    for (;;) {
      const int unsent = pq_.flush(connection_);
      if (pq_.is_busy(connection_) == 0 || pq_.status(connection_) == CONNECTION_BAD) return true;
      const short events = unsent == 1 ? POLLIN | POLLOUT : POLLIN;
      if (!await_socket(pq_.socket(connection_), events, deadline_)) return false;
      pq_.consume_input(connection_);
    }
  }

  /// False if the connection is lost.
  bool take_result() {
    PostgresRows::Owned result(pq_.get_result(connection_), pq_.clear);
    if (!result) return !std::exchange(is_between_, true);  // one stands behind each statement
    is_between_ = false;
    switch (pq_.result_status(result.get())) {
      case PGRES_PIPELINE_SYNC:
        is_over_ = true;
        return true;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK:
      case PGRES_EMPTY_QUERY:
        rows_.push_back(PostgresRows(pq_, std::move(result)));
        return true;
      case PGRES_PIPELINE_ABORTED:
        return true;
      case PGRES_FATAL_ERROR:
        if (!failure_) failure_ = std::move(result);
        return pq_.status(connection_) != CONNECTION_BAD;
      default:
        return false;  // COPY, which is not for here
    }
  }

  PostgresError lost() {
    if (failure_) return failed(false);
    PostgresError error = connect_error(pq_.error_message(connection_));
    error.answered = false;
    return error;
  }

  PostgresError failed(bool is_over) const {
    const char* state = pq_.result_error_field(failure_.get(), PG_DIAG_SQLSTATE);
    const char* words = pq_.result_error_field(failure_.get(), PG_DIAG_MESSAGE_PRIMARY);
    if (state == nullptr || words == nullptr) {  // of libpq itself
      PostgresError error = connect_error(pq_.result_error_message(failure_.get()));
      error.answered = false;
      return error;
    }
    return statement_error(state, words, is_over);
  }

  PostgresConnection& of_;
  const PqTable& pq_;
  PGconn* connection_;
  Duration patience_;
  Steady::time_point deadline_;
  std::vector<PostgresRows> rows_;
  PostgresRows::Owned failure_{nullptr, pq_.clear};
  bool is_between_ = false;
  bool is_over_ = false;
};

PostgresConnection::PostgresConnection(const PqTable& pq, PGconn* connection,
                                       Duration answer_timeout)
    : pq_(pq), connection_(connection), answer_timeout_(answer_timeout), owner_(getpid()) {
  pq.set_error_verbosity(connection, PQERRORS_VERBOSE);  // has the SQLSTATE of a refused connection
  pq.set_notice_receiver(connection, &PostgresConnection::hear_notice, this);
}

PostgresConnection::~PostgresConnection() { drop(); }

Result<std::unique_ptr<PostgresConnection>, PostgresError> PostgresConnection::connect(
    const PostgresSettings& settings) {
  const auto loaded = load_pq();
  if (!loaded) return PostgresError{loaded.error(), "", true};
  const PqTable& pq = **loaded;
  if (!is_conninfo(pq, settings.conninfo)) return not_sent(Code::invalid, kUnreadable);

  const auto deadline = Steady::now() + settings.connect_timeout;
  PGconn* started = begin_connect(pq, settings);
  CHECK(started != nullptr);
  std::unique_ptr<PostgresConnection> made(
      new PostgresConnection(pq, started, settings.answer_timeout));
  if (!finish_connect(pq, started, deadline)) {
    if (pq.status(started) == CONNECTION_BAD) return connect_error(pq.error_message(started));
    return not_sent(Code::unavailable,
                    fmt::format("no connection to the PostgreSQL server within {}: check the "
                                "network, and the address",
                                print(settings.connect_timeout)));
  }
  CHECK(pq.set_nonblocking(started, 1) == 0 && pq.enter_pipeline_mode(started) == 1);
  return made;
}

Result<std::vector<PostgresRows>, PostgresError> PostgresConnection::run(
    std::span<const PostgresStatement> statements) {
  if (!is_usable()) return not_sent(Code::unavailable, "the connection was given up before");
  if (is_closed_by_server()) {
    drop();
    return not_sent(Code::unavailable, "the PostgreSQL server has closed the connection");
  }
  std::size_t size = 0;
  for (const PostgresStatement& one : statements) {
    for (const auto& value : one.values) {
      if (value) size += value->size();
      if (value && value->find('\0') != std::string::npos) {
        return not_sent(Code::invalid, "a text with a zero byte cannot be kept in PostgreSQL");
      }
    }
  }
  is_wait_cancelled_ = false;
  ++round_trips_;
  const Duration more = answer_timeout_ * static_cast<std::int64_t>(size / 1'024) / 1'024;
  return PostgresBatch(this, answer_timeout_ + more).run(statements);
}

std::vector<std::string> PostgresConnection::take_notifications() {
  std::vector<std::string> told;
  while (PGnotify* one = pq_.notifies(connection_)) {
    told.emplace_back(one->extra);
    pq_.free_memory(one);
  }
  return told;
}

Result<std::vector<std::string>, PostgresError> PostgresConnection::notifications(
    int wake, Duration patience) {
  if (!is_usable()) return not_sent(Code::unavailable, "the connection was given up before");
  auto told = take_notifications();
  if (!told.empty()) return told;
  std::array<pollfd, 2> ready{{{pq_.socket(connection_), POLLIN, 0}, {wake, POLLIN, 0}}};
  poll(ready.data(), ready.size(), static_cast<int>(patience.count()));
  if (ready[0].revents != 0 && pq_.consume_input(connection_) == 0) {
    PostgresError lost = connect_error(pq_.error_message(connection_));
    drop();
    return lost;
  }
  return take_notifications();
}

bool PostgresConnection::is_usable() const { return connection_ != nullptr && owner_ == getpid(); }

void PostgresConnection::hear_notice(void* self, const PGresult* notice) {
  auto& of = *static_cast<PostgresConnection*>(self);
  if (tells_of_cancelled_wait(of.pq_, notice)) of.is_wait_cancelled_ = true;
}

/// Known without a round trip when the server was stopped in peace, or its machine still answers.
bool PostgresConnection::is_closed_by_server() const {
  pollfd one{pq_.socket(connection_), POLLRDHUP, 0};
  return poll(&one, 1, 0) > 0;
}

void PostgresConnection::drop() {
  PGconn* connection = std::exchange(connection_, nullptr);
  if (connection == nullptr) return;
  if (owner_ == getpid()) return pq_.finish(connection);
  close(pq_.socket(connection));  // not a good-bye in the name of our parent
}

}  // namespace cronce
