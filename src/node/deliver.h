// One notice, by one way: a process that is given the facts, and so long to end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/notice.h"

namespace cronce {

/// What a notice says beside its run.
struct NoticeFacts {
  JobName job;
  std::string shown_name;  // as `history` has it
  std::string name_space;
  std::string node;  // that tells it
  std::string user;  // as whom
};

/// One line of JSON: what `cronce history --json` says of the run, and `event`, `namespace`, `run`,
/// `due`, `key`, `output` and `told_by`. Without a state if nobody has decided the slot.
std::string notice_json(const Notice& notice, const NoticeFacts& facts);

/// `billing@2026-03-29T01:30:00Z failed: exit`
std::string notice_title(const Notice& notice, const NoticeFacts& facts);

/// A process and what it reads.
struct Delivery {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string input;
};

/// `key` lets a receiver see that it was told before: by a node that died before it could say so.
Delivery by_webhook(const Notice& notice, const NoticeFacts& facts, const std::string& url,
                    const std::string& key, const std::vector<std::string>& node_environment);
Delivery by_command(const Notice& notice, const NoticeFacts& facts, const std::string& command,
                    const std::vector<std::string>& node_environment);
Delivery by_mail(const Notice& notice, const NoticeFacts& facts, const std::string& address,
                 const std::vector<std::string>& node_environment);

/// Waits for its end, and kills it with its children of the same group after `patience`, or when
/// the descriptor `stop` is readable. An error says what it said last.
Status deliver(const Delivery& delivery, Duration patience, int stop = -1);

}  // namespace cronce
