// What can be wrong with it, one at a time.
#include <linux/capability.h>

#include "cli/doctor_test.h"

namespace cronce {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = kExamined;

void set_zone_data(DoctorFacts& facts, const std::string& version) {
  facts.host.zone_data = version;
  for (Node& node : facts.store.nodes) node.zone_data = version;
}

std::function<void(DoctorFacts&)> with_trouble(StoreTrouble trouble) {
  return [trouble](DoctorFacts& facts) { set_trouble(facts, trouble); };
}

/// The store is in a server on which all is right but this.
std::function<void(DoctorFacts&)> on_server(std::function<void(ServerFacts&)> fall_ill) {
  return [fall_ill = std::move(fall_ill)](DoctorFacts& facts) {
    ServerFacts server;
    server.version = "15.14";
    server.user = "app";
    server.database = "jobs";
    server.encoding = "UTF8";
    server.synchronous_commit = "on";
    server.connections = 4;
    server.most_connections = 97;
    server.has_schema = server.may_write = true;
    fall_ill(server);
    facts.store.server = server;
  };
}

using enum Gravity;

const std::vector<Ill>& store_ills() {
  static const std::vector<Ill> ills{
      {"store", error, "the trouble", "cronce run --store sqlite:/srv/cronce.db FILE",
       with_trouble(StoreTrouble::missing)},
      {"store", error, "the trouble", "mkdir -p /srv && cronce run --store",
       [](DoctorFacts& facts) {
         set_trouble(facts, StoreTrouble::missing);
         facts.host.store_folder.there = false;
       }},
      {"store", error, "the trouble", "fuser -v /srv/cronce.db-lock",
       with_trouble(StoreTrouble::busy)},
      {"store", warning, "the trouble", "cronce jobs", with_trouble(StoreTrouble::unfinished)},
      {"store", error, "the trouble", "sudo cronce doctor", with_trouble(StoreTrouble::unreadable)},
      {"store", error, "the trouble", "--store", with_trouble(StoreTrouble::foreign)},
      {"store", error, "the trouble", "cronce adopt", with_trouble(StoreTrouble::damaged)},
      {"identity", error, "the trouble", "cronce adopt --store sqlite:/srv/cronce.db",
       with_trouble(StoreTrouble::copy)},
      {"identity", error, "the trouble", "--store-moves", with_trouble(StoreTrouble::device)},
      {"schema", error, "the trouble", "cronce version", with_trouble(StoreTrouble::newer)},
      {"schema", note, "schema 1, and this program knows 2", "cronce run",
       [](DoctorFacts& facts) {
         facts.store = {};
         facts.store.schema = 1;
         facts.store.our_schema = 2;
       }},
      {"schema", error, "schema 1, and this program knows 2",
       "as its owner: cronce store sql --grant app | psql jobs",
       [](DoctorFacts& facts) {
         facts.store = {};
         facts.store.schema = 1;
         facts.store.our_schema = 2;
         facts.store.now = kNow;
         facts.store.boot = facts.host.boot;
         on_server([](ServerFacts& server) { server.may_change = false; })(facts);
       }},
      {"epoch", warning, "epoch 1 is closed", "cronce nodes",
       [](DoctorFacts& facts) { facts.store.closed = true; }},
      {"library", warning, "SQLite 3.40.1 is older", "apt-get",
       [](DoctorFacts& facts) { facts.store.library_is_older = true; }},
      {"journal", warning, "somebody turned on",
       "sqlite3 /srv/cronce.db 'PRAGMA journal_mode = PERSIST'",
       with_trouble(StoreTrouble::journal)},
  };
  return ills;
}

const std::vector<Ill>& server_ills() {
  static const std::vector<Ill> ills{
      {"store", error, "the trouble", "psql 'sqlite:/srv/cronce.db'",
       with_trouble(StoreTrouble::away)},
      {"store", error, "the trouble", "psql", with_trouble(StoreTrouble::refused)},
      {"store", error, "the trouble", "cronce store sql --grant app | psql jobs",
       [](DoctorFacts& facts) {
         set_trouble(facts, StoreTrouble::refused);
         on_server([](ServerFacts& server) { server.may_write = false; })(facts);
         facts.store.now = kNow;
         facts.store.boot = facts.host.boot;
       }},
      {"server", warning, "database jobs has the encoding LATIN1", "createdb -E UTF8",
       on_server([](ServerFacts& server) { server.encoding = "LATIN1"; })},
      {"durability", error, "fsync is off", "fsync = on",
       on_server([](ServerFacts& server) { server.fsync = false; })},
      {"durability", error, "full_page_writes is off", "full_page_writes = on",
       on_server([](ServerFacts& server) { server.full_page_writes = false; })},
      {"durability", note, "synchronous_commit is off", "synchronous_commit = on",
       on_server([](ServerFacts& server) { server.synchronous_commit = "off"; })},
      {"standbys", note, "2 standbys follow", "synchronous_standby_names",
       on_server([](ServerFacts& server) { server.standbys = 2; })},
      {"standbys", warning, "synchronous_commit is local", "synchronous_commit = on",
       on_server([](ServerFacts& server) {
         server.synchronous_standbys = true;
         server.synchronous_commit = "local";
       })},
      {"connections", warning, "93 of 97 connections", "max_connections",
       on_server([](ServerFacts& server) { server.connections = 93; })},
      {"wall_clock", warning, "the wall clock is 40s ahead of the store's time", "chronyc",
       [](DoctorFacts& facts) {
         on_server([](ServerFacts&) {})(facts);
         facts.host.wall += 40s;
       }},
      {"node_clocks", warning, "node b is 50s ahead of", "chronyc",
       [](DoctorFacts& facts) {
         on_server([](ServerFacts&) {})(facts);
         facts.store.nodes[1].clock_reading += 50s;
         facts.store.nodes[1].wall = kNow + 48s;
       }},
  };
  return ills;
}

const std::vector<Ill>& disk_ills() {
  static const std::vector<Ill> ills{
      {"store_disk", error, "lies on nfs4", "--store sqlite:PATH",
       [](DoctorFacts& facts) {
         set_trouble(facts, StoreTrouble::network);
         facts.host.store_disk.network = true;
         facts.host.store_disk.type = "nfs4";
       }},
      {"store_disk", error, "read-only", "mount -o remount,rw /srv",
       [](DoctorFacts& facts) { facts.host.store_disk.read_only = true; }},
      {"store_disk", note, "container's own layer", "docker run -v",
       [](DoctorFacts& facts) { facts.host.store_disk.type = "overlay"; }},
      {"store_disk", note, "in memory (tmpfs)", "--store sqlite:PATH",
       [](DoctorFacts& facts) { facts.host.store_disk.type = "tmpfs"; }},
      {"state_disk", warning, "lies on cifs", "--state FOLDER",
       [](DoctorFacts& facts) {
         facts.host.state_disk.network = true;
         facts.host.state_disk.type = "cifs";
       }},
      {"state_disk", error, "read-only", "mount -o remount,rw /var/lib/cronce-node",
       [](DoctorFacts& facts) { facts.host.state_disk.read_only = true; }},
      {"state_disk", note, "in memory (tmpfs)", "--state FOLDER",
       [](DoctorFacts& facts) { facts.host.state_disk.type = "tmpfs"; }},
      {"space", error, "10 MiB left for the store folder", "df -h /srv",
       [](DoctorFacts& facts) { facts.host.store_disk.free_bytes = 10 << 20; }},
      {"space", warning, "100 MiB left for the state folder", "df -h /var/lib/cronce-node",
       [](DoctorFacts& facts) { facts.host.state_disk.free_bytes = 100 << 20; }},
      {"space", warning, "7 more files", "df -i /srv",
       [](DoctorFacts& facts) { facts.host.store_disk.free_files = 7; }},
      {"sync", error, "does nothing: the mount option 'volatile'", "another folder",
       [](DoctorFacts& facts) { facts.host.store_disk.no_sync = "the mount option 'volatile'"; }},
      {"sync", error, "no write can be synced", "dmesg",
       [](DoctorFacts& facts) {
         facts.host.state_disk.sync = DiskFacts::Sync::failed;
         facts.host.state_disk.sync_error = "Input/output error";
       }},
      {"sync", error, "takes longer than 5s", "iostat",
       [](DoctorFacts& facts) { facts.host.store_disk.sync = DiskFacts::Sync::hangs; }},
      {"sync", note, "took 340ms", "faster disk",
       [](DoctorFacts& facts) { facts.host.store_disk.sync_took = 340ms; }},
  };
  return ills;
}

const std::vector<Ill>& permission_ills() {
  static const std::vector<Ill> ills{
      {"store_file", error, "/srv/cronce.db of app cannot be written by root",
       "sudo -u app cronce doctor",
       [](DoctorFacts& facts) {
         facts.host.store_file.writable = facts.host.store_file.own = false;
         facts.host.store_file.owner = "app";
       }},
      {"store_file", error, "cannot be written", "chmod u+w /srv/cronce.db",
       [](DoctorFacts& facts) { facts.host.store_file.writable = false; }},
      {"store_file", note, "the store belongs to app, and this is root",
       "sudo -u app cronce doctor",
       [](DoctorFacts& facts) {
         facts.host.store_file.own = false;
         facts.host.store_file.owner = "app";
       }},
      {"store_file", error, "nothing can be made in /srv", "chown root /srv",
       [](DoctorFacts& facts) { facts.host.store_folder.writable = false; }},
      {"store_file", error, "everybody may write /srv/cronce.db", "chmod o-w /srv/cronce.db",
       [](DoctorFacts& facts) { facts.host.store_file.mode = 0602; }},
      {"store_file", error, "everybody may put another file in /srv", "chmod o-w /srv",
       [](DoctorFacts& facts) { facts.host.store_folder.mode = 0777; }},
      {"store_file", note, "may read /srv/cronce.db", "chmod o-r /srv/cronce.db",
       [](DoctorFacts& facts) { facts.host.store_file.mode = 0644; }},
      {"state_folder", error, "root cannot make the state folder", "install -d -m 700 -o root",
       [](DoctorFacts& facts) {
         facts.host.state_folder.there = facts.host.state_folder.writable = false;
       }},
      {"state_folder", error, "cannot be written by root", "chown -R root",
       [](DoctorFacts& facts) { facts.host.state_folder.writable = false; }},
      {"state_folder", warning, "(0755)", "chmod 700 /var/lib/cronce-node",
       [](DoctorFacts& facts) { facts.host.state_folder.mode = 0755; }},
  };
  return ills;
}

const std::vector<Ill>& time_ills() {
  static const std::vector<Ill> ills{
      {"synchronised", note, "does not call this clock synchronised", "timedatectl set-ntp true",
       [](DoctorFacts& facts) { facts.host.synchronised = false; }},
      {"synchronised", note, "off by 4.0s", "chronyc tracking",
       [](DoctorFacts& facts) { facts.host.clock_error = 4s; }},
      {"wall_clock", error, "shows 1970-01-01T00:01:00Z", "timedatectl",
       [](DoctorFacts& facts) {
         set_trouble(facts, StoreTrouble::none);
         facts.host.wall = Time{1min};
       }},
      {"wall_clock", warning, "1m ahead of the store's time", "chronyc makestep",
       [](DoctorFacts& facts) { facts.host.wall = kNow + 1min; }},
      {"wall_clock", warning, "time namespace", "outside",
       [](DoctorFacts& facts) { facts.host.boot_shift = 1h; }},
      {"node_clocks", error, "none has a majority", "chronyc makestep",
       [](DoctorFacts& facts) { facts.store.disputed = true; }},
      {"node_clocks", warning, "node b is 10s behind the store's time", "chronyc makestep",
       [](DoctorFacts& facts) {
         facts.store.nodes[1].clock_reading -= 10s;
         facts.store.nodes[1].wall = kNow - 12s;
       }},
      {"node_clocks", warning, "node c doubts", "chronyc makestep",
       [](DoctorFacts& facts) { facts.store.nodes[2].course = kNow; }},
      {"zone_data", error, "no zone data in /usr/share/zoneinfo", "apt-get install tzdata",
       [](DoctorFacts& facts) { facts.host.zones_there = false; }},
      {"zone_data", note, "without a version", "apt-get install tzdata",
       [](DoctorFacts& facts) { set_zone_data(facts, "unknown"); }},
      {"zone_data", note, "zone data 2023c in /usr/share/zoneinfo", "apt-get install tzdata",
       [](DoctorFacts& facts) { set_zone_data(facts, "2023c"); }},
      {"node_zone_data", warning, "2025b on b, 2026a on a, c", "start the older ones again",
       [](DoctorFacts& facts) { facts.store.nodes[1].zone_data = "2025b"; }},
      {"node_zone_data", note, "nodes have zone data 2026a, this host has 2026f", "start the nodes",
       [](DoctorFacts& facts) { facts.host.zone_data = "2026f"; }},
      {"job_zones", warning, "Mars/Olympus", "tzdata",
       [](DoctorFacts& facts) { facts.host.unknown_zones = {"Mars/Olympus"}; }},
  };
  return ills;
}

const std::vector<Ill>& keeper_ills() {
  static const std::vector<Ill> ills{
      {"open_files", warning, "256 open files, about 64 runs at once", "LimitNOFILE",
       [](DoctorFacts& facts) { facts.host.open_files = 256; }},
      {"open_files", note, "1024 open files, about 320 runs at once", "LimitNOFILE",
       [](DoctorFacts& facts) { facts.host.open_files = 1'024; }},
      {"open_files", warning, "about 1312 runs at once", "LimitNOFILE",
       [](DoctorFacts& facts) {
         facts.host.open_files = 4'000;
         facts.store.nodes[0].max_running = 2'000;
       }},
      {"processes", warning, "100 processes, about 34 runs at once", "TasksMax",
       [](DoctorFacts& facts) { facts.host.processes = 100; }},
      {"job_limits", note, "root without CAP_SYS_RESOURCE", "--cap-add SYS_RESOURCE",
       [](DoctorFacts& facts) { facts.host.capabilities.erase(CAP_SYS_RESOURCE); }},
      {"job_limits", warning, "1 job asks for more than the hard limits: billing", "`limits`",
       [](DoctorFacts& facts) {
         facts.host.capabilities.erase(CAP_SYS_RESOURCE);
         redefine(facts, [](Job& job) { job.limits = Limits{.nofile = 100'000}; });
       }},
      {"cgroups", note, "sub-keepers: none are mounted", "Delegate=yes",
       [](DoctorFacts& facts) {
         facts.host.cgroups = false;
         facts.host.no_cgroups = "none are mounted";
       }},
      {"users", error, "not known here: ghost", "useradd --system ghost",
       [](DoctorFacts& facts) { facts.host.users["ghost"] = false; }},
      {"users", error, "alice cannot run commands as app", "CAP_SETUID",
       [](DoctorFacts& facts) {
         facts.host.user = "alice";
         facts.host.root = false;
         facts.host.capabilities.clear();
       }},
      {"http", error, "the calls of billing cannot be made here: libcurl cannot be loaded",
       "libcurl4",
       [](DoctorFacts& facts) {
         redefine(facts, [](Job& job) { job.command = HttpCall{.url = "https://example.com/"}; });
         facts.host.no_http = "libcurl cannot be loaded";
       }},
  };
  return ills;
}

Run a_held_run() {
  Run run;
  run.id = {JobUid{1}, Space::slot, kNow - 1h, "", Attempt{2}};
  run.state = RunState::held;
  return run;
}

const std::vector<Ill>& job_ills() {
  static const std::vector<Ill> ills{
      {"nodes", note, "no node is alive", "cronce run",
       [](DoctorFacts& facts) { facts.store.nodes.clear(); }},
      {"nodes", warning, "no node is alive, and a job is overdue: billing", "cronce run",
       [](DoctorFacts& facts) {
         facts.store.nodes.clear();
         facts.store.jobs[0].plan.next = kNow - 1h;
       }},
      {"nodes", warning, "node b was not heard of for 40s", "start it again",
       [](DoctorFacts& facts) { facts.store.nodes[1].wall = kNow - 40s; }},
      {"nodes", note, "versions 0.1.0, 0.2.0", "the newest",
       [](DoctorFacts& facts) { facts.store.nodes[1].version = "0.2.0"; }},
      {"definitions", warning, "b offers another version of jobs.yaml", "generation",
       [](DoctorFacts& facts) { facts.store.nodes[1].digests["jobs.yaml"] = "d2"; }},
      {"runnable", warning, "the labels of billing (disk=ssd)",
       "cronce run --labels disk=ssd --store sqlite:/srv/cronce.db FILE",
       [](DoctorFacts& facts) {
         redefine(facts,
                  [](Job& job) { job.on = std::map<std::string, std::string>{{"disk", "ssd"}}; });
       }},
      {"runnable", warning, "the file of billing (other.yaml)", "FILE, or a node without files",
       [](DoctorFacts& facts) {
         facts.store.jobs[0].sources = std::map<std::string, std::string>{{"other.yaml", "d1"}};
       }},
      {"overdue", warning, "what is due of billing", "cronce why billing next",
       [](DoctorFacts& facts) { facts.store.jobs[0].plan.next = kNow - 2min; }},
      {"held", warning, "billing 2026-05-31T23:00:00Z",
       "cronce release billing 2026-05-31T23:00:00Z",
       [](DoctorFacts& facts) { facts.store.held = {a_held_run()}; }},
      {"cursors", warning, "beyond the store's time: billing", "cronce recede billing",
       [](DoctorFacts& facts) {
         facts.store.jobs[0].plan.cursor = kNow + 24h;
         facts.store.jobs[0].plan.next = kNow + 25h;
       }},
  };
  return ills;
}

}  // namespace

std::vector<Ill> all_ills() {
  std::vector<Ill> all;
  for (const auto* some : {&store_ills(), &server_ills(), &disk_ills(), &permission_ills(),
                           &time_ills(), &keeper_ills(), &job_ills()})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

}  // namespace cronce
