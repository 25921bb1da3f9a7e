#include "cli/doctor.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/human.h"
#include "cli/store_args.h"
#include "cli/table.h"

namespace cronce {
namespace {

json::object finding_json(const Finding& finding) {
  const auto text = [](const std::string& value) {
    return value.empty() ? json::value() : json::value(value);
  };
  return {{"check", finding.check},
          {"severity", word(finding.severity)},
          {"found", finding.found},
          {"why", text(finding.why)},
          {"remedy", text(finding.remedy)}};
}

constexpr std::size_t kGroupWidth = 13, kWordWidth = 9;

/// After the first line the text goes on below its beginning.
std::string wrapped(const Console& console, const std::string& text) {
  constexpr std::size_t kUsualWidth = 100, kLeast = 30, kIndent = kGroupWidth + kWordWidth;
  const std::size_t whole = console.width == 0 ? kUsualWidth : console.width;
  const std::size_t width = std::max(whole, kIndent + kLeast) - kIndent;
  std::string out;
  std::size_t column = 0;
  for (const std::string& one : split(text, ' ')) {
    const std::size_t size = display_width(one);
    if (column > 0 && column + 1 + size > width) {
      out += "\n" + std::string(kIndent, ' ');
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += one;
    column += size;
  }
  return out;
}

Colour colour_of(Gravity severity) {
  switch (severity) {
    case Gravity::error:
      return Colour::red;
    case Gravity::warning:
      return Colour::yellow;
    case Gravity::note:
      return Colour::bold;
    case Gravity::ok:
      break;
  }
  return Colour::green;
}

/// `Clocks       note     the kernel does not ...`; the group only once.
class Printer {
 public:
  explicit Printer(const Console& console) : console_(console) {}

  void begin(std::string_view group) { group_ = group; }

  void line(std::string_view label, Colour colour, const std::string& text) {
    const std::string shown = fmt::format("{:<{}}", label, kWordWidth);
    put(console_.out, fmt::format("{:<{}}{}{}\n", std::exchange(group_, ""), kGroupWidth,
                                  paint(console_, colour, shown), wrapped(console_, text)));
  }

  void finding(const Finding& finding) {
    line(word(finding.severity), colour_of(finding.severity), finding.found);
    line("  why", Colour::dim, finding.why);
    line("  do", Colour::dim, finding.remedy);
  }

 private:
  const Console& console_;
  std::string_view group_;
};

/// What was found, worst first; what is right shares a line.
void print_group(Printer& printer, const std::vector<const Finding*>& findings) {
  for (const Gravity gravity : {Gravity::error, Gravity::warning, Gravity::note}) {
    for (const Finding* finding : findings) {
      if (finding->severity == gravity) printer.finding(*finding);
    }
  }
  std::vector<std::string> right;
  for (const Finding* finding : findings) {
    if (finding->severity == Gravity::ok) right.push_back(finding->found);
  }
  if (right.empty()) return;
  printer.line(word(Gravity::ok), Colour::green, fmt::format("{}", fmt::join(right, "; ")));
}

void print_for_people(const Findings& findings, const Console& console) {
  Printer printer(console);
  const auto rows = doctor_checks();
  for (auto row = rows.begin(); row != rows.end();) {
    const std::string_view group = row->group;
    std::vector<const Finding*> of_group;
    for (; row != rows.end() && row->group == group; ++row) {
      for (const Finding& finding : findings) {
        if (finding.check == row->name) of_group.push_back(&finding);
      }
    }
    printer.begin(group);
    print_group(printer, of_group);
  }
  std::vector<std::string> counts;
  for (const Gravity severity : {Gravity::error, Gravity::warning, Gravity::note}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.severity == severity;
    });
    if (count > 0) counts.push_back(counted(static_cast<std::size_t>(count), word(severity)));
  }
  put(console.out,
      counts.empty() ? "\nnothing found\n" : fmt::format("\n{}\n", fmt::join(counts, ", ")));
}

}  // namespace

int run_doctor(const Args& args, const Console& console) {
  DoctorFacts facts;
  facts.places =
      find_places({args.get("--store"), args.get("--state"), args.get("--namespace")}, std::getenv);
  if (const auto refusal = bad_address(facts.places)) return fail(console, *refusal);
  facts.store = inspect_store(facts.places.store, facts.places.name_space, console.clock);
  facts.host = gather_host(facts.places, facts.store.jobs, console.clock);
  const Findings findings = examine(facts);
  if (args.has("--json")) {
    for (const Finding& finding : findings) {
      put(console.out, json::print(finding_json(finding)) + "\n");
    }
  } else {
    print_for_people(findings, console);
  }
  return exit_code_of(facts, findings);
}

}  // namespace cronce
