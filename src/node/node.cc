#include "node/node.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "base/host.h"
#include "keeper/folder.h"
#include "keeper/leftovers.h"
#include "keeper/signals.h"
#include "keeper/spool.h"
#include "node/loop.h"
#include "store/open_store.h"

namespace cronce {
namespace {

using Why = NodeEnd::Why;

/// What is still there after this does not die; it is said, and looked at again later.
constexpr Duration kClearing{3'000};

/// Beside the main one: store worker, heartbeat, chores, notifier.
constexpr int kThreads = 4;

/// A name that no other living node of this machine has: NAME, NAME-2, ... The lock is let go with
/// the process.
Result<Descriptor> take_name(const std::string& state, std::string& name) {
  const std::string folder = state + "/nodes";
  if (const Status made = make_folder(folder); !made) return made.error();
  const std::string wanted = name;
  for (int i = 2;; ++i) {
    const std::string path = fmt::format("{}/{}", folder, name);
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file.open()) return system_error("open", path.c_str());
    if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    name = fmt::format("{}-{}", wanted, i);
  }
}

void block_signals(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

/// All but the main one, with what they use.
struct Threads {
  Threads(const NodeSettings& settings, const KeeperSettings& keeper, const StoreId& id,
          Store& store, Store& beats, const Clock& clock, JobWatch& watch, Rng rng)
      : mark(settings.places.state, id, settings.node),
        boot(settings.places.state, id, settings.node, boot_id()),
        worker(store, inbox, rng),
        chores(keeper, mark, boot, watch, inbox),
        heartbeat(beats, clock, inbox),
        notifier({store, clock, inbox, settings.places.name_space, settings.node,
                  settings.environment}) {}

  /// Whether they have all ended, which they are given so long for.
  bool end(const Clock& clock, Duration patience);

  MarkFile mark;
  BootFile boot;
  Inbox<News> inbox;
  StoreWorker worker;
  Chores chores;
  Heartbeat heartbeat;
  Notifier notifier;
};

bool Threads::end(const Clock& clock, Duration patience) {
  worker.close();
  heartbeat.close();
  chores.close();
  notifier.close();
  const Duration end = clock.boot() + patience;
  for (int ended = 0;;) {
    for (const News& news : inbox.take_all()) ended += std::holds_alternative<ThreadEnded>(news);
    const Duration left = end - clock.boot();
    if (ended == kThreads || left <= Duration{0}) return ended == kThreads;
    pollfd ready{inbox.fd(), POLLIN, 0};
    poll(&ready, 1, static_cast<int>(left.count()));
  }
}

class NodeProcess {
 public:
  NodeProcess(NodeSettings settings, const Clock& clock)
      : settings_(std::move(settings)),
        clock_(clock),
        log_(STDERR_FILENO, clock, settings_.log_format, settings_.log_level),
        rng_(random_seed()) {
    settings_.environment = own_environment();
  }

  NodeEnd run();

 private:
  std::optional<NodeEnd> open();
  Result<Opened> connect();
  std::optional<NodeEnd> load();
  void clear();
  NodeEnd work(Keeper& keeper);
  EngineSettings engine_settings() const;

  NodeSettings settings_;
  const Clock& clock_;
  Log log_;
  Rng rng_;
  KeeperSettings keeper_settings_;
  std::optional<JobWatch> watch_;
  Descriptor name_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> beats_;  // its own way to a server, which no work can block
  Opened opened_;
  LoadedJobs jobs_;
  std::vector<Incarnation> gone_;
  std::unique_ptr<Threads> threads_;  // the last one: they use the others
};

NodeEnd NodeProcess::run() {
  block_signals({SIGHUP});  // whoever asks for the files to be read again must not end a start
  // What one thread makes another one lets go; memory of its own for each would never come back.
  mallopt(M_ARENA_MAX, 1);
  keeper_settings_.state = settings_.places.state;
  keeper_settings_.lease_stop = lease_stop(settings_.lease);
  // All nodes of a SQLite store sleep together with their machine.
  if (settings_.places.store_path()) keeper_settings_.clock = Steady::monotonic;
  auto keeper = Keeper::start_process(keeper_settings_);
  if (!keeper) return {Why::no_keeper, "cannot start the keeper: " + keeper.error().message};
  // Before the files are read: a change while the store is waited for is a change too.
  watch_.emplace(settings_.watch ? settings_.files.paths : std::vector<std::string>{});
  for (const std::string& trouble : watch_->troubles()) log_.warning(trouble);
  if (const auto end = load()) return *end;
  auto name = take_name(settings_.places.state, settings_.node);
  if (!name) {
    return {Why::no_name,
            fmt::format("cannot take the name '{}': {}", settings_.node, name.error().message)};
  }
  name_ = *std::move(name);
  if (const auto end = open()) return *end;
  clear();
  return work(*keeper);
}

std::optional<NodeEnd> NodeProcess::load() {
  jobs_ = load_jobs(settings_.files);
  log_diagnostics(log_, jobs_.diagnostics);
  if (jobs_.usable) return std::nullopt;
  return NodeEnd{Why::bad_files, "a job file is not right: mend what is told above"};
}

Result<Opened> NodeProcess::connect() {
  const Places& places = settings_.places;
  const StoreSettings settings{.name_space = places.name_space,
                               .store_moves = settings_.store_moves,
                               .answer_timeout = settings_.lease.answer_timeout};
  auto store = open_store(places.store, settings, clock_, rng_);
  if (!store) return store.error();
  store_ = *std::move(store);
  auto opened = store_->open();
  if (!opened || !is_server(places.store)) return opened;
  auto beats = open_store(places.store, settings, clock_, rng_);
  if (!beats) return beats.error();
  beats_ = *std::move(beats);
  return opened;
}

/// A store that is away may come: as long as a person does not wait at a terminal for an answer.
std::optional<NodeEnd> NodeProcess::open() {
  if (const Status made = make_store_folder(settings_.places); !made) {
    return NodeEnd{Why::store_refused, made.error().message};
  }
  const Duration since = clock_.boot();
  for (bool told = false;; told = true) {
    auto opened = connect();
    if (opened) {
      opened_ = *std::move(opened);
      for (const std::string& remark : opened_.remarks) log_.warning(remark);
      return std::nullopt;
    }
    const Error& error = opened.error();
    if (error.code != Code::unavailable) return NodeEnd{Why::store_refused, error.message};
    if (settings_.store_wait && clock_.boot() - since >= *settings_.store_wait) {
      return NodeEnd{Why::store_away, error.message};
    }
    if (!told) log_.warning("waiting for the store: " + error.message);
    std::this_thread::sleep_for(Seconds{1});
  }
}

/// Before anything is decided: what former nodes of this machine left running is killed, and where
/// all nodes are on this machine that ends them.
void NodeProcess::clear() {
  Cleared cleared = clear_leftovers(keeper_settings_.lock_folder(), kClearing);
  for (const std::string& trouble : cleared.troubles) log_.warning(trouble);
  gone_ = std::move(cleared.gone);
  if (gone_.empty() || !settings_.places.store_path()) return;
  const auto kept =
      Spool(keeper_settings_.spool_folder()).read_all(opened_.id, settings_.places.name_space);
  if (!kept) return;  // the loop tells why, and tries again
  WriteId lane{Incarnation::random(rng_), 0, 0};
  const auto lost = sweep_gone(*store_, lane, make_sweep(gone_, kept->ends));
  if (!lost) return;
  log_swept(log_, *lost);
  gone_.clear();
}

EngineSettings NodeProcess::engine_settings() const {
  EngineSettings out;
  out.self.name = settings_.node;
  out.self.labels = settings_.labels;
  out.self.schedules = settings_.schedules;
  out.self.works = settings_.works;
  out.self.max_running = settings_.max_running;
  out.self.version = settings_.version;
  out.self.zone_data = zone_data_version();
  out.lease = settings_.lease;
  out.standby = settings_.standby;
  return out;
}

NodeEnd NodeProcess::work(Keeper& keeper) {
  block_signals({SIGTERM, SIGINT});  // threads inherit it
  std::signal(SIGPIPE, SIG_IGN);     // a log that nobody reads any more is no reason to end
  const Descriptor signals = watch_signals({SIGTERM, SIGINT, SIGHUP});

  const Supervisor supervisor(std::getenv);
  threads_ =
      std::make_unique<Threads>(settings_, keeper_settings_, opened_.id, *store_,
                                beats_ ? *beats_ : *store_, clock_, *watch_, Rng(rng_.next()));
  EngineSettings engine_facts = engine_settings();
  engine_facts.mark = threads_->mark.read();
  engine_facts.claims = threads_->mark.read_claims();
  engine_facts.boot = threads_->boot.unserved();
  Engine engine(std::move(engine_facts), Rng(rng_.next()));
  log_.info("starting", {{"node", settings_.node},
                         {"version", settings_.version},
                         {"store", shown_address(settings_.places.store)},
                         {"jobs", fmt::format("{}", jobs_.jobs)},
                         {"incarnation", print(engine.incarnation())}});
  Hint hint(settings_.places);
  hint.listen();
  threads_->chores.send(LookAtDisk{opened_.id, settings_.places.name_space});

  Loop loop({settings_,
             clock_,
             log_,
             supervisor,
             {settings_, clock_, keeper_settings_, opened_.id, keeper, threads_->worker,
              threads_->heartbeat, threads_->chores, threads_->notifier},
             engine,
             threads_->inbox,
             *watch_,
             hint,
             signals.get()});
  NodeEnd end = loop.run(std::move(jobs_), gone_);
  log_.info("left", {{"node", settings_.node}});
  // A store or a disk that hangs must not keep the process: nothing here is worth waiting for.
  end.hangs = !threads_->end(clock_, settings_.lease.answer_timeout);
  return end;
}

}  // namespace

NodeEnd run_node(NodeSettings settings, const Clock& clock) {
  auto process = std::make_unique<NodeProcess>(std::move(settings), clock);
  NodeEnd end = process->run();
  if (end.hangs) process.release();  // NOLINT: a thread still uses it
  return end;
}

}  // namespace cronce
