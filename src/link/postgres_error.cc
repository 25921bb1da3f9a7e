#include "link/postgres_error.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace cronce {
namespace {

struct Meaning {
  std::string_view sign;
  Code code;
  std::string_view advice = "";
};

// By the first letters of the SQLSTATE; the first row that fits counts.
constexpr std::array kStates = {
    Meaning{"28P01", Code::invalid, "check the user, and the password in PGPASSWORD or ~/.pgpass"},
    Meaning{"28", Code::invalid, "the roles and pg_hba.conf of the server say who may connect"},
    Meaning{"3D000", Code::invalid, "create it, or name another"},
    Meaning{"42501", Code::invalid, "grant it to this user, or connect as the owner"},
    Meaning{"25006", Code::unavailable,
            "a standby, or set to read-only: name the primary, or several hosts and "
            "target_session_attrs=read-write"},
    Meaning{"53100", Code::unavailable, "the disk of the server is full"},
    Meaning{"53300", Code::unavailable, "raise max_connections, or use a pooler"},
    Meaning{"08", Code::unavailable},  // connection
    Meaning{"40", Code::unavailable},  // deadlock, serialization
    Meaning{"53", Code::unavailable},  // resources
    Meaning{"55", Code::unavailable},  // a lock was not to be had
    Meaning{"57", Code::unavailable},  // shut down, starting, cancelled
    Meaning{"58", Code::unavailable},  // the system around the server
    Meaning{"XX000", Code::unavailable},
    Meaning{"XX", Code::corrupt},
};

// What libpq says itself: by its words, which are English as long as nobody sets our locale.
constexpr std::array kWords = {
    Meaning{"no password supplied", Code::invalid, "put it into PGPASSWORD or ~/.pgpass"},
    Meaning{"does not support SSL", Code::invalid,
            "turn TLS on at the server, or ask for less by sslmode"},
    Meaning{"certificate", Code::invalid, "see sslmode, sslrootcert, sslcert and sslkey"},
    Meaning{"private key", Code::invalid, "see sslkey"},
    Meaning{" alert ", Code::invalid, "the two sides have no form of TLS in common"},
    Meaning{"definition of service", Code::invalid, "see ~/.pg_service.conf"},
    Meaning{"invalid port number", Code::invalid},
    Meaning{"invalid integer value", Code::invalid},
    Meaning{" value: \"", Code::invalid},  // of sslmode and the like
    Meaning{"authentication method", Code::invalid},
    Meaning{"translate host name", Code::unavailable, "check the name of the host"},
    Meaning{"Connection refused", Code::unavailable,
            "is the server running, and is this its address?"},
    Meaning{"No such file or directory", Code::unavailable,
            "is the server running, and is its socket there?"},
    Meaning{"No route to host", Code::unavailable, "check the network, and the address"},
    Meaning{"unreachable", Code::unavailable, "check the network, and the address"},
    Meaning{"timed out", Code::unavailable, "check the network, and the address"},
    Meaning{"read-only", Code::unavailable, "name the primary"},
    Meaning{"hot standby", Code::unavailable, "name the primary"},
};

std::string_view trim_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::string_view first_line(std::string_view text) {
  return trim_end(text.substr(0, text.find('\n')));
}

const Meaning& state_meaning(std::string_view state) {
  static constexpr Meaning kOther{"", Code::invalid};
  const auto* found = std::find_if(kStates.begin(), kStates.end(),
                                   [&](const Meaning& row) { return state.starts_with(row.sign); });
  return found != kStates.end() ? *found : kOther;
}

/// What a standby says to whoever wants to write: only later has it a state of its own.
bool is_of_standby(std::string_view state, std::string_view message) {
  return state == "0A000" && message.find("during recovery") != std::string_view::npos;
}

const Meaning& words_meaning(std::string_view message) {
  static constexpr Meaning kOther{"", Code::unavailable};
  const auto* found = std::find_if(kWords.begin(), kWords.end(), [&](const Meaning& row) {
    return message.find(row.sign) != std::string_view::npos;
  });
  return found != kWords.end() ? *found : kOther;
}

Error explained(const Meaning& meaning, std::string message) {
  if (!meaning.advice.empty()) message.append(": ").append(meaning.advice);
  return {meaning.code, std::move(message)};
}

/// `... failed: FATAL:  28P01: password ...` -> where the severity begins and the text does.
struct StateMark {
  std::size_t begin;
  std::size_t state;
  std::size_t text;
};

std::optional<StateMark> find_state(std::string_view line) {
  constexpr std::size_t kLength = 5;
  const std::size_t gap = line.find(":  ");
  if (gap == std::string_view::npos) return {};
  const std::size_t state = gap + 3;
  const std::string_view word = line.substr(state, kLength);
  const bool is_state = line.substr(state + word.size()).starts_with(": ") &&
                        word.size() == kLength && std::all_of(word.begin(), word.end(), [](char c) {
                          return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                        });
  if (!is_state) return {};
  const std::size_t before = line.rfind(' ', gap);
  return StateMark{before == std::string_view::npos ? 0 : before + 1, state, state + kLength + 2};
}

}  // namespace

PostgresError connect_error(std::string_view message) {
  // With several hosts there are several lines: one from a server says more than one about silence.
  for (const std::string& line : split(message, '\n')) {
    if (const auto mark = find_state(line)) {
      return statement_error(line.substr(mark->state, 5),
                             line.substr(0, mark->begin) + line.substr(mark->text), true);
    }
  }
  const std::string line(first_line(message));
  return {explained(words_meaning(line), line.empty() ? "nobody says why" : line), "", true};
}

PostgresError statement_error(std::string state, std::string_view message, bool answered) {
  const Meaning& meaning = state_meaning(is_of_standby(state, message) ? "25006" : state);
  Error error = explained(meaning, std::string(first_line(message)));
  return {std::move(error), std::move(state), answered};
}

}  // namespace cronce
