// The keys at the top of a YAML job file, one row each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobfile/yaml_reader.h"

namespace cronce {

struct FileKeys {
  std::optional<std::uint64_t> generation;
  std::string source;
  const YamlNode* defaults = nullptr;
  const YamlNode* jobs = nullptr;
};

KeyTable<FileKeys> file_keys();

}  // namespace cronce
