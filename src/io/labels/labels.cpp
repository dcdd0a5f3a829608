#include "io/labels/labels.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
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

void check_path(std::string_view path, std::string_view separator, const std::string& file) {
  const std::string doubled = std::string(separator) + std::string(separator);
  if (path.starts_with(separator) || path.ends_with(separator) || path.find(doubled) != std::string_view::npos) {
    throw input_error({.file = file}, fmt::format("label '{}' has an empty part", path),
                      fmt::format("expected a path like a{}b, or `label-paths` no", separator));
  }
}

// The node that a path like a/b/c means: c, if b and a lie above it.
std::optional<NodeId> node_of_path(std::string_view path, std::string_view separator, const Taxonomy& taxonomy) {
  const std::size_t cut = path.rfind(separator);
  if (cut == std::string_view::npos) return std::nullopt;
  const auto node = taxonomy.find(path.substr(cut + separator.size()));
  if (!node) return std::nullopt;
  std::string_view rest = path.substr(0, cut);
  while (!rest.empty()) {
    const std::size_t next = rest.rfind(separator);
    const auto above = taxonomy.find(next == std::string_view::npos ? rest : rest.substr(next + separator.size()));
    if (!above || !taxonomy.is_ancestor(*above, *node)) return std::nullopt;
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(0, next);
  }
  return node;
}

}  // namespace

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

Taxonomy implied_taxonomy(const std::vector<std::string>& names, const ReadOptions& options, const std::string& file) {
  const std::vector<std::string> sorted = in_natural_order(names);
  const std::string& separator = options.path_separator;
  const bool has_paths =
      options.label_paths != LabelPaths::kNo && !separator.empty() &&
      std::ranges::any_of(sorted, [&](const auto& name) { return name.find(separator) != std::string::npos; });
  if (!has_paths) return flat_taxonomy(sorted);
  TaxonomyBuilder builder(file);
  builder.imply_root();
  for (const auto& name : sorted) {
    check_path(name, separator, file);
    builder.path(name, separator);
  }
  return builder.build();
}

LabelSets resolve_labels(const LabelNames& labels, const Taxonomy& taxonomy, const ReadOptions& options,
                         const std::string& file, std::vector<std::string>& notes) {
  std::vector<NodeId> node_of;
  node_of.reserve(labels.names().size());
  for (std::size_t k = 0; k < labels.names().size(); ++k) {
    const std::string& name = labels.names()[k];
    auto node = taxonomy.find(name);
    if (!node && options.label_paths != LabelPaths::kNo) node = node_of_path(name, options.path_separator, taxonomy);
    if (!node) {
      throw input_error({.file = file, .line = labels.first_line(static_cast<std::int32_t>(k))},
                        fmt::format("label '{}' is not in the taxonomy", name),
                        fmt::format("expected one of its {} nodes", taxonomy.size()));
    }
    node_of.push_back(*node);
  }

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
  if (unlabelled > 0) notes.push_back(fmt::format("{} samples have no label", unlabelled));
  return sets;
}

}  // namespace clade
