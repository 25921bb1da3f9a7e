#include "keeper/cgroup.h"

#include <gtest/gtest.h>

namespace cronce {
namespace {

TEST(OwnCgroup, is_found_in_unified_hybrid_and_container_mounts) {
  struct Case {
    std::string_view what, mountinfo, cgroup, found;
  };
  for (const Case& row : {
           Case{"unified", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
                "0::/system.slice/cronce.service\n", "/sys/fs/cgroup/system.slice/cronce.service"},
           Case{"hybrid",
                "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
                "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
                "8:pids:/x\n0::/\n", "/sys/fs/cgroup/unified"},
           Case{"container with a name space of its own",
                "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/\n", "/sys/fs/cgroup"},
           Case{"container without",
                "30 23 0:26 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup rw\n",
                "0::/docker/ab/c\n", "/sys/fs/cgroup/c"},
           Case{"the mount is of another group",
                "30 23 0:26 /docker/a /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "0::/docker/ab\n",
                ""},
           Case{"a blank in the name", "30 23 0:26 / /mnt/c\\040g rw - cgroup2 none rw\n",
                "0::/a\n", "/mnt/c g/a"},
           Case{"version 1 only", "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw\n",
                "8:pids:/x\n", ""},
           Case{"no words", "\n-\n", "0::/a\n", ""},
           Case{"nothing", "", "", ""},
       }) {
    EXPECT_EQ(own_cgroup(row.mountinfo, row.cgroup).value_or(""), row.found) << row.what;
  }
}

}  // namespace
}  // namespace cronce
