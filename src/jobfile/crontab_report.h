// What is said about the lines of a crontab, in the order of the file.
#pragma once

#include <string>
#include <string_view>

#include "jobfile/diagnostic.h"
#include "jobfile/text_place.h"

namespace cronce::crontab {

class Report {
 public:
  explicit Report(std::string path) : path_(std::move(path)) {}

  /// In the order of the file, although a name is judged only when the line below it is known.
  void add(Place place, Severity severity, std::string message, std::string_view job = {});

  std::size_t errors() const { return errors_; }
  Diagnostics finish() { return std::move(diagnostics_); }

 private:
  std::string path_;
  Diagnostics diagnostics_;
  std::size_t errors_ = 0;
};

}  // namespace cronce::crontab
