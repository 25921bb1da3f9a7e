#include "keeper/user.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "base/quote.h"

namespace cronce {
namespace {

using Ask = std::function<int(passwd*, char*, std::size_t, passwd**)>;

std::vector<std::uint32_t> groups_of(const passwd& entry) {
  std::vector<std::uint32_t> groups(16);
  for (;;) {
    int count = static_cast<int>(groups.size());
    const int found = getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count);
    groups.resize(static_cast<std::size_t>(count));
    if (found >= 0) return groups;
  }
}

User user_of(const passwd& entry) {
  return {entry.pw_name,    entry.pw_uid, entry.pw_gid,
          groups_of(entry), entry.pw_dir, *entry.pw_shell != '\0' ? entry.pw_shell : "/bin/sh"};
}

Result<User> look_up(const Ask& ask, const std::string& name) {
  std::vector<char> room(1024);
  for (;;) {
    passwd entry{};
    passwd* found = nullptr;
    const int failed = ask(&entry, room.data(), room.size(), &found);
    if (failed == ERANGE) {
      room.resize(room.size() * 2);
      continue;
    }
    if (found != nullptr) return user_of(*found);
    if (failed == 0 || failed == ENOENT || failed == ESRCH) {
      return Error{Code::not_found, fmt::format("no such user: {}", quote(name))};
    }
    return Error{Code::unavailable,
                 fmt::format("cannot look up user {}: {}", quote(name), std::strerror(failed))};
  }
}

}  // namespace

Result<User> find_user(const std::string& name) {
  return look_up([&](passwd* entry, char* room, std::size_t size,
                     passwd** found) { return getpwnam_r(name.c_str(), entry, room, size, found); },
                 name);
}

User own_user() {
  const std::string uid = fmt::format("{}", geteuid());
  auto user =
      look_up([](passwd* entry, char* room, std::size_t size,
                 passwd** found) { return getpwuid_r(geteuid(), entry, room, size, found); },
              uid);
  return user ? *user : User{uid, geteuid(), getegid(), {getegid()}, "/", "/bin/sh"};
}

}  // namespace cronce
