#include "node/story.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"
#include "engine/engine_test.h"
#include "keeper/descriptor.h"

namespace cronce {
namespace {

class StoryTest : public EngineTest {
 public:
  /// The answer of a beat that has these rows, as the loop handles it.
  void hear(const JobRow& row) {
    BeatAnswered event;
    event.answer.changed = {row};
    story.tell(event, now);
  }

  std::size_t lines_with(const std::string& text) const {
    std::array<char, 10'000> room{};
    const ssize_t size = pread(file.get(), room.data(), room.size(), 0);
    const std::string said(room.data(), static_cast<std::size_t>(size));
    std::size_t count = 0;
    for (std::size_t at = said.find(text); at != std::string::npos; at = said.find(text, at + 1)) {
      ++count;
    }
    return count;
  }

  Descriptor file{memfd_create("log", MFD_CLOEXEC)};
  Log log{file.get(), system_clock(), LogFormat::text, LogLevel::info};
  Story story{log, *engine, std::chrono::seconds{30}};
};

TEST_F(StoryTest, says_once_that_this_machines_clock_is_wrong_and_when_it_is_right_again) {
  const auto beat_with = [&](Duration off) {
    now.wall = now.cluster + off;
    story.tell(BeatAnswered{}, now);
  };
  beat_with(std::chrono::seconds{30});
  EXPECT_EQ(lines_with("clock is wrong"), 0U);
  beat_with(-std::chrono::hours{1});
  beat_with(std::chrono::hours{1});
  EXPECT_EQ(lines_with("clock is wrong"), 1U);
  beat_with(Duration{0});
  EXPECT_EQ(lines_with("clock is right again"), 1U);
}

TEST_F(StoryTest, says_once_of_each_revision_that_a_definition_is_not_that_of_the_file) {
  const std::string words = "is not that of this node's file";
  const JobRow ours = hourly(JobUid{1});
  tell(file_of({ours}));
  hear(ours);
  EXPECT_EQ(lines_with(words), 0U);
  JobRow theirs = with(ours, [](Job& j) { j.command = ArgvCommand{{"rm", "-rf"}}; });
  hear(theirs);
  hear(theirs);
  EXPECT_EQ(lines_with(words), 1U);
  EXPECT_EQ(lines_with("job=billing"), 1U);
  ++theirs.revision;
  hear(theirs);
  EXPECT_EQ(lines_with(words), 2U);
  hear(with(ours, [](Job& j) { j.name = parse_job_name("unknown").value(); }));
  EXPECT_EQ(lines_with("job=unknown"), 1U) << "the file has no such job";
  JobRow newer = theirs;
  newer.sources.edit()["jobs"] = "d2";
  ++newer.revision;
  hear(newer);
  EXPECT_EQ(lines_with(words), 3U) << "of another file, which other nodes have";
}

}  // namespace
}  // namespace cronce
