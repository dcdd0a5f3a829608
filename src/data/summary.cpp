#include <clade/summary.h>
#include <clade/text.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/equal_rows.h"
#include "data/storage.h"

namespace clade {
namespace {

constexpr Index kMostFeaturesChecked = 50'000'000;
constexpr int kTopLevels = 2;             // shown below the root
constexpr double kDistinctShare = 0.9;    // labels per sample from which labels look like ids
constexpr Index kFewestForDistinct = 20;  // samples

std::map<Index, Bin> bins_of_powers(const std::vector<Index>& values) {
  std::map<Index, Bin> bins;
  for (const Index value : values) {
    const Index high = value <= 2 ? value : static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(value)));
    Bin& bin = bins[high];
    bin.low = value <= 2 ? value : high / 2 + 1;
    bin.high = high;
    ++bin.count;
  }
  return bins;
}

constexpr std::size_t kMostExactBins = 10;

// One bin per value if there are few, else bins 0, 1, 2, 3-4, 5-8, 9-16, ...
std::vector<Bin> bins_of(const std::vector<Index>& values) {
  std::map<Index, Bin> bins;
  for (const Index value : values) ++bins.try_emplace(value, Bin{value, value, 0}).first->second.count;
  if (bins.size() > kMostExactBins) bins = bins_of_powers(values);
  std::vector<Bin> result;
  for (const auto& [high, bin] : bins) result.push_back(bin);
  return result;
}

// A feature is constant if all its values are equal; a missing value equals nothing.
Index count_constant_features(const Dataset& data) {
  if (data.features() > kMostFeaturesChecked || data.samples() == 0) return 0;
  struct Column {
    double value = 0;
    Index count = 0;
    bool varies = false;
  };
  std::vector<Column> columns(static_cast<std::size_t>(data.features()));
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex feature, auto value) {
      Column& column = columns[static_cast<std::size_t>(feature)];
      if (column.count++ == 0) column.value = static_cast<double>(value);
      column.varies = column.varies || !(column.value == static_cast<double>(value));
    });
  }
  return std::ranges::count_if(columns, [&](const Column& column) {
    const bool left_out = column.count < data.samples();  // has zeros that sparse rows do not store
    return !column.varies && (!left_out || column.count == 0 || column.value == 0);
  });
}

Index count_missing(const Dataset& data) {
  Index missing = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex, auto value) { missing += std::isnan(value) ? 1 : 0; });
  }
  return missing;
}

void summarise_labels(const Dataset& data, DataSummary& summary) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<Index> size(static_cast<std::size_t>(taxonomy.size()), 0);
  std::map<Index, Index> per_sample;
  Index labels = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const auto of = data.labels(s);
    labels += std::ssize(of);
    ++per_sample[std::ssize(of)];
    bool inner = false;
    for (const NodeId node : of) {
      ++size[static_cast<std::size_t>(node)];
      inner = inner || !taxonomy.is_leaf(node);
    }
    summary.inner_label_samples += inner ? 1 : 0;
  }
  summary.labels_per_sample =
      data.samples() == 0 ? 0 : static_cast<double>(labels) / static_cast<double>(data.samples());
  for (const auto& [count, samples] : per_sample) summary.labels.push_back({count, count, samples});

  std::vector<Index> sizes;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    const Index samples = size[static_cast<std::size_t>(node)];
    if (samples > 0) sizes.push_back(samples);
    if (samples == 1 && summary.small_classes.count++ == 0) {
      summary.small_classes.example = taxonomy.name(taxonomy.fold(node));
    }
    if (samples > 0 && !taxonomy.is_leaf(node)) ++summary.inner_label_nodes;
    if (samples == 0 && taxonomy.is_leaf(node)) ++summary.leaves_without_sample;
  }
  summary.labelled_nodes = std::ssize(sizes);
  const auto distinct = static_cast<double>(sizes.size());
  if (labels >= kFewestForDistinct && distinct >= kDistinctShare * static_cast<double>(labels)) {
    summary.distinct_labels = {std::ssize(sizes), summary.small_classes.example};
  }
  summary.class_sizes = bins_of(sizes);
}

bool same_labels(const Dataset& data, Index a, Index b) {
  return std::ranges::equal(data.labels(a), data.labels(b));
}

std::string label_text(const Dataset& data, Index sample) {
  std::string text;
  for (const NodeId label : data.labels(sample)) {
    text += fmt::format("{}'{}'", text.empty() ? "" : " and ", data.taxonomy().name(data.taxonomy().fold(label)));
  }
  return text.empty() ? "no label" : text;
}

void summarise_repeats(const Dataset& data, DataSummary& summary, Context& ctx) {
  const std::vector<Index> first_of = first_equal_rows(data, ctx);
  for (Index s = 0; s < data.samples(); ++s) {
    const Index first = first_of[static_cast<std::size_t>(s)];
    if (first == s) continue;
    ++summary.repeated_rows;
    if (same_labels(data, first, s)) continue;
    if (summary.contradicting_rows.count++ == 0) {
      summary.contradicting_rows.example =
          fmt::format("sample {} has {}, sample {} has {}", data.sample_name(first), label_text(data, first),
                      data.sample_name(s), label_text(data, s));
    }
  }
}

// A name as people may spell it in several ways: lower case (ASCII), letters and digits only.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 127;
    if (kept || c == '+' || c == '#') plain += static_cast<char>(upper ? c - 'A' + 'a' : c);
  }
  return plain;
}

// Digits apart, punctuation matters between them: 1.12 and 11.2 are different codes.
bool is_code(std::string_view name) {
  return std::ranges::none_of(name, [](unsigned char c) { return std::isalpha(c) || c > 127; });
}

Finding similar_names(const Taxonomy& taxonomy) {
  Finding found;
  for (const NodeId parent : taxonomy.internal_nodes()) {
    std::unordered_map<std::string, NodeId> seen;
    for (const NodeId child : taxonomy.children(parent)) {
      if (taxonomy.is_miscellaneous(child) || is_code(taxonomy.name(child))) continue;
      const auto [other, fresh] = seen.emplace(plain_name(taxonomy.name(child)), child);
      if (fresh) continue;
      if (found.count++ == 0) {
        found.example = fmt::format("'{}' and '{}'", taxonomy.name(other->second), taxonomy.name(child));
      }
    }
  }
  return found;
}

// Samples with a label at or below each node.
std::vector<Index> samples_at_or_below(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<Index> count(static_cast<std::size_t>(taxonomy.size()), 0);
  std::vector<Index> last(count.size(), -1);  // the last sample that was counted at a node
  std::vector<NodeId> waiting;
  for (Index s = 0; s < data.samples(); ++s) {
    waiting.assign(data.labels(s).begin(), data.labels(s).end());
    while (!waiting.empty()) {
      const NodeId node = waiting.back();
      waiting.pop_back();
      const auto at = static_cast<std::size_t>(node);
      if (last[at] == s) continue;
      last[at] = s;
      ++count[at];
      for (const NodeId above : taxonomy.parents(node)) waiting.push_back(above);
    }
  }
  return count;
}

std::vector<Index> leaves_at_or_below(const Taxonomy& taxonomy) {
  std::vector<Index> count(static_cast<std::size_t>(taxonomy.size()), 0);
  if (taxonomy.is_tree()) {
    for (NodeId node = taxonomy.size() - 1; node >= 0; --node) {
      const auto at = static_cast<std::size_t>(node);
      if (taxonomy.is_leaf(node)) count[at] = 1;
      for (const NodeId above : taxonomy.parents(node)) count[static_cast<std::size_t>(above)] += count[at];
    }
    return count;
  }
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (taxonomy.shortest_depth(node) <= kTopLevels) {
      count[static_cast<std::size_t>(node)] = std::ssize(taxonomy.leaves_below(node));
    }
  }
  return count;
}

TopNode top_node(const Taxonomy& taxonomy, NodeId node, const std::vector<Index>& count, Index most, int levels) {
  TopNode top{.name = taxonomy.name(node), .samples = count[static_cast<std::size_t>(node)]};
  std::vector<NodeId> children;
  for (const NodeId child : taxonomy.children(node)) {
    if (!taxonomy.is_miscellaneous(child)) children.push_back(child);
  }
  top.children = std::ssize(children);
  if (levels == 0) return top;
  std::ranges::sort(children, {},
                    [&](NodeId child) { return std::pair(-count[static_cast<std::size_t>(child)], child); });
  for (const NodeId child : children) {
    if (std::ssize(top.largest) == most) break;
    top.largest.push_back(top_node(taxonomy, child, count, most, levels - 1));
  }
  return top;
}

SequenceSummary summarise_sequences(const Dataset& data) {
  SequenceSummary summary;
  std::unordered_set<double> alphabet;
  for (Index s = 0; s < data.samples(); ++s) {
    Index length = 0;
    data.for_each_value(s, [&](FeatureIndex, auto value) {
      if (value == 0) return;
      ++length;
      alphabet.insert(static_cast<double>(value));
    });
    summary.shortest = s == 0 ? length : std::min(summary.shortest, length);
    summary.longest = std::max(summary.longest, length);
  }
  summary.alphabet = std::ssize(alphabet);
  return summary;
}

}  // namespace

TaxonomySummary summarise(const Taxonomy& taxonomy) {
  TaxonomySummary summary{.nodes = taxonomy.size(),
                          .internal = static_cast<NodeId>(taxonomy.internal_nodes().size()),
                          .leaves = static_cast<NodeId>(taxonomy.leaves().size()),
                          .edges = taxonomy.edges(),
                          .levels = taxonomy.levels(),
                          .tree = taxonomy.is_tree(),
                          .virtual_root = taxonomy.has_virtual_root()};
  std::vector<Index> children;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    const auto depth = static_cast<std::size_t>(taxonomy.shortest_depth(node));
    if (summary.inner_per_level.size() <= depth) {
      summary.inner_per_level.resize(depth + 1, 0);
      summary.leaves_per_level.resize(depth + 1, 0);
    }
    ++(taxonomy.is_leaf(node) ? summary.leaves_per_level : summary.inner_per_level)[depth];
    summary.most_parents = std::max<Index>(summary.most_parents, std::ssize(taxonomy.parents(node)));
    if (!taxonomy.is_leaf(node)) children.push_back(std::ssize(taxonomy.children(node)));
  }
  summary.shortest_levels = static_cast<int>(summary.inner_per_level.size());
  summary.one_child_nodes = std::ranges::count(children, Index{1});
  summary.children = bins_of(children);
  return summary;
}

DataSummary summarise(const Dataset& data, Context& ctx) {
  DataSummary summary{.samples = data.samples(),
                      .features = data.features(),
                      .nonzeros = count_nonzeros(data.matrix(), ctx),
                      .missing_values = count_missing(data),
                      .sparse = is_sparse(data.matrix()),
                      .single_precision = is_single_precision(data.matrix()),
                      .constant_features = holds_sequences(data) ? 0 : count_constant_features(data),
                      .similar_names = similar_names(data.taxonomy()),
                      .only_class = only_class(data).value_or(""),
                      .top = top_of(data),
                      .taxonomy = summarise(data.taxonomy())};
  summarise_repeats(data, summary, ctx);
  if (holds_sequences(data)) summary.sequences = summarise_sequences(data);
  summarise_labels(data, summary);
  return summary;
}

TopNode top_of(const Taxonomy& taxonomy, Index most) {
  return top_node(taxonomy, taxonomy.root(), leaves_at_or_below(taxonomy), most, kTopLevels);
}

TopNode top_of(const Dataset& data, Index most) {
  return top_node(data.taxonomy(), data.taxonomy().root(), samples_at_or_below(data), most, kTopLevels);
}

std::optional<std::string> only_class(const Dataset& data) {
  NodeId only = kNoNode;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) {
      if (only != kNoNode && label != only) return std::nullopt;
      only = label;
    }
  }
  if (only == kNoNode || data.samples() < 2) return std::nullopt;
  return data.taxonomy().name(data.taxonomy().fold(only));
}

std::vector<std::string> warnings_of(const TaxonomySummary& summary) {
  std::vector<std::string> warnings;
  if (summary.one_child_nodes > 0)
    warnings.push_back(fmt::format("{} inner nodes have one child only", summary.one_child_nodes));
  return warnings;
}

std::vector<std::string> warnings_of(const DataSummary& summary) {
  std::vector<std::string> warnings;
  const auto warn = [&](Index count, std::string text) {
    if (count > 0) warnings.push_back(std::move(text));
  };
  warn(summary.missing_values,
       fmt::format("{} values are missing: `missing` mean, zero or drop-sample says what stands for them",
                   summary.missing_values));
  warn(summary.inner_label_samples,
       fmt::format("{} samples are labelled at an inner node ({} such nodes): learning gives each a miscellaneous leaf",
                   summary.inner_label_samples, summary.inner_label_nodes));
  if (summary.labelled_nodes > 0) {
    warn(summary.leaves_without_sample, fmt::format("{} leaves have no sample", summary.leaves_without_sample));
  }
  warn(summary.constant_features, fmt::format("{} features are constant", summary.constant_features));
  warn(summary.repeated_rows, fmt::format("{} samples repeat the {} of an earlier one", summary.repeated_rows,
                                          summary.sequences ? "sequence" : "features"));
  warn(summary.contradicting_rows.count,
       fmt::format("{} of them have other labels than that one: {}", summary.contradicting_rows.count,
                   summary.contradicting_rows.example));
  warn(summary.similar_names.count,
       fmt::format("{} names differ from a sibling's only by case, blanks or punctuation: {}",
                   summary.similar_names.count, summary.similar_names.example));
  if (summary.distinct_labels.count > 0) {
    warnings.push_back(
        fmt::format("{} different labels for {} samples, such as '{}': are they numbers or ids rather than classes?",
                    summary.distinct_labels.count, summary.samples, summary.distinct_labels.example));
  } else {
    warn(summary.small_classes.count, fmt::format("{} classes have one sample, such as '{}'",
                                                  summary.small_classes.count, summary.small_classes.example));
  }
  if (!summary.only_class.empty()) {
    warnings.push_back(
        fmt::format("all samples are of one class, '{}': there is nothing to tell apart", summary.only_class));
  }
  const auto of_taxonomy = warnings_of(summary.taxonomy);
  warnings.insert(warnings.end(), of_taxonomy.begin(), of_taxonomy.end());
  return warnings;
}

}  // namespace clade
