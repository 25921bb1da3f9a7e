#include "jobfile/jobfile_keys.h"

#include <array>

#include <fmt/format.h>

#include "base/ids.h"
#include "base/quote.h"

namespace cronce {
namespace {

void read_generation(YamlReader& in, const YamlNode& value, FileKeys& out) {
  std::int64_t generation = 0;
  if (in.integer(value, {1, 1'000'000'000'000'000'000}, &generation)) {
    out.generation = static_cast<std::uint64_t>(generation);
  }
}

void read_source(YamlReader& in, const YamlNode& value, FileKeys& out) {
  std::string source;
  if (!in.text(value, &source)) return;
  if (!parse_job_name(source)) {
    return in.error(value, fmt::format("{} is not a source: use a letter or digit, then up to 127 "
                                       "letters, digits or . _ / -",
                                       quote(source)));
  }
  out.source = std::move(source);
}

constexpr auto kFileKeys = std::to_array<KeyRow<FileKeys>>({
    {"generation", R"({"type":"integer","minimum":1})",
     "the version of the file: the higher one wins", read_generation},
    {"source", R"({"type":"string"})", "under which name the store knows the file; default its own",
     read_source},
    {"defaults", R"({"$ref":"#/$defs/defaults"})", "what all jobs share unless they say otherwise",
     [](YamlReader&, const YamlNode& value, FileKeys& out) { out.defaults = &value; }},
    {"jobs", R"({"type":"object","additionalProperties":{"$ref":"#/$defs/job"}})",
     "each job under its name",
     [](YamlReader&, const YamlNode& value, FileKeys& out) { out.jobs = &value; }},
});

}  // namespace

KeyTable<FileKeys> file_keys() { return kFileKeys; }

}  // namespace cronce
