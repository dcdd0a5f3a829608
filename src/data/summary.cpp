#include <clade/summary.h>
#include <clade/text.h>
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/parallel.h"
#include "data/storage.h"

namespace clade {
namespace {

constexpr Index kMostFeaturesChecked = 50'000'000;
constexpr Index kRowsPerChunk = 1024;

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

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash ^= word + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  return hash * 0xff51afd7ed558ccdU;
}

// Equal rows have equal hashes, whether zeros are stored or not.
std::uint64_t row_hash(const Dataset& data, Index sample) {
  std::uint64_t hash = 0;
  data.for_each_value(sample, [&](FeatureIndex feature, auto value) {
    if (value == 0) return;
    hash = mixed(mixed(hash, static_cast<std::uint64_t>(feature)),
                 std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  });
  return hash;
}

bool same_row(const Dataset& data, Index a, Index b) {
  std::vector<std::pair<FeatureIndex, double>> rows[2];
  for (int k = 0; k < 2; ++k) {
    data.for_each_value(k == 0 ? a : b, [&](FeatureIndex feature, auto value) {
      if (value != 0) rows[k].emplace_back(feature, static_cast<double>(value));
    });
  }
  return std::ranges::equal(rows[0], rows[1], [](const auto& x, const auto& y) {
    return x.first == y.first && (x.second == y.second || (std::isnan(x.second) && std::isnan(y.second)));
  });
}

Index count_repeated_rows(const Dataset& data, Context& ctx) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(data.samples()));
  parallel_for(ctx, data.samples(), kRowsPerChunk, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) hashes[static_cast<std::size_t>(s)] = row_hash(data, s);
  });
  std::unordered_multimap<std::uint64_t, Index> distinct;
  distinct.reserve(hashes.size());
  Index repeated = 0;
  for (Index s = 0; s < data.samples(); ++s) {
    const std::uint64_t hash = hashes[static_cast<std::size_t>(s)];
    const auto [first, last] = distinct.equal_range(hash);
    const bool seen = std::any_of(first, last, [&](const auto& entry) { return same_row(data, entry.second, s); });
    if (seen) {
      ++repeated;
    } else {
      distinct.emplace(hash, s);
    }
  }
  return repeated;
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
    if (samples > 0 && !taxonomy.is_leaf(node)) ++summary.inner_label_nodes;
    if (samples == 0 && taxonomy.is_leaf(node)) ++summary.leaves_without_sample;
  }
  summary.labelled_nodes = std::ssize(sizes);
  summary.class_sizes = bins_of(sizes);
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
                      .repeated_rows = count_repeated_rows(data, ctx),
                      .taxonomy = summarise(data.taxonomy())};
  if (holds_sequences(data)) summary.sequences = summarise_sequences(data);
  summarise_labels(data, summary);
  return summary;
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
  warn(summary.missing_values, fmt::format("{} values are missing: learning needs `missing` mean, zero or drop-sample",
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
  const auto of_taxonomy = warnings_of(summary.taxonomy);
  warnings.insert(warnings.end(), of_taxonomy.begin(), of_taxonomy.end());
  return warnings;
}

}  // namespace clade
