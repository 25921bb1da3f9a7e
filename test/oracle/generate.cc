#include "test/oracle/generate.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace oracle {
namespace {

constexpr std::int64_t kThreeHours = 3 * 3600;
constexpr std::int64_t kLatestStart = kLastInstant - 5 * 366 * kDay;

struct Field {
  int low;
  int high;  // highest number that can start `N/step`
  int top;   // highest number that can be written
  std::string_view names;
  int usual = -1;  // two in three of the numbers lie at or beside this one
};

constexpr Field kSixty{0, 59, 59, ""};
constexpr Field kDayOfMonth{1, 31, 31, ""};
constexpr Field kMonth{1, 12, 12, "JanFebMarAprMayJunJulAugSepOctNovDec"};
constexpr Field kDayOfWeek{0, 6, 7, "SunMonTueWedThuFriSat"};

int pick(Random& random, int low, int high) { return static_cast<int>(random.between(low, high)); }

int pick_value(Random& random, const Field& field, int high) {
  if (field.usual < 0 || random.chance(33)) return pick(random, field.low, high);
  constexpr std::array<int, 5> kBeside{-1, 0, 0, 0, 1};
  const int beside = kBeside[static_cast<std::size_t>(pick(random, 0, kBeside.size() - 1))];
  return (field.usual + beside + field.top + 1) % (field.top + 1);
}

std::string spell(Random& random, const Field& field, int value) {
  const std::size_t at = static_cast<std::size_t>(value - field.low) * 3;
  if (at + 3 > field.names.size() || random.chance(50)) return std::to_string(value);
  std::string name(field.names.substr(at, 3));
  const int letter_case = pick(random, 0, 2);
  for (char& c : name) {
    if (letter_case == 1) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (letter_case == 2) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string step(Random& random, const Field& field) {
  const int size = field.high - field.low + 1;
  // Now and then larger than the field, which is allowed.
  const int largest = random.chance(5) ? size + 5 : (size + 1) / 2;
  return "/" + std::to_string(pick(random, 1, largest));
}

std::string range(Random& random, const Field& field) {
  if (field.top == 7 && random.chance(20)) {
    return std::string(field.names.substr(static_cast<std::size_t>(pick(random, 1, 6)) * 3, 3)) +
           "-SUN";
  }
  const int first = pick_value(random, field, field.high);
  const int widest = random.chance(30) ? field.top : first + (field.top - first + 2) / 3;
  const int last = pick(random, first, widest);
  // A name for 0 or for 7 on the right would mean the same number 7.
  const std::string right = last % 7 == 0 ? std::to_string(last) : spell(random, field, last);
  return spell(random, field, first) + "-" + right;
}

std::string element(Random& random, const Field& field) {
  const int kind = pick(random, 1, 100);
  if (kind <= 55) return spell(random, field, pick_value(random, field, field.top));
  if (kind <= 75) return range(random, field);
  if (kind <= 88) return range(random, field) + step(random, field);
  if (kind <= 97)
    return spell(random, field, pick_value(random, field, field.high)) + step(random, field);
  return "*" + step(random, field);
}

std::string restricted(Random& random, const Field& field) {
  std::string text = element(random, field);
  while (random.chance(30)) text += "," + element(random, field);
  return text;
}

// `*` or `*/n` or, less often, the whole field as a range.
std::string unrestricted(Random& random, const Field& field) {
  const int kind = pick(random, 1, 100);
  if (kind <= 55) return "*";
  if (kind <= 95) return "*" + step(random, field);
  return std::to_string(field.low) + "-" + std::to_string(field.high);
}

std::string field_text(Random& random, const Field& field, int percent_restricted) {
  if (random.chance(percent_restricted)) return restricted(random, field);
  return unrestricted(random, field);
}

std::string star_or_question_mark(Random& random) { return random.chance(90) ? "*" : "?"; }

std::string day_fields(Random& random) {
  const int kind = pick(random, 1, 100);
  std::string day = star_or_question_mark(random);
  std::string month = "*";
  std::string weekday = star_or_question_mark(random);
  if (kind > 50 && kind <= 85) {
    if (random.chance(55)) day = field_text(random, kDayOfMonth, 75);
    if (random.chance(55)) weekday = field_text(random, kDayOfWeek, 80);
    if (random.chance(40)) month = field_text(random, kMonth, 80);
  } else if (kind > 85) {  // both day fields, where OR and AND show
    day = field_text(random, kDayOfMonth, 60);
    weekday = field_text(random, kDayOfWeek, 60);
  }
  return day + " " + month + " " + weekday;
}

// Days that many months or years do not have.
std::string sparse_day_fields(Random& random) {
  static constexpr std::array<const char*, 8> kSparse{"29 2 *",  "29 Feb */7",  "*/28 2 */3",
                                                      "31 * *",  "30,31 1-6 ?", "31 12 *",
                                                      "? 2 SUN", "29-31 * */4"};
  return kSparse[static_cast<std::size_t>(pick(random, 0, kSparse.size() - 1))];
}

std::string any_expression(Random& random, int usual_hour) {
  const Field hour{0, 23, 23, "", usual_hour};
  std::string text;
  if (random.chance(30)) text = field_text(random, kSixty, 80) + " ";
  text += field_text(random, kSixty, 70) + " ";
  text += field_text(random, hour, 70) + " ";
  return text + (random.chance(4) ? sparse_day_fields(random) : day_fields(random));
}

// The first hour that the nearby transition removes or repeats; -1 where there is none.
int hour_at_stake(const Zone& zone, std::int64_t instant) {
  const std::vector<Transition> changes =
      zone.transitions(instant - kThreeHours, instant + kThreeHours);
  if (changes.empty()) return -1;
  const Transition& change = changes.front();
  const std::int64_t civil = change.at + std::min(change.before, change.after);
  return static_cast<int>((civil % kDay + kDay) % kDay / 3600);
}

Rule random_rule(Random& random) {
  Rule rule;
  if (random.chance(75)) return rule;
  rule.gap = random.chance(50) ? Gap::jump : Gap::skip;
  rule.fold = static_cast<Fold>(pick(random, 0, 2));
  return rule;
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  const std::uint64_t size = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(next() % size);
}

std::string random_expression(Random& random, int usual_hour) {
  for (;;) {
    std::string text = any_expression(random, usual_hour);
    if (Expr(text).ever_matches()) return text;
  }
}

std::int64_t random_instant(Random& random, const Zone& zone) {
  const bool late = random.chance(15);
  const std::int64_t from = late ? kEndOf2037 + 1 : 0;
  const std::int64_t to = late ? kLatestStart : kEndOf2037;
  std::vector<Transition> changes = zone.transitions(from, to);
  if (changes.empty()) changes = zone.transitions(0, kEndOf2037);
  if (changes.empty() || random.chance(40)) {
    const std::int64_t at = random.between(from, to);
    return random.chance(50) ? at : at - at % 60;
  }
  const std::int64_t last = static_cast<std::int64_t>(changes.size()) - 1;
  const std::int64_t change = changes[static_cast<std::size_t>(random.between(0, last))].at;
  if (random.chance(20)) return change + random.between(-1, 1);
  return change + random.between(-kThreeHours, kThreeHours);
}

bool near_transition(const Zone& zone, std::int64_t instant) {
  return !zone.transitions(instant - kThreeHours, instant + kThreeHours).empty();
}

Case make_case(std::uint64_t seed, std::uint64_t number, const std::vector<Zone>& zones) {
  Random random(Random(seed).next() ^ Random(number).next());
  Case made;
  made.zone =
      static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(zones.size()) - 1));
  const Zone& zone = zones[made.zone];
  made.at = random_instant(random, zone);
  made.millis = random.chance(25) ? pick(random, 1, 999) : 0;
  made.text = random_expression(random, hour_at_stake(zone, made.at));
  made.rule = random_rule(random);
  return made;
}

}  // namespace oracle
