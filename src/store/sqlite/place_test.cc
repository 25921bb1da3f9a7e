#include "store/sqlite/place.h"

#include <gtest/gtest.h>

namespace cronce::sqlite {
namespace {

std::string refusal(std::uint64_t magic, std::string_view type = "") {
  const auto judged = judge_file_system(magic, type);
  return judged ? "accepted" : judged.error().message;
}

TEST(FileSystem, that_is_shared_or_served_is_refused_by_its_name) {
  struct Row {
    std::uint64_t magic;
    const char* name;
  };
  for (const Row& row :
       {Row{0x6969, "NFS"}, Row{0x517B, "SMB"}, Row{0xFE534D42, "SMB"}, Row{0xFF534D42, "CIFS"},
        Row{0x01021997, "9p"}, Row{0x00C36400, "Ceph"}, Row{0x0BD00BD0, "Lustre"}}) {
    EXPECT_EQ(refusal(row.magic),
              "an SQLite store cannot lie on " + std::string(row.name) +
                  ": locks and syncs there are not to be relied on; use a local "
                  "disk, or another kind of store");
  }
}

TEST(FileSystem, of_a_program_is_refused_and_of_a_disk_is_not) {
  constexpr std::uint64_t kFuse = 0x65735546;
  EXPECT_NE(refusal(kFuse, "fuse.sshfs").find("cannot lie on fuse.sshfs"), std::string::npos);
  EXPECT_NE(refusal(kFuse, "fuse.glusterfs").find("fuse.glusterfs"), std::string::npos);
  EXPECT_NE(refusal(kFuse, "").find("FUSE"), std::string::npos);
  EXPECT_EQ(refusal(kFuse, "fuseblk"), "accepted");
}

TEST(FileSystem, of_a_local_disk_is_accepted_and_a_containers_layer_with_a_remark) {
  for (const std::uint64_t magic : {0xEF53UL, 0x58465342UL, 0x9123683EUL, 0x01021994UL}) {
    EXPECT_EQ(judge_file_system(magic, "").value(), std::nullopt);
  }
  EXPECT_EQ(judge_file_system(0x794C7630, "").value(),
            "the store lies in a container's own layer and vanishes with it; use a volume");
}

TEST(FileSystem, of_this_machine_is_found) {
  EXPECT_TRUE(judge_folder_of("/etc/passwd"));
  EXPECT_EQ(judge_folder_of("/no/such/folder/x").error().message,
            "/no/such/folder: No such file or directory");
}

TEST(Place, tells_a_copy_from_a_moved_volume_and_from_a_new_host_name) {
  const Place stored{1, 2, 3, "m"};
  EXPECT_EQ(compare(stored, {1, 2, 3, "m"}), Moved::no);
  EXPECT_EQ(compare(stored, {1, 2, 3, "n"}), Moved::machine);
  EXPECT_EQ(compare(stored, {9, 2, 3, "n"}), Moved::device);
  EXPECT_EQ(compare(stored, {1, 9, 3, "m"}), Moved::copy);
  EXPECT_EQ(compare(stored, {1, 2, 9, "m"}), Moved::copy);
}

}  // namespace
}  // namespace cronce::sqlite
