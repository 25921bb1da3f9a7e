// Http actions by TLS, against the server of openssl with a certificate that was made for the test.
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/text.h"
#include "test/node/world.h"

namespace cronce::test {
namespace {

/// With its key in the same file.
void make_certificate(const World& world, const std::string& name) {
  const std::string line = fmt::format(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN={0} -addext subjectAltName=IP:127.0.0.1 -keyout {1}.key -out {1} 2>{1}.log && "
      "cat {1}.key >> {1}",
      name, world.path(name));
  EXPECT_EQ(std::system(line.c_str()), 0);
}

class TlsServer {
 public:
  explicit TlsServer(const World& world) : out_(world.path("tls.log")) {
    make_certificate(world, "certificate");
    make_certificate(world, "other");
    // `exec`, so that the process is the server itself.
    const std::string line = fmt::format(
        "exec openssl s_server -www -accept 127.0.0.1:0 -cert {0} -key {0} </dev/null >{1} 2>&1",
        world.path("certificate"), out_);
    pid_ = fork();
    if (pid_ == 0) {
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    EXPECT_TRUE(wait_until([&] { return !port().empty(); }));
  }
  ~TlsServer() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::string url() const { return fmt::format("https://127.0.0.1:{}/", port()); }

 private:
  /// From the line `ACCEPT 127.0.0.1:1234`, once it is whole.
  std::string port() const {
    constexpr std::string_view kBefore = "ACCEPT 127.0.0.1:";
    std::ostringstream text;
    text << std::ifstream(out_).rdbuf();
    const std::string log = text.str();
    const std::size_t at = log.find(kBefore);
    if (at == std::string::npos || log.find('\n', at) == std::string::npos) return "";
    const std::size_t begin = at + kBefore.size();
    return log.substr(begin, log.find('\n', at) - begin);
  }

  std::string out_;
  pid_t pid_ = 0;
};

/// How the job ends that calls this server, with these keys.
Run end_of_call(const World& world, const std::string& job) {
  std::vector<Run> found;
  wait_until([&] {
    for (const Run& run : world.runs()) {
      if (run.finished_at && run.key.find(job) != std::string::npos) found.push_back(run);
    }
    return !found.empty();
  });
  EXPECT_FALSE(found.empty()) << job;
  return found.empty() ? Run{} : found.front();
}

TEST(NodeHttp, trusts_only_certificates_that_the_machine_or_the_job_names) {
  World world;
  const TlsServer server(world);
  world.write("jobs.yaml",
              fmt::format("jobs:\n"
                          "  unknown:\n"
                          "    schedule: \"* * * * * *\"\n"
                          "    between: {{max_runs: 1}}\n"
                          "    http: {{method: GET, url: \"{0}\"}}\n"
                          "    env: {{SSL_CERT_FILE: {2}}}\n"
                          "  named:\n"
                          "    schedule: \"* * * * * *\"\n"
                          "    between: {{max_runs: 1}}\n"
                          "    http: {{method: GET, url: \"{0}\"}}\n"
                          "    env: {{SSL_CERT_FILE: {1}}}\n",
                          server.url(), world.path("certificate"), world.path("other")));
  world.start("a", {world.path("jobs.yaml")}, {{"no_proxy", "*"}});
  const auto unknown = end_of_call(world, "unknown");
  EXPECT_EQ(unknown.reason, Reason::http);
  EXPECT_EQ(last_line(unknown.output_tail),
            "cronce: not sent: SSL certificate problem: self-signed certificate");
  const auto named = end_of_call(world, "named");
  EXPECT_EQ(named.state, RunState::succeeded) << named.output_tail;
}

}  // namespace
}  // namespace cronce::test
