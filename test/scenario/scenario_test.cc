// Runs every scenario of this folder and compares its trace with the one that is written there. The
// judge must agree with all of them, and object to each of those in naive/.
//
// CRONCE_UPDATE=1, or --update, writes the traces into the files: read the change before you
// believe it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include <gtest/gtest.h>

#include "test/scenario/commands.h"
#include "test/scenario/script.h"
#include "test/scenario/world.h"

namespace cronce::scenario {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = CRONCE_SOURCE_DIR;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool g_update = std::getenv("CRONCE_UPDATE") != nullptr;

class ScenarioFile : public testing::Test {
 public:
  ScenarioFile(fs::path path, bool is_naive) : path_(std::move(path)), is_naive_(is_naive) {}

  void TestBody() override {
    const std::string text = read_text(path_);
    Script script = parse_script(text);
    EXPECT_TRUE(text.starts_with("# ")) << "the first line is a title";
    for (const std::string& mistake : script.mistakes) ADD_FAILURE() << place(mistake);
    World world;
    for (Block& block : script.blocks) check(world, block);
    for (const std::string& mistake : world.mistakes()) ADD_FAILURE() << place(mistake);
    EXPECT_EQ(is_naive_, !world.stage.judge.objections().empty()) << "the judge";
    EXPECT_EQ(is_naive_, world.store.naive != Naive::none);
    if (g_update && print_script(script) != text)
      std::ofstream(path_, std::ios::binary) << print_script(script);
  }

 private:
  std::string place(const std::string& what) const {
    return path_.filename().string() + ":" + what;
  }

  void check(World& world, Block& block) const {
    const auto said = world.run(block);
    const std::string found = difference(block, said);
    if (g_update) {
      block.expected = said;
    } else if (!found.empty()) {
      ADD_FAILURE() << place(std::to_string(block.commands.empty() ? 0 : block.commands[0].line))
                    << ": " << found;
    }
  }

  fs::path path_;
  bool is_naive_;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt")
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void register_files(const char* suite, const fs::path& folder, bool is_naive) {
  for (const fs::path& path : files_in(folder)) {
    testing::RegisterTest(suite, path.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [=]() -> testing::Test* { return new ScenarioFile(path, is_naive); });
  }
}

TEST(Scenarios, ThePageNamesEveryCommand) {
  const std::string page = read_text(kRoot / "docs/scenarios.md");
  for (const std::string& word : command_words()) {
    EXPECT_NE(page.find("| `" + word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace cronce::scenario

int main(int argc, char** argv) {
  using namespace cronce::scenario;
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "--update") g_update = true;
  register_files("Scenario", kRoot / "test/scenario", false);
  register_files("Naive", kRoot / "test/scenario/naive", true);
  return RUN_ALL_TESTS();
}
