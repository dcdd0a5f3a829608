#include "io/labels/label_repair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

// For each label the one that it is a remnant of, or itself.
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

}  // namespace clade
