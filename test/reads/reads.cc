#include "test/reads/reads.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/sqlite/sqlite_store.h"

namespace cronce {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = CRONCE_SOURCE_DIR;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Words as a shell would find them; quotes are all that is known of one.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char c : command) {
    if (c == '\'') {
      quoted = !quoted;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (c == ' ' && !quoted) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  return words;
}

/// Both streams together, as on a terminal.
golden::Outcome run(const std::vector<std::string>& words, const Clock& clock, bool colour,
                    std::size_t width) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&text, &size);
  const Console console{stdin, stream, stream, clock, colour, width};
  const int code = run_cli(words, console);
  std::fclose(stream);
  const std::string output(text, size);
  std::free(text);
  return {golden::split_output(output), code};
}

}  // namespace

Reads::Reads() {
  const std::string path = folder_.file("cronce.db");
  auto store =
      SqliteStore::open_file({.path = path}, std::make_unique<embedded::OwnClock>(clock_), rng_);
  store_ = *std::move(store);
  story_.emplace(*store_, clock_, read_text(kRoot / "test/reads/jobs.yaml"));
  story_->play();
  setenv("CRONCE_STORE", ("sqlite:" + path).c_str(), 1);
  setenv("CRONCE_WHO", "anna@web-1", 1);
}

int Reads::exit_code_of(const std::string& command) const {
  return run_line(command, clock_).exit_code;
}

golden::Outcome run_line(const std::string& command, const Clock& clock) {
  auto words = words_of(command);
  std::size_t width = 0;
  const std::string columns = "COLUMNS=";
  if (!words.empty() && words.front().starts_with(columns)) {
    width = std::stoul(words.front().substr(columns.size()));
    words.erase(words.begin());
  }
  if (words.empty() || words.front() != "cronce") return {{"only cronce can be run here"}, -1};
  words.erase(words.begin());
  return run(words, clock, width > 0, width);
}

void Reads::expect(const std::string& command, const std::string& text) const {
  std::string output;
  for (const std::string& line : run_line(command, clock_).lines) output += line + "\n";
  EXPECT_NE(output.find(text), std::string::npos) << command << "\n" << output;
}

void check_file(const std::string& path, bool is_page, const Clock& clock) {
  const std::string text = read_text(kRoot / path);
  auto transcript = is_page ? golden::parse_page(path, text) : golden::parse_transcript(path, text);
  for (const std::string& mistake : transcript.mistakes) ADD_FAILURE() << mistake;
  const bool update = std::getenv("CRONCE_UPDATE") != nullptr;
  for (auto& part : transcript.parts) {
    auto* block = std::get_if<golden::Block>(&part);
    if (block == nullptr || golden::use_of(block->command) == golden::Use::show) continue;
    const golden::Outcome outcome = run_line(block->command, clock);
    const std::string found = golden::difference(*block, outcome);
    if (found.empty()) continue;
    if (update) block->expected = outcome;
    if (!update) ADD_FAILURE() << found;
  }
  const std::string after = print(transcript);
  if (update && after != text) std::ofstream(kRoot / path, std::ios::binary) << after;
}

std::vector<std::string> transcripts_in(const std::string& folder) {
  const fs::path root = CRONCE_SOURCE_DIR;  // it may be asked for before kRoot is made
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(root / folder)) {
    paths.push_back(entry.path().lexically_relative(root).string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace cronce
