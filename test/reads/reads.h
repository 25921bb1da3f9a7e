// A store with a past, the moment in which it is looked at, and commands that are run on it in this
// process: the same store and the same time for everybody.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.h"
#include "test/golden/transcript.h"
#include "test/reads/story.h"
#include "test/support/scratch.h"

namespace cronce {

class Reads : public testing::Test {
 protected:
  Reads();

  /// The command prints this text somewhere.
  void expect(const std::string& command, const std::string& text) const;
  int exit_code_of(const std::string& command) const;

  ManualClock clock_{Time{}};
  Rng rng_{1};
  Scratch folder_;
  std::unique_ptr<Store> store_;
  std::optional<Story> story_;
};

/// `cronce ...`; `COLUMNS=60 cronce ...` is a terminal of that width, with colours. Both streams
/// together, as on a terminal.
golden::Outcome run_line(const std::string& command, const Clock& clock);

/// Runs what a transcript of this tree, or a page, shows. CRONCE_UPDATE=1 writes what the commands
/// print now into the file: read the change before you believe it.
void check_file(const std::string& path, bool is_page, const Clock& clock);

/// The transcripts of a folder, sorted.
std::vector<std::string> transcripts_in(const std::string& folder);

}  // namespace cronce
