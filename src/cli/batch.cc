// `next --batch`: questions as JSON lines in, answers as JSON lines out, in the same order.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "base/quote.h"
#include "base/suggest.h"
#include "cli/schedule_args.h"

namespace cronce {
namespace {

/// A line that is longer is answered with an error; one that never ends ends the batch.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr std::size_t kMostPassedOver = std::size_t{64} << 20;

constexpr std::array<std::string_view, 10> kMembers{"id",  "expr",    "tz",  "from", "count",
                                                    "job", "dialect", "gap", "fold", "dst"};
constexpr std::array<std::string_view, 2> kDstMembers{"gap", "fold"};

struct Question {
  std::string expr;
  std::optional<std::string> tz;
  std::optional<std::string> from;
  DstRule rule;
  std::int64_t count = 1;
};

Error invalid(std::string message) { return {Code::invalid, std::move(message)}; }

/// Members that we do not understand might change the answer, so they are not passed over.
std::optional<Error> unknown_member(const json::object& line,
                                    std::span<const std::string_view> known) {
  for (const auto& member : line) {
    const std::string_view key(member.key().data(), member.key().size());
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const auto nearest = suggest(key, known);
    const std::string use = nearest ? fmt::format("did you mean '{}'?", *nearest)
                                    : fmt::format("use {}", fmt::join(known, ", "));
    return invalid(fmt::format("unknown member {}: {}", quote(key), use));
  }
  return std::nullopt;
}

/// Colons outside of texts: one for each member that is written, also for one that stands twice.
std::size_t written_members(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (inside && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      inside = !inside;
    } else if (!inside && text[at] == ':') {
      ++count;
    }
  }
  return count;
}

/// What comes back must be what was sent: numbers that do not fit an integer would come back
/// rounded.
std::optional<Error> wrong_id(const json::object& line) {
  const json::value* id = json::find(line, "id");
  if (id == nullptr || id->is_string() || id->is_int64() || id->is_uint64() || id->is_bool()) {
    return std::nullopt;
  }
  return invalid("'id' must be a text, a whole number of at most 64 bits, true, false or null");
}

struct Texts {
  std::optional<std::string> gap;
  std::optional<std::string> fold;
};

Result<Texts> read_gap_and_fold(const json::object& line) {
  const auto gap = json::find_string(line, "gap");
  const auto fold = json::find_string(line, "fold");
  if (!gap) return gap.error();
  if (!fold) return fold.error();
  return Texts{*gap, *fold};
}

/// `"dst":{"gap":"skip"}`, or `"gap":"skip"` alone.
Result<DstRule> read_rule(const json::object& line) {
  auto texts = read_gap_and_fold(line);
  if (!texts) return texts.error();
  const json::value* dst = json::find(line, "dst");
  if (dst != nullptr) {
    if (texts->gap || texts->fold) return invalid("'dst' stands for 'gap' and 'fold': drop one");
    if (!dst->is_object()) {
      return invalid("'dst' must be an object such as {\"gap\":\"jump\",\"fold\":\"first\"}");
    }
    if (auto error = unknown_member(dst->get_object(), kDstMembers)) return *std::move(error);
    texts = read_gap_and_fold(dst->get_object());
    if (!texts) return texts.error();
  }
  const auto rule = read_dst({"gap", "fold"}, texts->gap, texts->fold);
  if (!rule) return invalid(rule.error().message);
  return *rule;
}

Result<std::int64_t> read_count(const json::object& line) {
  const auto count = json::find_int(line, "count");
  if (!count) return count.error();
  const std::int64_t wanted = count->value_or(1);
  if (wanted >= 1 && wanted <= kMostTimes) return wanted;
  return invalid(fmt::format("'count' must be from 1 to {}", kMostTimes));
}

/// A job's name will seed ~ and H, which are not read yet: until then it changes nothing.
Result<Question> read_question(const json::object& line) {
  const auto expr = json::find_string(line, "expr");
  const auto tz = json::find_string(line, "tz");
  const auto from = json::find_string(line, "from");
  const auto job = json::find_string(line, "job");
  const auto dialect = json::find_string(line, "dialect");
  for (const auto* text : {&expr, &tz, &from, &job, &dialect}) {
    if (!*text) return text->error();
  }
  if (!*expr) return invalid("'expr' is missing");
  if (*dialect && **dialect != kDialect) return invalid(wrong_dialect(**dialect));
  const auto rule = read_rule(line);
  if (!rule) return rule.error();
  const auto count = read_count(line);
  if (!count) return count.error();
  return Question{**expr, *tz, *from, *rule, *count};
}

Result<json::array> answer(const Question& question, const Console& console) {
  const auto asked = build_asked(question.expr, question.tz, question.rule);
  // The first line says it all; the picture below it is for people.
  if (!asked) return invalid(asked.error().message.substr(0, asked.error().message.find('\n')));
  const auto from = question.from ? read_time(*question.from, asked->schedule.zone())
                                  : Result<Time>(console.clock.wall());
  if (!from) return from.error();
  return next_times(*asked, *from, static_cast<std::size_t>(question.count));
}

/// What is wrong with a line as a whole; then it is not known whose answer it would be.
std::optional<Error> wrong_line(std::string_view text, const Result<json::value>& line) {
  if (!line) return line.error();
  if (!line->is_object()) return invalid("not a JSON object");
  const json::object& members = line->get_object();
  if (auto error = wrong_id(members)) return error;
  if (unknown_member(members, kMembers)) return std::nullopt;  // told with its id
  const json::value* dst = json::find(members, "dst");
  const std::size_t inner = dst != nullptr && dst->is_object() ? dst->get_object().size() : 0;
  const bool simple = dst == nullptr || dst->is_object();
  if (simple && written_members(text) > members.size() + inner) {
    return invalid("a member stands twice");
  }
  return std::nullopt;
}

Result<json::array> answer(const json::object& line, const Console& console) {
  if (auto error = unknown_member(line, kMembers)) return *std::move(error);
  const auto question = read_question(line);
  if (!question) return question.error();
  return answer(*question, console);
}

json::object answer_line(std::string_view text, const Console& console) {
  json::object out;
  out["id"] = nullptr;
  const auto line = json::parse(text);
  if (const auto error = wrong_line(text, line)) {
    out["error"] = error->message;
    return out;
  }
  if (const json::value* id = json::find(line->get_object(), "id")) out["id"] = *id;
  const auto times = answer(line->get_object(), console);
  if (times) {
    out["next"] = *times;
  } else {
    out["error"] = times.error().message;
  }
  return out;
}

/// Puts the pieces of the input together to lines and answers them.
class Batch {
 public:
  explicit Batch(const Console& console) : console_(console) {}

  /// False when a line has no end.
  bool take(std::string_view input) {
    while (!input.empty()) {
      const std::size_t end = std::min(input.find('\n'), input.size());
      keep(input.substr(0, end));
      if (passed_over_ > kMostPassedOver) return false;
      if (end == input.size()) return true;
      end_line();
      input.remove_prefix(end + 1);
    }
    return true;
  }

  /// Also for a last line that is not ended.
  void end_line() {
    std::string_view text = line_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (passed_over_ == 0 && !text.empty()) print(answer_line(text, console_));
    line_.clear();
    passed_over_ = 0;
  }

 private:
  void keep(std::string_view piece) {
    if (passed_over_ == 0 && line_.size() + piece.size() <= kLongestLine) {
      line_ += piece;
      return;
    }
    if (passed_over_ == 0) {
      json::object out;
      out["id"] = nullptr;
      out["error"] = "the line is longer than 1 MiB";
      print(out);
    }
    passed_over_ += line_.size() + piece.size();
    line_.clear();
  }

  void print(const json::object& out) const { put(console_.out, json::print(out) + "\n"); }

  const Console& console_;
  std::string line_;
  std::size_t passed_over_ = 0;  // of a line that is too long, which was answered already
};

}  // namespace

int run_batch(const Console& console) {
  std::array<char, 65'536> buffer{};
  Batch batch(console);
  while (true) {
    const ssize_t got = read(fileno(console.in), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(console, kExitBadData, "cannot read standard input");
    if (got == 0) break;
    if (!batch.take({buffer.data(), static_cast<std::size_t>(got)})) {
      return fail(console, kExitBadData,
                  "a line of standard input is longer than 64 MiB: these are no JSON lines");
    }
    // A program that waits for its answer before it asks again must get it now; one that went away
    // gets no more.
    if (std::fflush(console.out) != 0) return kExitInternal;
  }
  batch.end_line();
  return kExitDone;
}

}  // namespace cronce
