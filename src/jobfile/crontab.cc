#include "jobfile/crontab.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobfile/crontab_report.h"
#include "jobfile/jobfile.h"
#include "jobfile/schedule_remarks.h"
#include "jobfile/text_place.h"
#include "schedule/schedule.h"
#include "schedule/schedule_text.h"

namespace cronce {
namespace crontab {
namespace {

constexpr std::size_t kLongestLine = 100'000;
constexpr std::size_t kMostLines = 1'000'000;

bool refuse(const Remarks& remarks) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [](const Remark& remark) { return refuses(remark.severity); });
}

std::string doubt(const Twin& twin) {
  return fmt::format("does the same as line {}, under another name", twin.line);
}

/// Reads a whole crontab. A line is reported and left out when something in it is wrong, and
/// reading goes on with the next.
class Reader {
 public:
  Reader(bool system_form, const FileContext& context)
      : system_form_(system_form), context_(context), report_(context.path) {
    set_.source = context.host_name.empty() ? "crontab" : "crontab@" + context.host_name;
  }

  JobFile read(std::string_view text) {
    drop_byte_order_mark(&text);
    const auto binary = find_binary(text);
    binary ? refuse_binary(text, *binary) : read_lines(text);
    return {std::move(set_), report_.finish()};
  }

 private:
  /// An explicit name that waits for the line below it.
  struct PendingName {
    JobName name;
    Place place;
  };

  void refuse_binary(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    number_ = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    line_ = before.substr(before.rfind('\n') + 1);
    say({Severity::syntax, line_.size(), "not a text file: a crontab is plain text in UTF-8"});
  }

  void read_lines(std::string_view text) {
    const bool complete = text.empty() || text.back() == '\n';
    while (!text.empty() && !is_full()) {
      const std::size_t end = text.find('\n');
      line_ = text.substr(0, end);
      ++number_;
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      read_line();
    }
    drop_name();
    if (complete || stopped_) return;
    say({Severity::note, line_.size(),
         "no line break at the end of the file, which cron insists on"});
  }

  void say(const Remark& remark, std::string_view job = {}) {
    report_.add({number_, column(line_, remark.offset)}, remark.severity, remark.message, job);
  }
  void say(const Remarks& remarks, std::string_view job = {}) {
    for (const Remark& remark : remarks) say(remark, job);
  }

  void drop_byte_order_mark(std::string_view* text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (!text->starts_with(kMark)) return;
    text->remove_prefix(kMark.size());
    report_.add({1, 1}, Severity::warning,
                "the byte order mark at the start is left out; cron stumbles over it");
  }

  /// The rest of a file is too much.
  void stop(std::size_t offset, std::string message) {
    say({Severity::error, offset, std::move(message)});
    stopped_ = true;
  }

  /// Whether to stop before the next line, and says so.
  bool is_full() {
    if (stopped_) return true;
    if (report_.errors() >= kMostErrors) {
      stop(line_.size(), fmt::format("{} errors are enough: the rest was not read", kMostErrors));
    } else if (number_ >= kMostLines) {
      stop(line_.size(), fmt::format("{} lines are enough for one file: split it", kMostLines));
    }
    return stopped_;
  }

  void drop_carriage_return() {
    if (!line_.ends_with('\r')) return;
    line_.remove_suffix(1);
    if (carriage_return_seen_) return;
    carriage_return_seen_ = true;
    say({Severity::warning, line_.size(),
         "lines end with CR LF, as on Windows: the CR is left out here, cron would pass it to the "
         "command"});
  }

  void read_line() {
    drop_carriage_return();
    if (line_.size() > kLongestLine) {
      say({Severity::syntax, kLongestLine,
           fmt::format("the line has {} bytes, at most {} are read", line_.size(), kLongestLine)});
      drop_name();
      return;
    }
    const LineKind line_kind = kind(line_);
    if (line_kind != LineKind::job) drop_name();
    if (line_kind == LineKind::comment) read_comment();
    if (line_kind != LineKind::assignment && line_kind != LineKind::job) return;
    if (const auto remark = foreign_character(line_)) {
      say(*remark);
    } else if (line_kind == LineKind::assignment) {
      read_variable();
    } else {
      read_job();
    }
    name_.reset();
  }

  void drop_name() {
    if (!name_) return;
    report_.add(
        name_->place, Severity::warning,
        fmt::format("the name '{}' is not used: it must stand directly above the line of its job",
                    name_->name.text()));
    name_.reset();
  }

  void read_comment() {
    Remarks remarks;
    if (const auto piece = read_name_comment(line_, &remarks)) {
      auto name = parse_job_name(piece->text);
      if (name) {
        name_ = PendingName{*std::move(name), {number_, column(line_, piece->offset)}};
      } else {
        remarks.push_back({Severity::error, piece->offset, name.error().message});
      }
    }
    say(remarks);
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
    const auto name = read_job(&remarks);
    say(remarks, name ? name->text() : "");
  }

  /// The name of the job, if the line makes one.
  std::optional<JobName> read_job(Remarks* remarks) {
    const auto line = read_job_line(line_, system_form_, remarks);
    if (!line) return std::nullopt;
    auto schedule = read_schedule(line->schedule, remarks);
    if (!schedule || refuse(*remarks) || !has_room(line->schedule.offset)) return std::nullopt;
    const auto name = name_job(*line, *schedule, remarks);
    if (name) add_job(*name, *line, *std::move(schedule));
    return name;
  }

  std::optional<ScheduleSpec> read_schedule(const Piece& piece, Remarks* remarks) {
    auto text = parse_schedule_text(piece.text);
    if (!text) {
      const auto& [offset, message] = text.error();
      remarks->push_back({Severity::error, piece.offset + offset, message});
      return std::nullopt;
    }
    if (auto* cron = std::get_if<CronSpec>(&text->element)) {
      cron->text = single_blanks(cron->text);
    }
    if (setting_.zone_is_wrong || !find_host_zone(piece.offset)) return std::nullopt;
    ScheduleSpec spec;
    spec.elements.push_back(std::move(text->element));
    spec.timezone = setting_.zone.empty() ? context_.host_zone : setting_.zone;
    const auto built = Schedule::build(spec);
    if (!built) {
      const ScheduleError& error = built.error();
      remarks->push_back({Severity::error, piece.offset + error.offset, error.message});
      return std::nullopt;
    }
    for (const CronRemark& remark : schedule_remarks(spec.elements[0], built->zone())) {
      remarks->push_back(
          {remark.warning ? Severity::warning : Severity::note, piece.offset, remark.text});
    }
    return spec;
  }

  /// True if the zone is known; says once which one it is.
  bool find_host_zone(std::size_t offset) {
    if (!setting_.zone.empty()) return true;
    if (!zone_remark_) {
      zone_remark_ = remark_host_zone(setting_, context_.host_zone, offset);
      say(*zone_remark_);
    }
    return !refuses(zone_remark_->severity);
  }

  /// For one more job, which gets a copy of the variables.
  bool has_room(std::size_t offset) {
    shared_bytes_ += setting_.env_bytes;
    if (set_.jobs.size() == kMostJobs) {
      stop(offset, fmt::format("more than {} jobs are too many for one file: split it", kMostJobs));
    } else if (shared_bytes_ > kMostSharedBytes) {
      stop(offset, "the variables are too large for so many jobs: split the file");
    }
    return !stopped_;
  }

  /// None for a line that does the same as an earlier one, and for a name that is taken.
  std::optional<JobName> name_job(const JobLine& line, const ScheduleSpec& schedule,
                                  Remarks* remarks) {
    const std::string fields = single_blanks(line.schedule.text);
    const std::string rest = fmt::format("{}\n{}", schedule.timezone, setting_.text());
    const std::string times = meaning(schedule.elements[0]);
    const NameSource source{line.user.text, line.command.text, fields, rest, times};
    const auto twin = namer_.twin(source, number_);
    const auto owner = name_ ? namer_.take(name_->name.text(), number_) : std::nullopt;
    if (twin && (!name_ || owner == twin->line)) {
      remarks->push_back({Severity::finding, line.schedule.offset, describe(*twin)});
      return std::nullopt;
    }
    if (!name_) return parse_job_name(namer_.derive(source, number_)).value();
    if (owner) {
      report_.add(name_->place, Severity::error,
                  fmt::format("the name '{}' belongs to the job of line {}: choose another",
                              name_->name.text(), *owner));
      return std::nullopt;
    }
    if (twin) remarks->push_back({Severity::warning, line.schedule.offset, doubt(*twin)});
    return name_->name;
  }

  void add_job(const JobName& name, const JobLine& line, ScheduleSpec schedule) {
    CommandText command = split_input(line.command.text);
    Job job{name, std::move(schedule),
            ShellCommand{std::move(command.line), setting_.shell, std::move(command.input)}};
    job.env_base = EnvBase::cron;
    job.everywhere = runs_at_boot(job);  // on every machine, when that machine starts
    job.env = setting_.env;
    job.user = std::string(line.user.text);
    // cron starts a command in its home.
    const auto home = setting_.env.find("HOME");
    if (home != setting_.env.end() && home->second.starts_with('/')) job.cwd = home->second;
    if (!setting_.mail.empty()) job.notify = Notify{.on = {"failed"}, .mail = setting_.mail};
    set_.jobs.emplace_back(std::move(job));
  }

  const bool system_form_;
  const FileContext& context_;
  JobSet set_;
  Report report_;
  Setting setting_;
  Namer namer_;
  std::optional<PendingName> name_;
  std::optional<Remark> zone_remark_;  // on the zone of this host
  std::string_view line_;
  std::size_t number_ = 0;
  std::size_t shared_bytes_ = 0;
  bool carriage_return_seen_ = false;
  bool stopped_ = false;
};

}  // namespace
}  // namespace crontab

JobFile read_crontab(std::string_view text, bool system_form, const FileContext& context) {
  return crontab::Reader(system_form, context).read(text);
}

}  // namespace cronce
