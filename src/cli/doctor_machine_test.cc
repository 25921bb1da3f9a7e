// The machine on which all is right.
#include <linux/capability.h>

#include "cli/doctor_test.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBoot = 100h;

Node a_node(const std::string& name) {
  Node node;
  node.name = name;
  node.version = "0.1.0";
  node.zone_data = "2026a";
  node.clock_reading = kExamined.time_since_epoch() - kBoot;
  node.wall = kExamined - 2s;
  node.digests = {{"jobs.yaml", "d1"}};
  return node;
}

JobRow a_job(const std::string& name, std::uint64_t uid) {
  JobRow row{JobUid{uid}, Job{.name = parse_job_name(name).value()}};
  row.sources = std::map<std::string, std::string>{{"jobs.yaml", "d1"}};
  row.plan.cursor = kExamined - 1h;
  row.plan.next = kExamined + 1h;
  return row;
}

DiskFacts a_disk() {
  DiskFacts disk;
  disk.type = "ext4";
  disk.free_bytes = std::uint64_t{50} << 30;
  disk.free_files = 1'000'000;
  disk.sync = DiskFacts::Sync::done;
  disk.sync_took = 2ms;
  return disk;
}

HostFacts a_host() {
  HostFacts host;
  host.user = "root";
  host.root = true;
  host.capabilities = {CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SYS_RESOURCE};
  host.wall = kExamined;
  host.boot = kBoot;
  host.clock_known = host.synchronised = true;
  host.clock_error = 3ms;
  host.zone_data = "2026a";
  host.zone_folder = "/usr/share/zoneinfo";
  host.open_files = 65'536;
  host.processes = 32'768;
  host.hard_processes = 32'768;
  host.cgroups = true;
  host.users = {{"app", true}};
  host.store_file = {"/srv/cronce.db", true, 0600, "root", true, true, true};
  host.store_folder = {"/srv", true, 0755, "root", true, true, true};
  host.state_folder = {"/var/lib/cronce-node", true, 0700, "root", true, true, true};
  host.store_disk = host.state_disk = a_disk();
  return host;
}

}  // namespace

void redefine(DoctorFacts& facts, const std::function<void(Job&)>& change) {
  Job job = *facts.store.jobs.front().definition;
  change(job);
  facts.store.jobs.front().definition = std::move(job);
}

DoctorFacts healthy_machine() {
  DoctorFacts facts;
  facts.places = {"sqlite:/srv/cronce.db", "/var/lib/cronce-node"};
  facts.store.grade = "full";
  facts.store.library = "SQLite 3.40.1";
  facts.store.schema = facts.store.our_schema = 1;
  facts.store.epoch = Epoch{1};
  facts.store.now = kExamined;
  facts.store.boot = kBoot;
  facts.store.nodes = {a_node("a"), a_node("b"), a_node("c")};
  facts.store.jobs = {a_job("billing", 1), a_job("report", 2)};
  facts.host = a_host();
  return facts;
}

void set_trouble(DoctorFacts& facts, StoreTrouble trouble) {
  facts.store = {};
  facts.store.trouble = trouble;
  facts.store.message = "the trouble";
}

}  // namespace cronce
