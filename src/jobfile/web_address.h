// Addresses of the web in a job file.
#pragma once

#include <string>

#include "jobfile/yaml_reader.h"

namespace cronce {

/// `https://host/path`: http or https, a host, no blanks. Reports what is wrong.
bool read_web_address(YamlReader& in, const YamlNode& node, std::string* out);

}  // namespace cronce
