#include "base/host.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

namespace cronce {
namespace {

/// $TZ for the length of a test.
class ZoneVariable {
 public:
  ZoneVariable() {
    if (const char* tz = std::getenv("TZ")) before_ = tz;
  }
  ~ZoneVariable() { before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ"); }
  ZoneVariable(const ZoneVariable&) = delete;
  ZoneVariable& operator=(const ZoneVariable&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(HostName, is_never_empty) { EXPECT_FALSE(host_name().empty()); }

TEST(HostZone, is_what_the_environment_names) {
  const ZoneVariable restored;
  struct Case {
    const char* tz;
    std::string_view zone;
  };
  for (const auto& [tz, zone] : {
           Case{"Europe/Berlin", "Europe/Berlin"},
           Case{":Europe/Berlin", "Europe/Berlin"},
           Case{"/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"},
           Case{":/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"},
           // What the C library makes of an empty name.
           Case{"", "UTC"},
           Case{":", "UTC"},
       }) {
    setenv("TZ", tz, 1);
    EXPECT_EQ(host_zone(), zone) << tz;
  }
}

TEST(HostZone, is_that_of_the_system_where_the_environment_names_none) {
  const ZoneVariable restored;
  unsetenv("TZ");
  const std::string of_the_system = host_zone();
  EXPECT_FALSE(of_the_system.empty());
  // Programs set this to save the C library a look at the file for every line that they log.
  setenv("TZ", ":/etc/localtime", 1);
  EXPECT_EQ(host_zone(), of_the_system);
}

TEST(HostZone, is_read_from_the_files_that_hosts_have) {
  const ZoneVariable restored;
  unsetenv("TZ");
  const std::filesystem::path etc = testing::TempDir() + "host_zone_etc";
  const auto fresh = [&] {
    std::filesystem::remove_all(etc);
    std::filesystem::create_directory(etc);
  };
  fresh();
  EXPECT_EQ(host_zone(etc), "UTC") << "a machine without a zone";
  std::filesystem::create_symlink("../usr/share/zoneinfo/Asia/Tokyo", etc / "localtime");
  EXPECT_EQ(host_zone(etc), "Asia/Tokyo");
  fresh();
  std::ofstream(etc / "localtime") << "TZif2";
  EXPECT_EQ(host_zone(etc), "") << "a copied zone file has no name, and UTC would be a guess";
  std::ofstream(etc / "timezone") << "Europe/Berlin\n";
  EXPECT_EQ(host_zone(etc), "Europe/Berlin");
  std::filesystem::remove_all(etc);
}

}  // namespace
}  // namespace cronce
