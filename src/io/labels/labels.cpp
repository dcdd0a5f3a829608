#include "io/labels/labels.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <unordered_map>

namespace clade {
namespace {

constexpr Index kRarity = 20;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::vector<Index> label_counts(const LabelNames& labels) {
  std::vector<Index> counts(labels.names().size(), 0);
  for (Index s = 0; s < labels.samples(); ++s) {
    for (const std::int32_t label : labels.of(s)) ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

// For each label, the label that it is a cut-off form of, or itself.
std::vector<std::size_t> whole_labels(const std::vector<std::string>& names, const std::vector<Index>& counts) {
  std::unordered_map<std::string_view, std::size_t> number;
  for (std::size_t k = 0; k < names.size(); ++k) number.emplace(names[k], k);
  std::vector<std::vector<std::size_t>> longer(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string_view name = names[k];
    if (name.size() < 2 || !is_letter(name.back())) continue;
    const auto shorter = number.find(name.substr(0, name.size() - 1));
    if (shorter != number.end()) longer[shorter->second].push_back(k);
  }
  std::vector<std::size_t> whole(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool remnant =
        longer[k].size() == 1 && longer[longer[k][0]].empty() && counts[k] <= counts[longer[k][0]] / kRarity;
    whole[k] = remnant ? longer[k][0] : k;
  }
  return whole;
}

}  // namespace

LabelNames with_last_letters(LabelNames labels, std::vector<std::string>& notes) {
  const auto& names = labels.names();
  const std::vector<Index> counts = label_counts(labels);
  const std::vector<std::size_t> whole = whole_labels(names, counts);
  Index repaired = 0;
  std::vector<std::string> changes;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (whole[k] == k) continue;
    repaired += counts[k];
    changes.push_back(fmt::format("{} '{}' as '{}'", counts[k], names[k], names[whole[k]]));
  }
  if (changes.empty()) return labels;
  notes.push_back(fmt::format("{} labels that lack their last letter: {}", repaired, fmt::join(changes, ", ")));

  LabelNames mended;
  for (Index s = 0; s < labels.samples(); ++s) {
    for (const std::int32_t label : labels.of(s)) {
      const std::size_t k = whole[static_cast<std::size_t>(label)];
      mended.add(names[k], labels.first_line(static_cast<std::int32_t>(k)));
    }
    mended.end_sample();
  }
  return mended;
}

namespace {

std::optional<Index> whole_number(std::string_view text) {
  Index value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> in_natural_order(std::vector<std::string> names) {
  const bool numbers = std::ranges::all_of(names, [](const auto& name) { return whole_number(name).has_value(); });
  std::ranges::sort(names, [numbers](const std::string& a, const std::string& b) {
    if (!numbers) return a < b;
    return std::pair(*whole_number(a), a) < std::pair(*whole_number(b), b);
  });
  return names;
}

// The node that a path like a/b/c means: the one of that name, or c, if b and a lie above it.
std::optional<NodeId> node_of_path(std::string_view path, const PathSeparator& separator, const Taxonomy& taxonomy) {
  const auto parts = separator.parts(path);
  if (parts.size() < 2) return std::nullopt;
  const auto node = taxonomy.find(parts.back());
  if (!node) return std::nullopt;
  for (std::size_t k = parts.front().empty() ? 1 : 0; k + 1 < parts.size(); ++k) {
    const auto above = taxonomy.find(parts[k]);
    if (!above || !taxonomy.is_ancestor(*above, *node)) return std::nullopt;
  }
  return node;
}

// The same samples with other names of labels: `number` gives the label of `result` for each label.
LabelNames renumbered(const LabelNames& labels, LabelNames result, std::span<const std::int32_t> number) {
  for (Index s = 0; s < labels.samples(); ++s) {
    for (const std::int32_t label : labels.of(s)) result.add(number[static_cast<std::size_t>(label)]);
    result.end_sample();
  }
  return result;
}

// A path of n parts names n nodes, each by all parts above it: quadratic in the length of a label of many short parts.
constexpr std::size_t kMostNameBytes = std::size_t{1} << 30U;

// The bytes of the names that adding a path would add.
std::size_t new_name_bytes(std::string_view path, std::string_view join, const TaxonomyBuilder& builder) {
  std::size_t bytes = 0;
  for (std::size_t cut = path.size(); cut != std::string_view::npos && cut > 0; cut = path.rfind(join, cut - 1)) {
    if (builder.find(path.substr(0, cut))) break;
    bytes += cut;
    if (bytes > kMostNameBytes) break;
  }
  return bytes;
}

// The separators to try for labels whose hierarchy is known.
std::span<const PathSeparator> separators_to_try(const PathSeparator& separator) {
  return separator.empty() ? known_separators() : std::span(&separator, 1);
}

// A label as a node of a hierarchy of paths is named, which may have another separator; empty if there is no such node.
std::string name_among(std::string_view label, std::span<const PathSeparator> separators, std::string_view join,
                       const Taxonomy& taxonomy) {
  for (PathSeparator separator : separators) {
    if (!separator.cuts(label)) continue;
    separator.join = join;
    std::string name = separator.name_of(label);
    if (taxonomy.find(name)) return name;
  }
  return {};
}

}  // namespace

PathSeparator label_separator(const std::vector<std::string>& names, const ReadOptions& options,
                              std::vector<std::string>& notes) {
  if (options.label_paths == LabelPaths::kNo) return {};
  if (!options.path_separator.empty()) return PathSeparator::given(options.path_separator);
  return recognise_separator(names, options.label_paths == LabelPaths::kYes, notes);
}

LabelNames as_paths(const LabelNames& labels, const PathSeparator& separator, const std::string& file,
                    std::vector<std::string>& notes) {
  LabelNames result;
  std::vector<std::int32_t> number;
  bool changed = false;
  for (std::size_t k = 0; k < labels.names().size(); ++k) {
    const std::string& label = labels.names()[k];
    const Index line = labels.first_line(static_cast<std::int32_t>(k));
    const std::string name = separator.name_of(label);
    if (name.empty()) {
      throw input_error({.file = file, .line = line}, fmt::format("label '{}' has an empty part", label),
                        fmt::format("expected a path like a{}b, or `label-paths` no", separator.join));
    }
    changed = changed || name != label;
    number.push_back(result.intern(name, line));
  }
  if (!changed) return labels;
  if (const auto merged = labels.names().size() - result.names().size(); merged > 0) {
    notes.push_back(
        fmt::format("{} labels differ from another only by blanks between their parts: taken as one", merged));
  }
  return renumbered(labels, std::move(result), number);
}

LabelNames as_known_paths(const LabelNames& labels, const Taxonomy& known, const ReadOptions& options) {
  const std::string join = path_separator_of(known);
  if (join.empty() || options.label_paths == LabelPaths::kNo) return labels;
  const PathSeparator own = PathSeparator::given(options.path_separator);
  std::vector<std::string> unknown;
  for (const std::string& label : labels.names()) {
    if (!known.find(label) && name_among(label, separators_to_try(own), join, known).empty()) unknown.push_back(label);
  }
  std::vector<std::string> ignored;
  PathSeparator of_unknown = label_separator(unknown, options, ignored);
  of_unknown.join = join;
  LabelNames result;
  std::vector<std::int32_t> number;
  for (std::size_t k = 0; k < labels.names().size(); ++k) {
    const std::string& label = labels.names()[k];
    std::string name = known.find(label) ? label : name_among(label, separators_to_try(own), join, known);
    if (name.empty()) name = of_unknown.name_of(label);
    if (name.empty()) name = label;
    number.push_back(result.intern(name, labels.first_line(static_cast<std::int32_t>(k))));
  }
  return renumbered(labels, std::move(result), number);
}

LabelNames with_first_labels(const LabelNames& labels, std::vector<std::string>& notes) {
  LabelNames result;
  for (Index s = 0; s < labels.samples(); ++s) {
    const auto of = labels.of(s);
    if (!of.empty()) result.add(labels.names()[static_cast<std::size_t>(of[0])], labels.first_line(of[0]));
    result.end_sample();
  }
  if (const Index dropped = labels.total() - result.total(); dropped > 0) {
    notes.push_back(fmt::format("{} labels that are not the first of their sample: dropped", dropped));
  }
  return result;
}

void note_levels(const LabelNames& labels, std::vector<std::string>& notes) {
  constexpr Index kFewestSamples = 10;
  constexpr std::int32_t kNone = -1;  // before the first label
  constexpr std::int32_t kUnseen = -2;
  std::vector<std::int32_t> before(labels.names().size(), kUnseen);
  std::vector<Index> followers(labels.names().size(), 0);
  Index labelled = 0;
  Index several = 0;
  for (Index s = 0; s < labels.samples(); ++s) {
    const auto of = labels.of(s);
    labelled += of.empty() ? 0 : 1;
    several += of.size() > 1 ? 1 : 0;
    for (std::size_t k = 0; k < of.size(); ++k) {
      const std::int32_t above = k == 0 ? kNone : of[k - 1];
      std::int32_t& known = before[static_cast<std::size_t>(of[k])];
      if (known != kUnseen && known != above) return;
      if (known == kUnseen && above != kNone) ++followers[static_cast<std::size_t>(above)];
      known = above;
    }
  }
  const auto parent = std::ranges::find_if(followers, [](Index count) { return count > 1; });
  if (labelled < kFewestSamples || 10 * several < 9 * labelled || parent == followers.end()) return;
  const auto above = static_cast<std::int32_t>(parent - followers.begin());
  const auto child = std::ranges::find(before, above) - before.begin();
  notes.push_back(fmt::format(
      "the labels of a sample look like the levels of one path ('{}', then '{}') but are taken as several labels; in a "
      "table, `label-separators` ; and `path-separator` | read them as a path",
      labels.names()[static_cast<std::size_t>(above)], labels.names()[static_cast<std::size_t>(child)]));
}

Index keep_most_specific(std::vector<NodeId>& labels, const Taxonomy& taxonomy) {
  if (labels.size() < 2) return 0;
  std::vector<NodeId> implied;
  for (const NodeId node : labels) {
    for (const NodeId above : taxonomy.ancestors(node)) {
      if (std::ranges::binary_search(labels, above)) implied.push_back(above);
    }
  }
  return static_cast<Index>(
      std::erase_if(labels, [&](NodeId node) { return std::ranges::find(implied, node) != implied.end(); }));
}

Taxonomy path_taxonomy(const std::vector<std::string>& names, const PathSeparator& separator, const std::string& file) {
  const std::vector<std::string> sorted = in_natural_order(names);
  const auto is_path = [&](const std::string& name) { return name.find(separator.join) != std::string::npos; };
  if (separator.empty() || std::ranges::none_of(sorted, is_path)) return flat_taxonomy(sorted);
  TaxonomyBuilder builder(file);
  builder.imply_root();
  std::size_t bytes = 0;  // of the names of all nodes
  for (const auto& name : sorted) {
    bytes += new_name_bytes(name, separator.join, builder);
    if (bytes > kMostNameBytes) {
      throw input_error({.file = file}, fmt::format("labels of too many parts, such as '{}'", shown(name)),
                        "expected paths of a few parts, or `label-paths` no");
    }
    builder.path(name, separator.join);
  }
  return builder.build();
}

Taxonomy implied_taxonomy(const std::vector<std::string>& names) {
  LabelNames labels;
  for (const std::string& name : names) labels.add(name);
  std::vector<std::string> ignored;
  const PathSeparator separator = label_separator(names, {}, ignored);
  return path_taxonomy(separator.empty() ? names : as_paths(labels, separator, {}, ignored).names(), separator, {});
}

namespace {

// The node of each label name.
std::vector<NodeId> nodes_of(const LabelNames& labels, const Taxonomy& taxonomy, const ReadOptions& options,
                             const std::string& file) {
  const PathSeparator own = PathSeparator::given(options.path_separator);
  std::span<const PathSeparator> separators = separators_to_try(own);
  if (options.label_paths == LabelPaths::kNo) separators = {};
  std::optional<std::string> join;  // of the taxonomy, found when it is needed
  std::vector<NodeId> node_of;
  node_of.reserve(labels.names().size());
  for (std::size_t k = 0; k < labels.names().size(); ++k) {
    const std::string& name = labels.names()[k];
    auto node = taxonomy.find(name);
    for (std::size_t t = 0; !node && t < separators.size(); ++t) node = node_of_path(name, separators[t], taxonomy);
    if (!node) {
      if (!join) join = path_separator_of(taxonomy);
      if (!join->empty()) node = taxonomy.find(name_among(name, separators, *join, taxonomy));
    }
    if (!node) {
      throw input_error({.file = file, .line = labels.first_line(static_cast<std::int32_t>(k))},
                        fmt::format("label '{}' is not in the taxonomy", name),
                        fmt::format("expected one of its {} nodes", taxonomy.size()));
    }
    node_of.push_back(*node);
  }
  return node_of;
}

}  // namespace

LabelSets resolve_labels(const LabelNames& labels, const Taxonomy& taxonomy, const ReadOptions& options,
                         const std::string& file, std::vector<std::string>& notes) {
  const std::vector<NodeId> node_of = nodes_of(labels, taxonomy, options, file);
  LabelSets sets;
  sets.offsets.reserve(static_cast<std::size_t>(labels.samples()) + 1);
  Index implied = 0;
  Index repeated = 0;
  Index unlabelled = 0;
  std::vector<NodeId> of_sample;
  for (Index s = 0; s < labels.samples(); ++s) {
    of_sample.clear();
    for (const std::int32_t label : labels.of(s)) of_sample.push_back(node_of[static_cast<std::size_t>(label)]);
    std::ranges::sort(of_sample);
    const auto stated = std::ssize(of_sample);
    of_sample.erase(std::unique(of_sample.begin(), of_sample.end()), of_sample.end());
    repeated += stated - std::ssize(of_sample);
    implied += keep_most_specific(of_sample, taxonomy);
    unlabelled += of_sample.empty() ? 1 : 0;
    sets.nodes.insert(sets.nodes.end(), of_sample.begin(), of_sample.end());
    sets.offsets.push_back(static_cast<Index>(sets.nodes.size()));
  }
  if (implied > 0) {
    notes.push_back(
        fmt::format("{} stated labels are ancestors of another label of their sample: dropped, as implied", implied));
  }
  if (repeated > 0) notes.push_back(fmt::format("{} labels are stated twice for their sample: kept once", repeated));
  // To a model, data without any label are new data.
  const bool is_new = unlabelled == labels.samples() && options.known_classes.has_value();
  if (unlabelled > 0 && !is_new) {
    notes.push_back(fmt::format("{} sample{} without a label", unlabelled, unlabelled == 1 ? "" : "s"));
  }
  return sets;
}

}  // namespace clade
