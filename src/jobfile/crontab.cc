#include "jobfile/crontab.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobfile/jobfile.h"
#include "jobfile/schedule_remarks.h"
#include "schedule/schedule.h"
#include "schedule/schedule_text.h"

namespace cronce {
namespace crontab {
namespace {

constexpr std::size_t kLongestLine = 100'000;
constexpr std::size_t kMostLines = 100'000;
constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostErrors = 1'000;

bool refuses(Severity severity) {
  return severity == Severity::syntax || severity == Severity::error;
}

/// Reads a whole crontab. A line is reported and left out when something in it is wrong, and
/// reading goes on with the next.
class Reader {
 public:
  Reader(bool system_form, const FileContext& context)
      : system_form_(system_form), context_(context) {
    file_.set.source = context.host_name.empty() ? "crontab" : "crontab@" + context.host_name;
  }

  JobFile read(std::string_view text) {
    drop_byte_order_mark(&text);
    const bool complete = text.empty() || text.back() == '\n';
    while (!text.empty() && !is_full()) {
      const std::size_t end = text.find('\n');
      line_ = text.substr(0, end);
      ++number_;
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      read_line();
    }
    line_ = {};
    drop_name();
    if (!complete && text.empty()) {
      report(Severity::note, 0, "no line break at the end of the file, which cron insists on");
    }
    return std::move(file_);
  }

 private:
  /// An explicit name that waits for the line below it.
  struct PendingName {
    JobName name;
    std::size_t line = 0;
    std::size_t column = 0;
  };

  /// In the order of the file: a name is judged only when the line below it is known.
  void add(Diagnostic diagnostic) {
    if (refuses(diagnostic.severity)) ++errors_;
    const auto place =
        std::upper_bound(file_.diagnostics.begin(), file_.diagnostics.end(), diagnostic,
                         [](const Diagnostic& a, const Diagnostic& b) {
                           return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                         });
    file_.diagnostics.insert(place, std::move(diagnostic));
  }

  void report(Severity severity, std::size_t column, std::string message) {
    add({severity, context_.path, number_, column, {}, std::move(message)});
  }
  void say(Severity severity, std::size_t offset, std::string message) {
    report(severity, column(line_, offset), std::move(message));
  }
  /// False if one of them refuses the line.
  bool say(const Remarks& remarks) {
    for (const Remark& remark : remarks) say(remark.severity, remark.offset, remark.message);
    return std::none_of(remarks.begin(), remarks.end(),
                        [](const Remark& remark) { return refuses(remark.severity); });
  }

  void drop_byte_order_mark(std::string_view* text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (!text->starts_with(kMark)) return;
    text->remove_prefix(kMark.size());
    number_ = 1;
    report(Severity::warning, 1,
           "the byte order mark at the start is left out; cron stumbles over it");
    number_ = 0;
  }

  /// Whether to stop before the next line, and says so.
  bool is_full() {
    std::string why;
    if (errors_ >= kMostErrors) why = fmt::format("{} errors", errors_);
    if (number_ >= kMostLines) why = fmt::format("{} lines", number_);
    if (file_.set.jobs.size() >= kMostJobs) why = fmt::format("{} jobs", kMostJobs);
    if (why.empty()) return false;
    report(Severity::syntax, 0, fmt::format("reading stops here after {}: split the file", why));
    return true;
  }

  void drop_carriage_return() {
    if (!line_.ends_with('\r')) return;
    line_.remove_suffix(1);
    if (carriage_return_seen_) return;
    carriage_return_seen_ = true;
    report(
        Severity::warning, 0,
        "lines end with CR LF, as on Windows: the CR is left out here, cron would pass it to the "
        "command");
  }

  void read_line() {
    drop_carriage_return();
    if (line_.size() > kLongestLine) {
      report(Severity::syntax, kLongestLine + 1,
             fmt::format("the line has {} bytes, at most {} are read", line_.size(), kLongestLine));
      drop_name();
      return;
    }
    const LineKind line_kind = kind(line_);
    if (line_kind != LineKind::job) drop_name();
    if (line_kind == LineKind::comment) read_comment();
    if (line_kind != LineKind::assignment && line_kind != LineKind::job) return;
    if (const auto remark = foreign_character(line_)) {
      say(remark->severity, remark->offset, remark->message);
    } else if (line_kind == LineKind::assignment) {
      read_variable();
    } else {
      read_job();
    }
    name_.reset();
  }

  void report_name(Severity severity, std::string message) {
    add({severity, context_.path, name_->line, name_->column, {}, std::move(message)});
  }

  void drop_name() {
    if (!name_) return;
    report_name(
        Severity::warning,
        fmt::format("the name '{}' is not used: it must stand directly above the line of its job",
                    name_->name.text()));
    name_.reset();
  }

  void read_comment() {
    Remarks remarks;
    const auto piece = read_name_comment(line_, &remarks);
    say(remarks);
    if (!piece) return;
    auto name = parse_job_name(piece->text);
    if (name) {
      name_ = PendingName{*std::move(name), number_, column(line_, piece->offset)};
    } else {
      say(Severity::error, piece->offset, name.error().message);
    }
  }

  void read_variable() {
    Remarks remarks;
    if (const auto assignment = read_assignment(line_, &remarks)) {
      setting_.assign(*assignment, &remarks);
    }
    say(remarks);
  }

  void read_job() {
    Remarks remarks;
    const auto line = read_job_line(line_, system_form_, &remarks);
    const bool sound = say(remarks);
    if (!line) return;
    auto schedule = read_schedule(line->schedule);
    if (!schedule || !sound || setting_.zone_is_wrong) return;
    const std::string fields = single_blanks(line->schedule.text);
    const auto name = name_job(*line, fields, schedule->timezone);
    if (!name) return;
    for (auto d = file_.diagnostics.rbegin(); d != file_.diagnostics.rend() && d->line == number_;
         ++d) {
      d->job = name->text();
    }
    add_job(*name, *line, *std::move(schedule));
  }

  std::optional<ScheduleSpec> read_schedule(const Piece& piece) {
    auto text = parse_schedule_text(piece.text);
    if (!text) {
      say(Severity::error, piece.offset + text.error().offset, text.error().message);
      return std::nullopt;
    }
    if (auto* cron = std::get_if<CronSpec>(&text->element)) {
      cron->text = single_blanks(cron->text);
    }
    if (setting_.zone_is_wrong || !find_host_zone()) return std::nullopt;
    ScheduleSpec spec;
    spec.elements.push_back(std::move(text->element));
    spec.timezone = setting_.zone.empty() ? context_.host_zone : setting_.zone;
    const auto built = Schedule::build(spec);
    if (!built) {
      say(Severity::error, piece.offset + built.error().offset, built.error().message);
      return std::nullopt;
    }
    for (const CronRemark& remark : schedule_remarks(spec.elements[0], built->zone())) {
      say(remark.warning ? Severity::warning : Severity::note, piece.offset, remark.text);
    }
    return spec;
  }

  /// True if the zone is known; says once which one it is.
  bool find_host_zone() {
    if (!setting_.zone.empty()) return true;
    if (host_zone_) return *host_zone_;
    const auto zone = load_zone(context_.host_zone);
    host_zone_ = zone.ok();
    if (!zone) {
      report(Severity::error, 0,
             fmt::format("the zone of this host is not known ({}): set one, as in "
                         "CRON_TZ=Europe/Berlin above the jobs",
                         zone.error().message));
      return false;
    }
    const auto tz = setting_.env.find("TZ");
    if (tz != setting_.env.end() && tz->second != context_.host_zone) {
      report(
          Severity::warning, 0,
          fmt::format("TZ only reaches the commands: the schedule is in the zone of this host, {}; "
                      "CRON_TZ changes that",
                      context_.host_zone));
    } else {
      report(Severity::note, 0,
             fmt::format("without CRON_TZ schedules are in the zone of this host, {}",
                         context_.host_zone));
    }
    return true;
  }

  /// None for a line that says the same as an earlier one, and for a name that is taken.
  std::optional<JobName> name_job(const JobLine& line, std::string_view fields,
                                  std::string_view zone) {
    const std::string rest = fmt::format("{}\n{}", zone, setting_.text());
    const NameSource source{line.user.text, line.command.text, fields, rest};
    const auto twin = namer_.twin(source, number_);
    if (name_) return take_name(twin);
    if (twin) {
      report_twin(*twin);
      return std::nullopt;
    }
    auto name = parse_job_name(namer_.derive(source, number_));
    return *std::move(name);
  }

  void report_twin(std::size_t twin) {
    report(Severity::finding, 0,
           fmt::format("the same as line {}: both are one job; remove one", twin));
  }

  std::optional<JobName> take_name(std::optional<std::size_t> twin) {
    const auto owner = namer_.take(name_->name.text(), number_);
    if (owner && owner == twin) {
      report_twin(*twin);
      return std::nullopt;
    }
    if (owner) {
      report_name(Severity::error,
                  fmt::format("the name '{}' belongs to the job of line {}: choose "
                              "another",
                              name_->name.text(), *owner));
      return std::nullopt;
    }
    if (twin) {
      report(Severity::warning, 0,
             fmt::format("does the same as line {}, under another name", *twin));
    }
    return name_->name;
  }

  void add_job(const JobName& name, const JobLine& line, ScheduleSpec schedule) {
    CommandText command = split_input(line.command.text);
    Job& job = file_.set.jobs.emplace_back(
        name, std::move(schedule),
        ShellCommand{std::move(command.line), setting_.shell, std::move(command.input)});
    job.env_base = EnvBase::cron;
    job.env = setting_.env;
    job.user = line.user.text;
    // cron starts a command in its home.
    const auto home = job.env.find("HOME");
    if (home != job.env.end() && home->second.starts_with('/')) job.cwd = home->second;
    if (!setting_.mail.empty()) {
      job.notify.mail = setting_.mail;
      job.notify.on = {"failed"};
    }
  }

  const bool system_form_;
  const FileContext& context_;
  JobFile file_;
  Setting setting_;
  Namer namer_;
  std::optional<PendingName> name_;
  std::optional<bool> host_zone_;  // whether it is known
  std::string_view line_;
  std::size_t number_ = 0;
  std::size_t errors_ = 0;
  bool carriage_return_seen_ = false;
};

}  // namespace
}  // namespace crontab

JobFile read_crontab(std::string_view text, bool system_form, const FileContext& context) {
  return crontab::Reader(system_form, context).read(text);
}

}  // namespace cronce
