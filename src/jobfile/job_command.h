// The keys that say what a job does: its program or call, and what it starts with.
#pragma once

#include "jobfile/job_keys.h"
#include "jobfile/yaml_reader.h"

namespace cronce {

KeyTable<HttpCall> http_keys();
KeyTable<Job> output_keys();
KeyTable<Limits> limits_keys();

/// A list is a program with its arguments, a text a line for sh. A program with a slash in its
/// relative path is looked for beside the job file, one without slash in PATH.
void read_run(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_http(YamlReader& in, const YamlNode& value, JobDraft& draft);
/// Joins the variables of `defaults`; of equal names the job's own counts.
void read_env(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_user(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_cwd(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_output(YamlReader& in, const YamlNode& value, JobDraft& draft);
void read_limits(YamlReader& in, const YamlNode& value, JobDraft& draft);
/// Three or four octal digits, with or without quotes: `022`.
void read_umask(YamlReader& in, const YamlNode& value, JobDraft& draft);

}  // namespace cronce
