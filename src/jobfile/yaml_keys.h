// The keys of a map: texts, each once, and no merge keys.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jobfile/yaml_tree.h"

namespace cronce {

/// Checks one map after another; keeps its memory in between.
class YamlKeys {
 public:
  using Report = std::function<void(const YamlNode& key, std::string message)>;

  /// Reports keys that cannot stay and takes them out of the map with their values. Nobody else may
  /// share the map's children yet.
  void check(YamlNode& map, const Report& report);

 private:
  void drop_from(YamlNode& map) const;

  std::vector<const YamlNode*> keys_, dropped_;
};

}  // namespace cronce
