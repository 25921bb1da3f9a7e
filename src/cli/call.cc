// `cronce call`: makes one HTTP call. For keepers, which start it for an http action, and not for
// people: no help names it (keeper/call.h says why it is a command at all).
#include "keeper/call.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "base/ascii.h"
#include "cli/human.h"
#include "link/http.h"
#include "model/describe.h"

namespace cronce {
namespace {

std::string read_order_text(std::FILE* in) {
  std::string text;
  std::array<char, 64 * 1024> room{};
  while (const std::size_t got = std::fread(room.data(), 1, room.size(), in)) {
    text.append(room.data(), got);
  }
  return text;
}

HttpRequest request_of(const CallOrder& order) {
  HttpRequest request{order.method, order.url, order.headers, order.body};
  for (const auto& [name, value] : order.headers) {
    if (same_letters(name, "user-agent")) return request;
  }
  request.headers.emplace_back("User-Agent", fmt::format("cronce/{}", program_version()));
  return request;
}

struct CallEnd {
  bool good = false;
  std::string sentence;
};

CallEnd judge_answer(const Result<HttpAnswer>& answer, const CallOrder& order) {
  if (!answer) return {false, answer.error().message};
  const std::string status = fmt::format("HTTP {}", answer->status);
  if (order.expect_low <= answer->status && answer->status <= order.expect_high) {
    return {true, status};
  }
  const std::string wrong =
      fmt::format("{}, expected {}", status, human_range(order.expect_low, order.expect_high));
  if (answer->redirect.empty()) return {false, wrong};
  return {false, fmt::format("{}: it points to {}, and redirects are not followed", wrong,
                             without_password(answer->redirect))};
}

}  // namespace

int run_call(const Console& console) {
  if (isatty(fileno(console.in)) == 1) {
    return fail(console, kExitUsage,
                "call: nodes start this for http actions: try 'cronce --help'");
  }
  prctl(PR_SET_NAME, "cronce-call");  // it would be `exe`
  const auto order = parse_call_order(read_order_text(console.in));
  if (!order) return fail(console, kExitBadData, order.error().message);
  char last = '\n';
  const auto answer = call_http(request_of(*order), [&](std::string_view bytes) {
    if (!bytes.empty()) last = bytes.back();
    put(console.out, bytes);
    std::fflush(console.out);  // it is read as it comes
  });
  const CallEnd end = judge_answer(answer, *order);
  put(console.out, fmt::format("{}cronce: {}\n", last == '\n' ? "" : "\n", end.sentence));
  return end.good ? kExitDone : kExitFound;
}

}  // namespace cronce
