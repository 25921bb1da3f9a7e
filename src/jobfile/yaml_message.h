// What a person reads when a file is not YAML.
//
// libyaml says what its grammar missed; here that becomes what to change. An unknown complaint is
// passed on as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cronce {

/// libyaml's words, and the rest of the source from where it stopped.
struct YamlComplaint {
  std::string_view problem;
  std::string_view context;
  std::size_t context_line = 0;  // where the thing began that could not be finished; 0: nowhere
  std::size_t context_column = 0;
  std::string_view rest;
};

std::string explain_yaml(const YamlComplaint& complaint);

/// For a byte that cannot be part of any YAML file; `rest` begins with it.
std::string explain_bad_byte(std::string_view problem, std::string_view rest);

}  // namespace cronce
