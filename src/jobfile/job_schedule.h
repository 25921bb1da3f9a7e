// The keys that say when a job runs: schedule, timezone, dst, between, calendar.
#pragma once

#include "jobfile/job_keys.h"
#include "jobfile/yaml_reader.h"

namespace cronce {

/// One element of a schedule, written as a map.
struct ElementMap {
  const YamlNode* cron = nullptr;
  const YamlNode* every = nullptr;
  const YamlNode* anchor = nullptr;
  const YamlNode* at = nullptr;
  const YamlNode* after = nullptr;
};

KeyTable<ElementMap> element_keys();
KeyTable<DstRule> dst_keys();
KeyTable<Between> between_keys();

void read_schedule(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_timezone(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_dst(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_between(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_calendar(YamlReader& in, const YamlNode& value, JobDraft& draft);

/// After all keys of a job without an error: builds the schedule once, to find what no key shows
/// alone. `defaults` may be none.
void check_schedule(YamlReader& in, JobDraft& draft, const YamlNode& job, const YamlNode* defaults);

}  // namespace cronce
