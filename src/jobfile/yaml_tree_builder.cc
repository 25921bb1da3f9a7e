// Events of libyaml -> the tree. The only file that includes yaml.h.

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <yaml.h>

#include "base/quote.h"
#include "jobfile/yaml_keys.h"
#include "jobfile/yaml_message.h"
#include "jobfile/yaml_tree.h"

namespace cronce {
namespace {

constexpr std::size_t kMostBytes = 64UL << 20;
constexpr std::size_t kMostNodes = 8'000'000;
constexpr std::size_t kMostLevels = 20;
constexpr std::size_t kMostAliases = 1'000;
constexpr std::size_t kMostAliasBytes = 16UL << 20;

constexpr std::string_view kNoMemory = "there is not enough memory to read it";
constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : reinterpret_cast<const char*>(text);
}

/// What an alias multiplies.
struct Cost {
  std::size_t aliases = 0;
  std::size_t bytes = 0;

  Cost& operator+=(const Cost& other) {
    aliases += other.aliases;
    bytes += other.bytes;
    return *this;
  }
};

YamlNode::Style style_of(const yaml_event_t& event) {
  if (text_of(event.data.scalar.tag) == "tag:yaml.org,2002:str") return YamlNode::Style::quoted;
  switch (event.data.scalar.style) {
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
      return YamlNode::Style::block;
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return YamlNode::Style::quoted;
    default:
      return YamlNode::Style::plain;
  }
}

}  // namespace

/// Takes libyaml's events one by one; the stack holds the lists and maps that are still open.
class YamlTreeBuilder {
 public:
  explicit YamlTreeBuilder(YamlTree& tree) : tree_(tree) {}

  void build() {
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
      return add_diagnostic(Severity::syntax, {1, 1}, std::string(kNoMemory));
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &parser, reinterpret_cast<const yaml_char_t*>(tree_.source_.data()), tree_.source_.size());
    while (!done_) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser, &event) == 0) {
        report(parser);
        break;
      }
      take(event);
      yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (broken_) tree_.root_ = nullptr;
  }

 private:
  struct Open {
    YamlNode* node;
    YamlNode* last;
    Cost cost;
    std::string anchor;
  };
  struct Anchored {
    const YamlNode* node;
    Cost cost;
  };

  void take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return take_text(event);
      case YAML_SEQUENCE_START_EVENT:
        check_tag(event, event.data.sequence_start.tag, "seq");
        return open(event, YamlNode::Kind::list, event.data.sequence_start.anchor);
      case YAML_MAPPING_START_EVENT:
        check_tag(event, event.data.mapping_start.tag, "map");
        return open(event, YamlNode::Kind::map, event.data.mapping_start.anchor);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      case YAML_ALIAS_EVENT:
        return take_alias(event);
      case YAML_DOCUMENT_START_EVENT:
        return take_document(event);
      case YAML_STREAM_END_EVENT:
        done_ = true;
        return;
      default:
        return;
    }
  }

  void take_document(const yaml_event_t& event) {
    if (++documents_ < 2) return;
    error(event, "a second document begins here: a job file is one document, leave out the ---");
    done_ = true;
  }

  void take_text(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    check_tag(event, scalar.tag, "str int bool float null timestamp");
    YamlNode* node = make(event, YamlNode::Kind::text);
    if (node == nullptr) return;
    node->style = style_of(event);
    if (scalar.length > 0) {
      auto* copy = static_cast<char*>(tree_.memory_->allocate(scalar.length, 1));
      std::memcpy(copy, scalar.value, scalar.length);
      node->text = {copy, scalar.length};
    }
    add(node, {0, sizeof(YamlNode) + scalar.length}, text_of(scalar.anchor));
  }

  void take_alias(const yaml_event_t& event) {
    const std::string_view name = text_of(event.data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return stop(event,
                  fmt::format("there is no anchor &{0} before this alias *{0}: to begin a text "
                              "with '*' put it in quotes",
                              shorten(name)));
    }
    Cost cost = found->second.cost;
    ++cost.aliases;
    expanded_ += cost;
    if (expanded_.aliases > kMostAliases || expanded_.bytes > kMostAliasBytes) {
      return stop(event,
                  fmt::format("the aliases of this file expand too far: at most {} of them and "
                              "{} MiB together",
                              kMostAliases, kMostAliasBytes >> 20));
    }
    YamlNode* node = make(event, YamlNode::Kind::text);
    if (node == nullptr) return;
    const Place here{node->line, node->column};
    *node = *found->second.node;
    node->line = static_cast<std::uint32_t>(here.line);
    node->column = static_cast<std::uint32_t>(here.column);
    node->next = nullptr;
    add(node, cost, {});
  }

  void open(const yaml_event_t& event, YamlNode::Kind kind, const yaml_char_t* anchor) {
    if (open_.size() == kMostLevels) {
      return stop(event, fmt::format("nested more than {} levels deep", kMostLevels));
    }
    YamlNode* node = make(event, kind);
    if (node == nullptr) return;
    open_.push_back({node, nullptr, {0, sizeof(YamlNode)}, std::string(text_of(anchor))});
  }

  void close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.node->kind == YamlNode::Kind::map) {
      keys_.check(*closed.node, [this](const YamlNode& key, std::string message) {
        add_diagnostic(Severity::error, {key.line, key.column}, std::move(message));
      });
    }
    add(closed.node, closed.cost, closed.anchor);
  }

  YamlNode* make(const yaml_event_t& event, YamlNode::Kind kind) {
    if (++nodes_ > kMostNodes) {
      stop(event, fmt::format("more than {} values in one file", kMostNodes));
      return nullptr;
    }
    auto* node = new (tree_.memory_->allocate(sizeof(YamlNode), alignof(YamlNode))) YamlNode;
    node->kind = kind;
    node->line = static_cast<std::uint32_t>(event.start_mark.line + 1);
    node->column = static_cast<std::uint32_t>(event.start_mark.column + 1);
    return node;
  }

  /// Puts a finished node into the list or map around it.
  void add(YamlNode* node, const Cost& cost, std::string_view anchor) {
    if (!anchor.empty()) anchors_.insert_or_assign(std::string(anchor), Anchored{node, cost});
    if (open_.empty()) {
      tree_.root_ = node;
      return;
    }
    Open& parent = open_.back();
    (parent.last == nullptr ? parent.node->first : parent.last->next) = node;
    parent.last = node;
    ++parent.node->count;
    parent.cost += cost;
  }

  void check_tag(const yaml_event_t& event, const yaml_char_t* tag, std::string_view allowed) {
    const std::string_view text = text_of(tag);
    if (text.empty() || text == "!") return;
    const bool standard = text.starts_with(kStandardTag) && text.size() > kStandardTag.size();
    if (standard && allowed.find(text.substr(kStandardTag.size())) != std::string_view::npos)
      return;
    error(event, fmt::format("the tag {} is not supported here: leave it out", quote(text)));
  }

  /// libyaml has stopped. Its reader knows a byte offset only, its other parts know the place.
  void report(const yaml_parser_t& parser) {
    broken_ = true;
    if (parser.error == YAML_MEMORY_ERROR) {
      return add_diagnostic(Severity::syntax, {1, 1}, std::string(kNoMemory));
    }
    const std::string_view problem = parser.problem == nullptr ? "" : parser.problem;
    if (parser.error == YAML_READER_ERROR) {
      const std::size_t offset = start_of_character(tree_.source_, parser.problem_offset);
      return add_diagnostic(Severity::syntax, tree_.lines().place(offset),
                            explain_bad_byte(problem, tree_.source_.substr(offset)));
    }
    // Where a quote is never closed its beginning says more than the end of the file.
    const bool open_quote = problem.find("end of stream") != std::string_view::npos;
    const yaml_mark_t& mark = open_quote ? parser.context_mark : parser.problem_mark;
    const Place place{mark.line + 1, mark.column + 1};
    const std::string_view context = parser.context == nullptr ? "" : parser.context;
    add_diagnostic(Severity::syntax, place,
                   explain_yaml({problem, context, parser.context_mark.line + 1,
                                 parser.context_mark.column + 1, tree_.lines().from(place)}));
  }

  void stop(const yaml_event_t& event, std::string message) {
    broken_ = true;
    done_ = true;
    add_diagnostic(Severity::syntax, {event.start_mark.line + 1, event.start_mark.column + 1},
                   std::move(message));
  }
  void error(const yaml_event_t& event, std::string message) {
    add_diagnostic(Severity::error, {event.start_mark.line + 1, event.start_mark.column + 1},
                   std::move(message));
  }
  void add_diagnostic(Severity severity, Place place, std::string message) {
    if (severity == Severity::error && tree_.diagnostics_.size() >= kMostErrors) return;
    tree_.diagnostics_.push_back({severity, "", place.line, place.column, "", std::move(message)});
  }

  YamlTree& tree_;
  std::vector<Open> open_;
  std::map<std::string, Anchored, std::less<>> anchors_;
  YamlKeys keys_;
  Cost expanded_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  bool done_ = false;
  bool broken_ = false;
};

YamlTree YamlTree::parse(std::string_view source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (source.starts_with(kByteOrderMark)) source.remove_prefix(kByteOrderMark.size());
  YamlTree tree(source);
  if (source.size() > kMostBytes) {
    tree.diagnostics_.push_back(
        {Severity::syntax, "", 1, 1, "",
         fmt::format("larger than {} MiB: split it into several files", kMostBytes >> 20)});
    return tree;
  }
  YamlTreeBuilder(tree).build();
  return tree;
}

}  // namespace cronce
