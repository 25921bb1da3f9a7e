// A folder on a real disk that vanishes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/check.h"

namespace cronce {

class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / "cronce-test-XXXXXX") {
    CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~Scratch() {
    std::error_code failed;  // what a test has planted may still be at work there
    std::filesystem::remove_all(path_, failed);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace cronce
