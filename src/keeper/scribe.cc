#include "keeper/scribe.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

#include <map>
#include <utility>
#include <variant>

#include "keeper/log_file.h"
#include "keeper/spool.h"

namespace cronce {
namespace {

struct OpenLog {
  RunTag run = 0;
  std::string path;
};
struct LogBytes {
  RunTag run = 0;
  std::string bytes;
};
struct CloseLog {
  RunTag run = 0;
};
struct PutEnd {
  EndKey key;
  FinishEntry end;
};
struct RemoveEnd {
  EndKey key;
};
using ScribeOrder = std::variant<OpenLog, LogBytes, CloseLog, PutEnd, RemoveEnd>;

auto members(Of<OpenLog> auto& v) { return std::tie(v.run, v.path); }
auto members(Of<LogBytes> auto& v) { return std::tie(v.run, v.bytes); }
auto members(Of<CloseLog> auto& v) { return std::tie(v.run); }
auto members(Of<PutEnd> auto& v) { return std::tie(v.key, v.end); }
auto members(Of<RemoveEnd> auto& v) { return std::tie(v.key); }

}  // namespace

auto members(Of<ScribeNote> auto& v) { return std::tie(v.end, v.trouble); }

namespace {

class ScribeProcess {
 public:
  ScribeProcess(Descriptor channel, const ScribeSettings& settings)
      : channel_(std::move(channel)),
        spool_(settings.spool),
        log_limit_bytes_(settings.log_limit_bytes) {}

  [[noreturn]] void run() {
    for (;;) {
      const bool written = channel_.flush();
      pollfd watch{channel_.fd(), static_cast<short>(written ? POLLIN : POLLIN | POLLOUT), 0};
      retry([&] { return poll(&watch, 1, -1); });
      const bool more = channel_.fill();
      while (auto message = channel_.next()) {
        const auto order = decode_one_of<ScribeOrder>(*message);
        if (order) std::visit([this](const auto& value) { obey(value); }, *order);
      }
      if (!put_.empty()) sync();
      if (!more) _exit(0);
    }
  }

 private:
  void obey(const OpenLog& order) {
    auto file = LogFile::open(order.path, log_limit_bytes_);
    if (!file) return complain(file.error());
    logs_.emplace(order.run, Log{std::move(*file)});
  }
  void obey(const LogBytes& order) { append(order.run, order.bytes); }
  void obey(const CloseLog& order) {
    append(order.run, "");
    logs_.erase(order.run);
  }
  void obey(const PutEnd& order) {
    const Status put = spool_.put(order.key, order.end);
    if (!put) return tell({order.key, put.error().message});
    put_.push_back(order.key);
  }
  void obey(const RemoveEnd& order) {
    if (const Status removed = spool_.remove(order.key); !removed) complain(removed.error());
  }

  void append(RunTag run, std::string_view bytes) {
    const auto log = logs_.find(run);
    if (log == logs_.end()) return;
    const Status written = log->second.file.append(bytes);
    const bool was_well = std::exchange(log->second.is_well, written.ok());
    if (!written && was_well) complain(written.error());  // once said is enough
  }

  void sync() {
    const Status synced = spool_.sync();
    for (const EndKey& key : std::exchange(put_, {})) {
      tell({key, synced ? "" : synced.error().message});
    }
  }

  void complain(const Error& error) { tell({std::nullopt, error.message}); }
  void tell(const ScribeNote& note) {
    WireWriter out;
    out.write(note);
    channel_.send(out.take());
  }

  struct Log {
    LogFile file;
    bool is_well = true;
  };

  Channel channel_;
  Spool spool_;
  std::int64_t log_limit_bytes_;
  std::map<RunTag, Log> logs_;
  std::vector<EndKey> put_;  // written, but their names are not yet safe
};

}  // namespace

void run_scribe(Descriptor channel, const ScribeSettings& settings) {
  prctl(PR_SET_NAME, "cronce-scribe");
  close_all_but({channel.get()});
  ScribeProcess(std::move(channel), settings).run();
}

Scribe::Scribe(Descriptor channel, Poller& poller) : channel_(std::move(channel)), poller_(poller) {
  poller_.add(channel_.fd(), EPOLLIN, Poller::Kind::scribe);
}

void Scribe::open_log(RunTag run, const std::string& path) {
  channel_.send(encode_one_of(ScribeOrder{OpenLog{run, path}}));
}
void Scribe::append_log(RunTag run, std::string_view bytes) {
  channel_.send(encode_one_of(ScribeOrder{LogBytes{run, std::string(bytes)}}));
}
void Scribe::close_log(RunTag run) { channel_.send(encode_one_of(ScribeOrder{CloseLog{run}})); }
void Scribe::put(const EndKey& key, const FinishEntry& end) {
  channel_.send(encode_one_of(ScribeOrder{PutEnd{key, end}}));
}
void Scribe::remove(const EndKey& key) {
  channel_.send(encode_one_of(ScribeOrder{RemoveEnd{key}}));
}

void Scribe::flush() {
  if (gone()) return;
  const bool done = channel_.flush();
  if (done == !writing_) return;
  writing_ = !done;
  poller_.change(channel_.fd(), done ? EPOLLIN : EPOLLIN | EPOLLOUT, Poller::Kind::scribe);
}

std::vector<ScribeNote> Scribe::read() {
  if (gone()) return {};
  std::vector<ScribeNote> told;
  const bool alive = channel_.fill();
  while (auto message = channel_.next()) {
    WireReader in(*message);
    ScribeNote note;
    in.read(note);
    if (in.done()) told.push_back(std::move(note));
  }
  if (!alive) poller_.remove(channel_.fd());
  return told;
}

}  // namespace cronce
