// The keys that say under which rules a job runs: overlaps, losses, retries, limits in time,
// places, history and notices.
#pragma once

#include "jobfile/job_keys.h"
#include "jobfile/yaml_reader.h"

namespace cronce {

KeyTable<CatchUp> catch_up_keys();
KeyTable<Retries> retries_keys();
KeyTable<Concurrency> concurrency_keys();
KeyTable<HistoryLimits> history_keys();
KeyTable<Notify> notify_keys();
KeyTable<Job> expect_keys();

inline constexpr IntegerRange kRetryCount{0, 1'000};
inline constexpr IntegerRange kGroupSize{1, 100'000};

/// The foreign locks that can be named, and what `notify` can be told of.
std::span<const std::string_view> guard_kinds();
std::span<const std::string_view> notices();

void read_overlap(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_catch_up(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_on_lost(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_on_lease_loss(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_retries(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_on(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_concurrency(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_guards(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_history(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_notify(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_expect(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_was(YamlReader& in, const YamlNode& value, JobDraft& draft);

}  // namespace cronce
