#include "jobfile/job_command.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/quote.h"
#include "jobfile/web_address.h"

namespace cronce {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

constexpr IntegerRange kKeptBytes{0, kGiB / 16};
constexpr IntegerRange kMemory{1 << 20, 65'536 * kGiB};
constexpr IntegerRange kCoreBytes{0, 65'536 * kGiB};
constexpr IntegerRange kOpenFiles{16, 1'048'576};
constexpr IntegerRange kProcesses{1, 4'194'304};

constexpr auto kMethods =
    std::to_array<std::string_view>({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"});

/// What tells a run from others, and what the connection needs. A length that is not the body's, or
/// a wait for the word to go on, could have a request read as two or sent twice.
bool is_our_header(std::string_view name) {
  constexpr std::string_view kRun = "cronce-";
  if (same_letters(name.substr(0, kRun.size()), kRun)) return true;
  constexpr auto kOurs = std::to_array<std::string_view>(
      {"idempotency-key", "connection", "content-length", "expect", "transfer-encoding"});
  return std::any_of(kOurs.begin(), kOurs.end(),
                     [&](std::string_view ours) { return same_letters(name, ours); });
}

bool is_header_name(std::string_view text) {
  constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kAlso.find(c) != std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

void read_headers(YamlReader& in, const YamlNode& value, HttpCall& out) {
  if (!in.text_map(value, &out.headers) && value.kind != YamlNode::Kind::map) return;
  for (const YamlNode* key = value.first; key != nullptr; key = key->next->next) {
    if (!is_header_name(key->text)) {
      in.error(*key, fmt::format("{} is not the name of a header", quote(key->text)));
    } else if (is_our_header(key->text)) {
      in.error(*key, fmt::format("the header {} is set by cronce itself: leave it out", key->text));
    } else if (has_control(key->next->text)) {
      in.error(*key->next, "a header is one line: leave out line breaks and control characters");
    }
  }
}

/// A status of three digits.
bool parse_status(std::string_view text, std::int64_t* out) {
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return failed == std::errc{} && stop == text.data() + text.size() && text.size() == 3 &&
         *out >= 100 && *out <= 599;
}

/// `200` or `200-299`.
void read_status(YamlReader& in, const YamlNode& value, HttpCall& out) {
  const std::size_t dash = value.text.find('-');
  std::int64_t low = 0;
  std::int64_t high = 0;
  const bool right = parse_status(value.text.substr(0, dash), &low) &&
                     parse_status(value.text.substr(dash + 1), &high) && low <= high;
  if (!right) return in.wrong_kind(value, "an HTTP status such as 200 or a range such as 200-299");
  out.expect_low = low;
  out.expect_high = high;
}

constexpr auto kHttpKeys = std::to_array<KeyRow<HttpCall>>({
    {"method",
     {.words = kMethods},
     "default POST",
     [](YamlReader& in, const YamlNode& v, HttpCall& out) {
       std::size_t index = 0;
       if (in.word(v, kMethods, &index)) out.method = kMethods[index];
     }},
    {"url", kAddressSchema, "the address to call",
     [](YamlReader& in, const YamlNode& v, HttpCall& out) { read_web_address(in, v, &out.url); }},
    {"headers",
     {.json = R"({"$ref":"#/$defs/texts",
         "propertyNames":{"pattern":"^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"}})"},
     "sent along; Idempotency-Key and Cronce-... are added",
     read_headers},
    {"body", kTextSchema, "sent as it is",
     [](YamlReader& in, const YamlNode& v, HttpCall& out) { in.text(v, &out.body); }},
    {"expect",
     {.json = R"({"type":["integer","string"],"minimum":100,"maximum":599,
         "pattern":"^[1-5][0-9]{2}(-[1-5][0-9]{2})?$"})"},
     "answers that count as success; default 200-299",
     read_status},
});

constexpr auto kOutputKeys = std::to_array<KeyRow<Job>>({
    {"keep",
     {.bytes = kKeptBytes},
     "so much of the end of the output is kept; default 64KiB",
     [](YamlReader& in, const YamlNode& v, Job& out) {
       in.size(v, kKeptBytes, &out.output_keep_bytes);
     }},
});

void read_count(YamlReader& in, const YamlNode& node, IntegerRange range,
                std::optional<std::int64_t>* out) {
  std::int64_t value = 0;
  if (in.integer(node, range, &value)) *out = value;
}

void read_bytes(YamlReader& in, const YamlNode& node, IntegerRange range,
                std::optional<std::int64_t>* out) {
  std::int64_t value = 0;
  if (in.size(node, range, &value)) *out = value;
}

constexpr auto kLimitsKeys = std::to_array<KeyRow<Limits>>({
    {"nofile",
     {.number = kOpenFiles},
     "open files",
     [](YamlReader& in, const YamlNode& v, Limits& out) {
       read_count(in, v, kOpenFiles, &out.nofile);
     }},
    {"cpu", kDurationSchema, "processor time",
     [](YamlReader& in, const YamlNode& v, Limits& out) {
       Duration time{};
       if (!in.duration(v, {Seconds{1}, std::chrono::days{365}}, &time)) return;
       out.cpu_seconds = std::chrono::ceil<Seconds>(time).count();
     }},
    {"memory",
     {.bytes = kMemory},
     "address space of each process",
     [](YamlReader& in, const YamlNode& v, Limits& out) {
       read_bytes(in, v, kMemory, &out.memory_bytes);
     }},
    {"processes",
     {.number = kProcesses},
     "processes of the user",
     [](YamlReader& in, const YamlNode& v, Limits& out) {
       read_count(in, v, kProcesses, &out.processes);
     }},
    {"core",
     {.bytes = kCoreBytes},
     "size of a core file",
     [](YamlReader& in, const YamlNode& v, Limits& out) {
       read_bytes(in, v, kCoreBytes, &out.core_bytes);
     }},
});

/// A path as seen from the job file's folder. Only a leading `./` is taken away: what `..` leads to
/// depends on links, so the kernel shall say.
std::string beside_file(const FileContext& context, std::string_view path) {
  if (path.starts_with('/') || context.folder.empty()) return std::string(path);
  while (path.starts_with("./")) {
    path.remove_prefix(2);
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  }
  if (path.empty() || path == ".") return context.folder;
  return context.folder + (context.folder.ends_with('/') ? "" : "/") + std::string(path);
}

bool check_home(YamlReader& in, const YamlNode& node, std::string_view path) {
  if (!path.starts_with('~')) return true;
  in.error(node,
           fmt::format("{} begins with '~', which only a shell expands: write the path in full",
                       quote(path)));
  return false;
}

void read_argv(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  ArgvCommand command;
  if (!in.texts(value, &command.argv)) return;
  if (command.argv.empty()) return in.error(value, "the list is empty: begin it with a program");
  std::string& program = command.argv.front();
  if (program.empty()) return in.error(*value.first, "the program's name is empty");
  if (!check_home(in, *value.first, program)) return;
  if (program.find('/') != std::string::npos) program = beside_file(in.context(), program);
  draft.job.command = std::move(command);
}

}  // namespace

KeyTable<HttpCall> http_keys() { return kHttpKeys; }
KeyTable<Job> output_keys() { return kOutputKeys; }
KeyTable<Limits> limits_keys() { return kLimitsKeys; }

void read_run(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  if (value.kind == YamlNode::Kind::list) return read_argv(in, value, draft);
  if (value.kind == YamlNode::Kind::map) {
    return in.wrong_kind(value,
                         "a list of texts (program and arguments) or a text (a line for sh)");
  }
  ShellCommand command;
  if (!in.text(value, &command.line)) return;
  if (command.line.find_first_not_of(" \t\n") == std::string::npos) {
    return in.error(value, "the command is empty");
  }
  draft.job.command = std::move(command);
}

void read_http(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  HttpCall call;
  if (!in.map<HttpCall>(value, kHttpKeys, call)) return;
  if (call.url.empty()) return in.error(value, "url is missing: which address shall be called?");
  if (call.method == "HEAD" && !call.body.empty()) {
    return in.error(*find_value(value, "body"), "HEAD sends no body: leave it out");
  }
  draft.job.command = std::move(call);
}

void read_env(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  std::map<std::string, std::string> found;
  if (!in.text_map(value, &found) && value.kind != YamlNode::Kind::map) return;
  for (const YamlNode* key = value.first; key != nullptr; key = key->next->next) {
    if (key->text.empty() || key->text.find('=') != std::string_view::npos) {
      in.error(*key, fmt::format("{} is not the name of a variable: it is empty or contains '='",
                                 quote(key->text)));
    } else if (key->text.starts_with("CRONCE_")) {
      in.error(*key, fmt::format("{} is set by cronce itself: use another name", quote(key->text)));
    }
  }
  found.insert(draft.job.env->begin(), draft.job.env->end());
  draft.job.env = std::move(found);
}

void read_user(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  std::string user;
  if (!in.text(value, &user)) return;
  const bool right = !user.empty() && user.size() <= 64 && user.front() != '-' &&
                     user.find_first_of(":/ \t\n,") == std::string::npos;
  if (!right) return in.error(value, fmt::format("{} is not the name of a user", quote(user)));
  draft.job.user = std::move(user);
}

void read_cwd(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  std::string path;
  if (!in.text(value, &path)) return;
  if (path.empty())
    return in.error(value, "the path is empty: write . for the folder of the job file");
  if (!check_home(in, value, path)) return;
  draft.job.cwd = beside_file(in.context(), path);
}

void read_output(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  in.map<Job>(value, kOutputKeys, draft.job);
}

void read_limits(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  Limits limits;
  if (in.map<Limits>(value, kLimitsKeys, limits)) draft.job.limits = limits;
}

void read_umask(YamlReader& in, const YamlNode& value, JobDraft& draft) {
  const std::string_view text = value.text;
  const bool octal = (text.size() == 3 || (text.size() == 4 && text.front() == '0')) &&
                     text.find_first_not_of("01234567") == std::string_view::npos;
  if (!octal) return in.wrong_kind(value, "three octal digits such as \"022\"");
  std::int64_t mask = 0;
  for (const char digit : text) mask = mask * 8 + (digit - '0');
  draft.job.umask = mask;
}

}  // namespace cronce
