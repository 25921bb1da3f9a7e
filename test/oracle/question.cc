#include "test/oracle/question.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace oracle {
namespace {

cronce::DstRule as_program_rule(Rule rule) {
  cronce::DstRule result;
  result.gap = rule.gap == Gap::jump ? cronce::Gap::jump : cronce::Gap::skip;
  if (rule.fold == Fold::first) result.fold = cronce::Fold::first;
  if (rule.fold == Fold::second) result.fold = cronce::Fold::second;
  if (rule.fold == Fold::both) result.fold = cronce::Fold::both;
  return result;
}

cronce::Schedule build(const std::string& text, const Zone& zone, Rule rule) {
  cronce::ScheduleSpec spec;
  spec.elements = {cronce::CronSpec{text}};
  spec.timezone = zone.name();
  spec.dst = as_program_rule(rule);
  auto built = cronce::Schedule::build(spec);
  if (!built) {
    throw std::runtime_error("'" + text + "' in " + zone.name() +
                             " was refused: " + built.error().message);
  }
  return std::move(built).value();
}

}  // namespace

Question::Question(const std::string& expr_text, const Zone& in_zone, Rule under_rule)
    : expr(expr_text),
      zone(in_zone),
      rule(under_rule),
      schedule(build(expr_text, in_zone, under_rule)) {}

std::vector<std::int64_t> Question::expected(std::int64_t after, std::int64_t through) const {
  return slots(expr, zone, rule, after, through);
}

std::string Question::words(const char* what, std::int64_t t) const {
  constexpr std::array<const char*, 3> kFolds{"first", "second", "both"};
  return "'" + expr.text() + "' in " + zone.name() +
         (rule.gap == Gap::jump ? " (gap jump" : " (gap skip") + ", fold " +
         kFolds.at(static_cast<std::size_t>(rule.fold)) + "): " + what + " " +
         cronce::print(as_time(t));
}

cronce::Time as_time(std::int64_t instant) { return cronce::Time{std::chrono::seconds{instant}}; }

std::string words(std::optional<cronce::Time> time) { return time ? cronce::print(*time) : "none"; }

std::string words(std::optional<std::int64_t> instant) {
  return instant ? cronce::print(as_time(*instant)) : "none";
}

std::string disagreement(const std::string& question, const std::string& program,
                         const std::string& oracle) {
  return question + "\n    program: " + program + "\n    oracle:  " + oracle;
}

}  // namespace oracle
