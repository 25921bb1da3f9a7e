// A folder for a private server of a test: its files, its sockets, and the programs that run there.
//
// Servers refuse to run as root: there they run as the user postgres. A guardian outside of the
// test waits for its end, whatever that is, then ends the servers whose pid files lie in the folder
// and removes it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace cronce::test {

class ServerFolder {
 public:
  /// On a disk, or in memory if there is room.
  explicit ServerFolder(bool on_disk);
  /// Waits until all is gone.
  ~ServerFolder();
  ServerFolder(const ServerFolder&) = delete;
  ServerFolder& operator=(const ServerFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  /// The first line of a pid file; 0 without one.
  pid_t read_pid(const std::string& name) const;

  /// A command of the shell as the server's user, in this folder and without our environment. False
  /// if it fails: then its words are on stderr.
  bool run(const std::string& line) const;

 private:
  std::string path_;
  int alive_ = -1;  // open as long as we live
  int gone_ = -1;   // ends with the guardian
};

/// One that nobody has, and that the kernel gives to nobody who does not ask for it.
int free_port();

bool is_listening(int port);

/// Not for a zombie.
bool is_alive(pid_t process);

/// Looks again and again, for a minute.
bool comes_true(const std::function<bool()>& condition);

}  // namespace cronce::test
