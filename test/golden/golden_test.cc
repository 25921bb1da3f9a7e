// Runs the transcripts of test/golden/cli and the commands that the pages show, and compares what
// they print with what is written there. CRONCE_UPDATE=1 writes what they print into the files:
// read the change before you believe it.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "test/golden/transcript.h"

namespace cronce::golden {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = CRONCE_SOURCE_DIR;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> files_below(const std::string& folder, const std::string& extension) {
  std::vector<std::string> paths;
  if (!fs::exists(kRoot / folder)) return paths;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (entry.path().extension() != extension) continue;
    paths.push_back(entry.path().lexically_relative(kRoot).string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> transcripts() {
  auto paths = files_below("test/golden/cli", ".txt");
  std::erase_if(paths, [](const std::string& path) { return path.find("/files/") != path.npos; });
  return paths;
}

/// test/reads looks after the one that shows a store at one moment.
std::vector<std::string> pages() {
  auto paths = files_below("docs", ".md");
  std::erase(paths, "docs/operations.md");
  for (const char* page : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}) {
    if (fs::exists(kRoot / page)) paths.emplace_back(page);
  }
  return paths;
}

/// The same for every developer: our program first, no zone, language or colour of theirs.
void set_environment() {
  const char* path = std::getenv("PATH");
  const std::string folder = fs::path(CRONCE_PROGRAM).parent_path().string();
  setenv("PATH", (folder + ":" + (path == nullptr ? "" : path)).c_str(), 1);
  setenv("TZ", "UTC", 1);
  setenv("LC_ALL", "C", 1);
  unsetenv("NO_COLOR");
  fs::current_path(kRoot);
}

Outcome run(const std::string& command) {
  std::fflush(nullptr);
  std::FILE* pipe = popen(("exec 2>&1 </dev/null\n" + command).c_str(), "r");
  if (pipe == nullptr) return {{"cannot start a shell"}, -1};
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {split_output(output), code};
}

/// Runs a block and reports a difference, or takes the outcome over.
void check_block(Block& block, bool update) {
  const Outcome outcome = run(runnable(block.command));
  const std::string found = difference(block, outcome);
  if (found.empty()) return;
  if (update) {
    block.expected = outcome;
  } else {
    ADD_FAILURE() << found;
  }
}

void check_file(const std::string& path, bool is_page) {
  const std::string text = read_text(kRoot / path);
  Transcript transcript = is_page ? parse_page(path, text) : parse_transcript(path, text);
  for (const std::string& mistake : transcript.mistakes) ADD_FAILURE() << mistake;
  const bool update = std::getenv("CRONCE_UPDATE") != nullptr;
  for (auto& part : transcript.parts) {
    auto* block = std::get_if<Block>(&part);
    if (block == nullptr) continue;
    const Use use = is_page ? use_of(block->command) : Use::run;
    EXPECT_NE(use, Use::refuse) << block->place << ": a page may not show $ " << block->command;
    if (use == Use::run) check_block(*block, update);
  }
  const std::string after = print(transcript);
  if (update && after != text) std::ofstream(kRoot / path, std::ios::binary) << after;
}

TEST(Golden, Transcripts) {
  set_environment();
  const auto paths = transcripts();
  EXPECT_FALSE(paths.empty());
  for (const std::string& path : paths) check_file(path, false);
}

TEST(Golden, CommandsOfThePages) {
  set_environment();
  for (const std::string& path : pages()) check_file(path, true);
}

/// The lines below `Examples` in the help of a command.
std::vector<std::string> examples_of(const std::string& command) {
  const auto lines = run("cronce " + command + " --help").lines;
  auto line = std::find(lines.begin(), lines.end(), "Examples");
  std::vector<std::string> examples;
  if (line != lines.end()) ++line;
  for (; line != lines.end(); ++line)
    examples.push_back(line->substr(line->find_first_not_of(' ')));
  return examples;
}

/// Commands stand in the overview between two empty lines: a purpose or none, a name, a summary.
std::vector<std::string> command_names() {
  constexpr std::size_t kColumn = 12;
  const auto lines = run("cronce --help").lines;
  const auto begin = std::find(lines.begin(), lines.end(), "");
  const auto end = std::find(begin + 1, lines.end(), "");
  std::vector<std::string> names;
  for (auto line = begin + 1; line != end; ++line) {
    names.push_back(line->substr(kColumn, line->find(' ', kColumn) - kColumn));
  }
  return names;
}

/// A store in which the jobs of the examples have run, as long as this lives.
class FilledStore {
 public:
  FilledStore()
      : folder_(fs::temp_directory_path() / ("cronce-golden-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    const std::string path = folder_ / "cronce.db";
    const std::string jobs = kRoot / "test/reads/jobs.yaml";
    EXPECT_EQ(run(std::string(CRONCE_FILL_STORE) + " " + path + " " + jobs).exit_code, 0);
    setenv("CRONCE_STORE", ("sqlite:" + path).c_str(), 1);
  }
  ~FilledStore() {
    unsetenv("CRONCE_STORE");
    fs::remove_all(folder_);
  }
  FilledStore(const FilledStore&) = delete;
  FilledStore& operator=(const FilledStore&) = delete;

 private:
  fs::path folder_;
};

// What reads or writes the host's own files, or finds fault with the host, is not for a test; nor
// what waits for a node, or is inside a run.
bool is_of_the_host(const std::string& example) {
  for (const char* mark :
       {" /etc/", ":/srv/", " /backup/", " doctor", " --wait", "cronce progress"}) {
    if (example.find(mark) != std::string::npos) return true;
  }
  return false;
}

TEST(Golden, ExamplesOfTheHelp) {
  set_environment();
  const FilledStore store;
  std::size_t ran = 0;
  for (const std::string& command : command_names()) {
    const auto examples = examples_of(command);
    EXPECT_FALSE(examples.empty()) << command;
    for (const std::string& example : examples) {
      if (is_of_the_host(example)) continue;
      const Outcome outcome = run(example);
      const int most = command == "verify" ? 1 : 0;  // it may find something
      EXPECT_LE(outcome.exit_code, most) << example;
      EXPECT_FALSE(outcome.lines.empty()) << example;
      ++ran;
    }
  }
  EXPECT_GE(ran, 8U);
}

}  // namespace
}  // namespace cronce::golden
