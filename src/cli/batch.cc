// `next --batch`: questions as JSON lines in, answers as JSON lines out, in the same order.
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "cli/schedule_args.h"

namespace cronce {
namespace {

struct Question {
  std::string expr;
  std::optional<std::string> tz;
  std::optional<std::string> gap;
  std::optional<std::string> fold;
  std::optional<std::string> from;
  std::int64_t count = 1;
};

/// Members that would change the answer and that we do not understand are not passed over.
std::optional<Error> unsupported(const json::object& line) {
  const auto dialect = json::find_string(line, "dialect");
  if (!dialect) return dialect.error();
  if (*dialect && **dialect != kDialect) return Error{Code::invalid, wrong_dialect(**dialect)};
  if (json::find(line, "dst") == nullptr) return std::nullopt;
  return Error{Code::invalid, "'dst' is not a member here: use 'gap' and 'fold'"};
}

Result<Question> read_question(const json::object& line) {
  if (auto error = unsupported(line)) return *std::move(error);
  const auto expr = json::find_string(line, "expr");
  const auto tz = json::find_string(line, "tz");
  const auto gap = json::find_string(line, "gap");
  const auto fold = json::find_string(line, "fold");
  const auto from = json::find_string(line, "from");
  for (const auto* text : {&expr, &tz, &gap, &fold, &from}) {
    if (!*text) return text->error();
  }
  if (!*expr) return Error{Code::invalid, "'expr' is missing"};
  const auto count = json::find_int(line, "count");
  if (!count) return count.error();
  const std::int64_t wanted = count->value_or(1);
  if (wanted < 1 || wanted > kMostTimes) {
    return Error{Code::invalid, fmt::format("'count' must be from 1 to {}", kMostTimes)};
  }
  return Question{**expr, *tz, *gap, *fold, *from, wanted};
}

Result<json::array> answer(const Question& question, const Console& console) {
  const auto asked = build_asked(question.expr, question.tz, question.gap, question.fold);
  // The first line says it all; the picture below it is for people.
  if (!asked)
    return Error{Code::invalid, asked.error().message.substr(0, asked.error().message.find('\n'))};
  const auto from = question.from ? parse_time(*question.from) : console.clock.wall();
  if (!from) return from.error();
  return next_times(*asked, *from, static_cast<std::size_t>(question.count));
}

json::object answer_line(std::string_view text, const Console& console) {
  json::object out;
  out["id"] = nullptr;
  const auto line = json::parse(text);
  if (!line || !line->is_object()) {
    out["error"] = line ? "not a JSON object" : line.error().message;
    return out;
  }
  if (const json::value* id = json::find(line->get_object(), "id")) out["id"] = *id;
  const auto question = read_question(line->get_object());
  const auto times = question ? answer(*question, console) : Result<json::array>(question.error());
  if (times) {
    out["next"] = *times;
  } else {
    out["error"] = times.error().message;
  }
  return out;
}

void print_answer(std::string_view text, const Console& console) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) return;
  fmt::print(console.out, "{}\n", json::print(answer_line(text, console)));
}

/// Answers the whole lines of `text` and leaves the rest in it. There is no line break before
/// `fresh`, which keeps the work even for a very long line.
void answer_lines(std::string& text, std::size_t fresh, const Console& console) {
  std::size_t start = 0;
  std::size_t end = text.find('\n', fresh);
  while (end != std::string::npos) {
    print_answer(std::string_view(text).substr(start, end - start), console);
    start = end + 1;
    end = text.find('\n', start);
  }
  text.erase(0, start);
}

}  // namespace

int run_batch(const Console& console) {
  std::array<char, 65'536> buffer{};
  std::string text;
  while (true) {
    const ssize_t got = read(fileno(console.in), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(console, kExitBadData, "cannot read standard input");
    if (got == 0) break;
    const std::size_t fresh = text.size();
    text.append(buffer.data(), static_cast<std::size_t>(got));
    answer_lines(text, fresh, console);
    // A program that waits for its answer before it asks again must get it now.
    std::fflush(console.out);
  }
  print_answer(text, console);
  return kExitDone;
}

}  // namespace cronce
