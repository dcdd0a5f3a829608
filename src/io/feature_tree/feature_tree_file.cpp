#include "io/feature_tree/feature_tree_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/json.h"
#include "io/compress.h"
#include "io/json_tokens.h"
#include "io/lines.h"
#include "io/utf8_text.h"

namespace clade {
namespace {

using Kind = JsonTokens::Kind;
using Token = std::uint32_t;

constexpr std::string_view kExpected = R"(expected {"name": ..., "features": [...], "children": [...]})";
constexpr Token kNoToken = 0;  // the outermost value is not a field of another

// Turns a file's name or number for a feature into its number.
class FeatureLookup {
 public:
  // Features that are known in advance.
  FeatureLookup(Index count, std::span<const std::string> names) : count_(count) {
    for (std::size_t f = 0; f < names.size(); ++f) {
      const auto [entry, is_new] = numbers_.try_emplace(names[f], static_cast<FeatureIndex>(f));
      if (!is_new) entry->second = kAmbiguous;
    }
    goes_by_number_ = names.empty();
  }
  // Features that become known as they are mentioned.
  FeatureLookup() : is_growing_(true) {}

  enum class Fault { kNone, kUnknown, kAmbiguous, kMixed };

  Fault find(Index number, FeatureIndex& feature) {
    if (is_growing_ && !numbers_.empty()) return Fault::kMixed;
    if (number >= (is_growing_ ? Index{kMaxFeatures} : count_)) return Fault::kUnknown;
    feature = static_cast<FeatureIndex>(number);
    if (is_growing_) count_ = std::max(count_, number + 1);
    return Fault::kNone;
  }

  Fault find(std::string_view name, FeatureIndex& feature) {
    if (goes_by_number_) {
      Index number = -1;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      const bool is_number = error == std::errc{} && end == name.data() + name.size() && number >= 0;
      return is_number ? find(number, feature) : Fault::kUnknown;
    }
    if (is_growing_ && numbers_.empty() && count_ > 0) return Fault::kMixed;
    auto entry = numbers_.find(std::string(name));
    if (entry == numbers_.end()) {
      if (!is_growing_) return Fault::kUnknown;
      entry = numbers_.emplace(name, static_cast<FeatureIndex>(count_++)).first;
      mentioned_.emplace_back(name);
    }
    if (entry->second == kAmbiguous) return Fault::kAmbiguous;
    feature = entry->second;
    return Fault::kNone;
  }

  Index count() const { return count_; }
  std::vector<std::string> take_mentioned() { return std::move(mentioned_); }

 private:
  static constexpr FeatureIndex kAmbiguous = -1;

  Index count_ = 0;
  bool goes_by_number_ = false;
  bool is_growing_ = false;
  std::unordered_map<std::string, FeatureIndex> numbers_;
  std::vector<std::string> mentioned_;
};

class FeatureTreeReader {
 public:
  FeatureTreeReader(const Input& input, const std::optional<KnownFeatures>& known)
      : file_(input.name()), text_(input, Encoding::kAuto), json_(text_), known_(known) {}

  FeatureHierarchy read() {
    if (json_.kind(0) != Kind::kObject) fail(0, "a JSON text without an object", kExpected);
    const Token tree = field(0, "tree");
    if (tree != kNoToken) read_listed_features(field(0, "features"));
    make_lookup();
    read_groups(tree);
    FeatureTree::Source source{.file = file_, .feature_names = names(), .is_whole = !known_ && listed_.empty()};
    const std::vector<std::string> mentioned = lookup_.take_mentioned();
    if (!known_ && listed_.empty()) source.feature_names = mentioned;
    const Index count = lookup_.count();
    if (source.is_whole && count > stated_) {
      throw input_error({.file = file_}, fmt::format("{} features, and groups that mention {}", count, stated_),
                        "expected every feature in a group");
    }
    FeatureHierarchy hierarchy{.tree = FeatureTree::build(count, groups_, source),
                               .feature_names = {source.feature_names.begin(), source.feature_names.end()},
                               .method = {},
                               .parameters = {},
                               .notes = {}};
    if (tree != kNoToken) read_origin(hierarchy);
    add_notes(hierarchy);
    return hierarchy;
  }

 private:
  struct Open {
    Token node;
    NodeId parent;
  };

  // The value of a field, or kNoToken. A field given twice is an error.
  Token field(Token object, std::string_view name) const {
    Token found = kNoToken;
    for (Token key = object + 1; key < json_.after(object); key = json_.after(key + 1)) {
      if (json_.text(key) != name) continue;
      if (found != kNoToken) fail(key, fmt::format("the field {} twice in one object", name), kExpected);
      found = key + 1;
    }
    return found;
  }

  template <class Visit>
  void for_each_element(Token list, Visit&& visit) const {
    for (Token value = list + 1; value < json_.after(list); value = json_.after(value)) visit(value);
  }

  std::span<const std::string> names() const { return known_ ? known_->names : std::span<const std::string>(listed_); }

  // The features that the whole document is about: their names, or their number.
  void read_listed_features(Token value) {
    if (value == kNoToken) return;
    if (json_.kind(value) == Kind::kNumber) {
      listed_count_ = json_.number(value);
      if (known_ && *listed_count_ != known_->count) fail_count(value, *listed_count_);
      return;
    }
    if (json_.kind(value) != Kind::kArray) {
      fail(value, "features that are neither a list nor a number", "expected the names of all features, or how many");
    }
    for_each_element(value, [&](Token name) {
      if (json_.kind(name) != Kind::kString) fail(name, "a feature without a name", "expected names");
      const auto f = listed_.size();
      listed_.emplace_back(json_.text(name));
      if (!known_ || std::ssize(listed_) > known_->count) return;
      const std::string own = known_->names.empty() ? std::to_string(f) : known_->names[f];
      if (listed_[f] == own) return;
      fail(name, fmt::format("feature {} is {}, in the data {}", f + 1, quoted_name(listed_[f]), quoted_name(own)),
           "expected a tree of the same features");
    });
    if (known_ && std::ssize(listed_) != known_->count) fail_count(value, std::ssize(listed_));
  }

  [[noreturn]] void fail_count(Token at, Index count) const {
    fail(at, fmt::format("a tree of {} features, and the data have {}", count, known_->count),
         "expected a tree of the same features");
  }

  void make_lookup() {
    if (known_) {
      lookup_ = FeatureLookup(known_->count, known_->names);
    } else if (!listed_.empty() || listed_count_) {
      lookup_ = FeatureLookup(listed_count_.value_or(std::ssize(listed_)), listed_);
    }
  }

  void read_groups(Token root) {
    std::vector<Open> open{{root, kNoNode}};
    while (!open.empty()) {
      const Open next = open.back();
      open.pop_back();
      const auto number = static_cast<NodeId>(groups_.size());
      const Token children = read_group(next.node, next.parent);
      if (children == kNoToken) continue;
      const auto first = std::ssize(open);
      for_each_element(children, [&](Token child) { open.push_back({child, number}); });
      std::reverse(open.begin() + first, open.end());
    }
  }

  // Reads one group; returns the list of its children, or kNoToken.
  Token read_group(Token node, NodeId parent) {
    if (json_.kind(node) != Kind::kObject) fail(node, "a group that is no object", kExpected);
    const Token name = field(node, "name");
    if (name == kNoToken || json_.kind(name) != Kind::kString) fail(node, "a group without a name", kExpected);
    FeatureGroup& group = groups_.emplace_back();
    group.name = json_.text(name);
    group.parent = parent;
    const Token features = list(node, "features");
    if (features != kNoToken) for_each_element(features, [&](Token value) { add_feature(value, group); });
    for (Token key = node + 1; key < json_.after(node); key = json_.after(key + 1)) {
      const std::string_view word = json_.text(key);
      if (node != 0 && word != "name" && word != "features" && word != "children") ++ignored_;
    }
    return list(node, "children");
  }

  // A field that is a list; null counts as absent.
  Token list(Token node, std::string_view name) const {
    const Token value = field(node, name);
    if (value == kNoToken || json_.kind(value) == Kind::kNull) return kNoToken;
    if (json_.kind(value) != Kind::kArray) fail(value, fmt::format("{} that are no list", name), kExpected);
    return value;
  }

  void add_feature(Token value, FeatureGroup& group) {
    FeatureIndex feature = 0;
    FeatureLookup::Fault fault = FeatureLookup::Fault::kNone;
    std::string shown;
    if (json_.kind(value) == Kind::kNumber) {
      fault = lookup_.find(Index{json_.number(value)}, feature);
      shown = std::to_string(json_.number(value));
    } else if (json_.kind(value) == Kind::kString) {
      fault = lookup_.find(json_.text(value), feature);
      shown = quoted_name(json_.text(value));
    } else {
      fail(value, "a feature that is neither a name nor a number from 0", "expected names, or numbers from 0");
    }
    if (fault == FeatureLookup::Fault::kUnknown) {
      fail(value, fmt::format("feature {} in group {} is not known", shown, quoted_name(group.name)),
           fmt::format("expected one of the {} features{}", lookup_.count(), known_ ? " of the data" : ""));
    }
    if (fault == FeatureLookup::Fault::kAmbiguous) {
      fail(value, fmt::format("several features are named {}", shown), "expected their numbers, from 0");
    }
    if (fault == FeatureLookup::Fault::kMixed) {
      fail(value,
           fmt::format("feature {} after others by {}", shown, json_.kind(value) == Kind::kNumber ? "name" : "number"),
           "expected either names or numbers");
    }
    ++stated_;
    group.features.push_back(feature);
  }

  // What made the tree, as far as the file says.
  void read_origin(FeatureHierarchy& hierarchy) const {
    if (const Token method = field(0, "method"); method != kNoToken && json_.kind(method) == Kind::kString) {
      hierarchy.method = json_.text(method);
    }
    if (const Token notes = field(0, "notes"); notes != kNoToken && json_.kind(notes) == Kind::kArray) {
      for_each_element(notes, [&](Token note) {
        if (json_.kind(note) == Kind::kString) hierarchy.notes.emplace_back(json_.text(note));
      });
    }
    const Token parameters = field(0, "parameters");
    if (parameters == kNoToken || json_.kind(parameters) != Kind::kObject) return;
    for (Token key = parameters + 1; key < json_.after(parameters); key = json_.after(key + 1)) {
      if (json_.is_container(key + 1)) continue;
      hierarchy.parameters.emplace_back(json_.text(key), scalar(key + 1));
    }
  }

  std::string scalar(Token value) const {
    if (json_.kind(value) == Kind::kString) return std::string(json_.text(value));
    const std::string_view rest = text_.text().substr(json_.offset(value));
    return std::string(rest.substr(0, rest.find_first_of(",}] \t\r\n")));
  }

  void add_notes(FeatureHierarchy& hierarchy) const {
    if (const Index rest = hierarchy.tree.uncovered(); rest > 0) {
      hierarchy.notes.push_back(
          rest == 1 ? "1 feature that no group mentions put directly below the root"
                    : fmt::format("{} features that no group mentions put directly below the root", rest));
    }
    if (ignored_ > 0) {
      hierarchy.notes.push_back(fmt::format("{} field{} of groups beside name, features and children ignored", ignored_,
                                            ignored_ == 1 ? "" : "s"));
    }
  }

  [[noreturn]] void fail(Token at, std::string_view problem, std::string_view expected) const {
    throw input_error(text_.at(json_.offset(at)), problem, expected);
  }

  std::string file_;
  Utf8Text text_;
  JsonTokens json_;
  const std::optional<KnownFeatures>& known_;
  std::vector<std::string> listed_;
  std::optional<Index> listed_count_;
  FeatureLookup lookup_;
  std::vector<FeatureGroup> groups_;
  Index stated_ = 0;  // features in all groups
  Index ignored_ = 0;
};

}  // namespace

FeatureHierarchy parse_feature_tree(const Input& input, const std::optional<KnownFeatures>& known) {
  return FeatureTreeReader(input, known).read();
}

bool looks_like_feature_tree(std::string_view head) {
  const std::string_view text = trim(without_byte_order_mark(head));
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return text.starts_with('{') &&
         (has("\"feature-tree\"") || (has("\"features\"") && (has("\"tree\"") || has("\"children\""))));
}

bool is_feature_tree_file(const std::string& path, Context& ctx) {
  constexpr std::size_t kHeadBytes = 4096;
  std::error_code ignored;
  if (!without_compression_ending(path).ends_with(".json") || !std::filesystem::is_regular_file(path, ignored)) {
    return false;
  }
  return looks_like_feature_tree(Input::open(path, ctx).bytes().substr(0, kHeadBytes));
}

FeatureHierarchy read_feature_tree(const std::string& path, const Dataset& data, Context& ctx) {
  return parse_feature_tree(Input::open(path, ctx), KnownFeatures{data.features(), data.feature_names()});
}

FeatureHierarchy read_feature_tree(const std::string& path, Context& ctx) {
  return parse_feature_tree(Input::open(path, ctx), std::nullopt);
}

namespace {

constexpr int kDeepestIndent = 40;

std::string quoted(const std::string& text) {
  return dump_json(nlohmann::json(text));
}

// A number or a truth value as it is, anything else as text.
std::string scalar(const std::string& text) {
  const nlohmann::json value = json_or_string(text);
  return value.is_number() || value.is_boolean() ? text : quoted(text);
}

template <class Items, class Text>
std::string joined(const Items& items, Text&& text) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ", ") + text(item);
  return list;
}

std::string head(const FeatureHierarchy& hierarchy) {
  std::string text = "{\"kind\": \"feature-tree\",\n";
  if (!hierarchy.method.empty()) text += fmt::format(" \"method\": {},\n", quoted(hierarchy.method));
  if (!hierarchy.parameters.empty()) {
    text += fmt::format(" \"parameters\": {{{}}},\n", joined(hierarchy.parameters, [](const auto& parameter) {
                          return quoted(parameter.first) + ": " + scalar(parameter.second);
                        }));
  }
  if (!hierarchy.notes.empty()) text += fmt::format(" \"notes\": [{}],\n", joined(hierarchy.notes, quoted));
  text += hierarchy.feature_names.empty()
              ? fmt::format(" \"features\": {},\n", hierarchy.tree.features())
              : fmt::format(" \"features\": [{}],\n", joined(hierarchy.feature_names, quoted));
  return text + " \"tree\":\n";
}

void require_shallow(const FeatureTree& tree) {
  constexpr int kMost = static_cast<int>(JsonTokens::kDeepest) / 2 - 1;  // an object and a list per level
  if (tree.levels() > kMost) {
    throw usage_error(fmt::format("a feature tree of {} levels", tree.levels()),
                      fmt::format("expected at most {} to write", kMost));
  }
}

}  // namespace

void print_feature_tree(const FeatureHierarchy& hierarchy, Sink& sink) {
  const FeatureTree& tree = hierarchy.tree;
  require_shallow(tree);
  sink.write(head(hierarchy));
  for (NodeId node = 0; node < tree.size(); ++node) {
    const int depth = tree.depth(node);
    std::string line(static_cast<std::size_t>(1 + std::min(depth, kDeepestIndent)), ' ');
    line += fmt::format("{{\"name\": {}", quoted(tree.name(node)));
    const auto own = tree.own_features(node);
    if (!own.empty()) line += fmt::format(", \"features\": [{}]", fmt::join(own, ", "));
    line += tree.children(node).empty() ? "}" : ", \"children\": [";
    // The next node is the first child, or else it closes all nodes that are not its ancestors.
    const int next_depth = node + 1 < tree.size() ? tree.depth(node + 1) : 0;
    for (int open = depth; open > next_depth; --open) line += "]}";
    if (node + 1 < tree.size() && next_depth <= depth) line += ',';
    sink.write(line + "\n");
  }
  sink.write("}\n");
}

void write_feature_tree(const FeatureHierarchy& hierarchy, const std::string& path, bool overwrite) {
  OutputFile file(path, overwrite);
  write_through(file, [&](Sink& sink) { print_feature_tree(hierarchy, sink); });
  file.commit();
}

}  // namespace clade
