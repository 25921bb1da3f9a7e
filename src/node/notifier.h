// The thread that tells people: it looks at jobs of which somebody wants to hear, and tells each
// notice once, however many nodes see it.
//
// The store has a key for each notice and way, as for `once`: one node begins it, tells, and says
// that it is done. If it dies in between, another one tells it again, with the same key: a receiver
// may hear twice and can know it, and nothing is left untold. A slot never waits for any of this.
//
// It alone speaks to the store. Only the processes that tell are waited for by threads of their
// own, so that one that hangs does not hold up the others.
#pragma once

#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "engine/notice.h"
#include "keeper/descriptor.h"
#include "node/deliver.h"
#include "node/inbox.h"
#include "node/news.h"
#include "node/turns.h"
#include "store/store.h"

namespace cronce {

/// A job as it is now, and who asks.
struct NoticeOrder {
  JobRow job;
  bool wanted = true;
  Time cluster{};
  Duration boot{};  // when it was that time
  Incarnation incarnation;
};

/// Look at every job, and say when all that was found is told, or tried: the node is about to
/// leave.
struct LookAtAll {};

class Notifier {
 public:
  struct Parts {
    Store& store;
    const Clock& clock;
    Inbox<News>& loop;
    std::string name_space;
    std::string node;
    std::vector<std::string> environment;
  };
  /// What it refers to outlives it.
  explicit Notifier(Parts parts);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void send(NoticeOrder order) { orders_.put(std::move(order)); }
  void send(LookAtAll order) { orders_.put(order); }
  /// The thread ends, and tells the loop. What it is just telling is broken off: others tell it.
  void close();

 private:
  /// One of those that are being told has come to an end.
  struct Delivered {
    std::string key;
  };
  struct Flight {
    Telling telling;
    Fence fence;
    std::string title;
    std::future<Status> told;
  };
  /// Of a notice that could not be told, or that another node is telling.
  struct Try {
    std::size_t failures = 0;
    Duration next{};
    std::optional<Fence> fence;  // between tries its key stays ours: others would count anew
  };
  /// A run that had not ended when the job was heard of before.
  struct Ended {
    Time at{};        // its place in the ledger
    Duration boot{};  // when we heard
  };
  struct Watched {
    JobRow row;
    Duration look_at{};  // on the boot clock
    std::set<std::string> told;
    std::map<std::string, Try> tries;
    std::map<RunId, Time> open;    // by their place in the ledger
    std::map<RunId, Ended> ended;  // however old their slots are
  };

  void work();
  void hear_all();
  void hear(NoticeOrder&& order);
  void hear(LookAtAll&&);
  void hear(Delivered&& delivered);
  void forget(JobUid uid);
  static void learn_open(Watched& job, Duration boot);
  Result<std::vector<Run>> read_runs(Watched& job);
  void look(Watched& job);
  bool is_to_tell(const Watched& job, const std::string& key) const;
  bool tell_some();
  bool start(Telling& telling);
  NoticeFacts facts_of(const Watched& job) const;
  Delivery delivery_of(const Watched& job, const Telling& telling);
  void end(Flight flight);
  static void try_at(Watched& job, const std::string& key, Duration boot);
  Notice with_output(Notice notice);
  /// The fence under which this notice is ours to tell; none: not now.
  std::optional<Fence> begin(Watched& job, const std::string& key);
  Result<OnceAnswer> once(const OnceAsk& ask);
  Result<std::optional<OnceAnswer>> settle(std::uint64_t sequence);
  bool settle_begun();
  WriteId next_write();
  Duration next_look() const;
  Time now() const { return cluster_ + (parts_.clock.boot() - boot_); }

  Parts parts_;
  std::string user_;
  std::map<JobUid, Watched> jobs_;
  Time cluster_{};
  Duration boot_{};
  WriteId last_;  // of a lane that nobody else writes on
  std::uint64_t answered_ = 0;
  /// A begin of which nobody knows yet whether it was granted.
  struct Begun {
    std::uint64_t sequence = 0;
    std::string key;
  };
  std::optional<Begun> unknown_;
  std::map<std::string, Fence> granted_;  // that were unknown
  bool asked_for_all_ = false;
  Turns turns_;
  Descriptor closing_;  // readable when it is to end
  Orders<std::variant<NoticeOrder, LookAtAll, Delivered>> orders_;
  std::map<std::string, Flight> flights_;  // by their keys
  std::thread thread_;                     // the last one: it uses the others
};

}  // namespace cronce
