#include "induce/cut.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace clade {
namespace {

// Relative differences below this are rounding.
constexpr double kRounding = 1e-12;

double coefficient(double distance, std::span<const double> made_of) {
  if (made_of.empty()) return 0;
  const auto n = static_cast<double>(made_of.size() + 1);
  double mean = distance;
  for (const double d : made_of) mean += d;
  mean /= n;
  double squares = (distance - mean) * (distance - mean);
  for (const double d : made_of) squares += (d - mean) * (d - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  return deviation <= kRounding * distance ? 0 : (distance - mean) / deviation;
}

// The number of clusters at each level, ascending.
std::vector<Index> cluster_counts(const std::vector<Merge>& merges, int levels) {
  const auto q = std::ssize(merges) + 1;
  // With the k - 1 largest distances cut: the gap between the smallest one cut and the largest one kept.
  const auto gap = [&](Index k) {
    const auto first_cut = static_cast<std::size_t>(q - k);
    return merges[first_cut].distance - merges[first_cut - 1].distance;
  };
  const auto count_at = [&](double level) { return std::pow(static_cast<double>(q), level / levels); };
  std::vector<Index> counts;
  Index before = 1;
  for (int level = 1; level < levels; ++level) {
    const Index most = q - (levels - level);  // leaves room for the levels below
    const Index low = std::min(std::max(before + 1, static_cast<Index>(std::ceil(count_at(level - 0.5)))), most);
    const Index high = std::clamp(static_cast<Index>(std::floor(count_at(level + 0.5))), low, most);
    Index best = low;
    for (Index k = low + 1; k <= high; ++k) {
      if (gap(k) > gap(best)) best = k;
    }
    counts.push_back(best);
    before = best;
  }
  return counts;
}

}  // namespace

void set_inconsistency(std::vector<Merge>& merges) {
  const auto q = std::ssize(merges) + 1;
  for (Merge& merge : merges) {
    std::vector<double> made_of;
    for (const Index part : {merge.first, merge.second}) {
      if (part >= q) made_of.push_back(merges[static_cast<std::size_t>(part - q)].distance);
    }
    merge.inconsistency = coefficient(merge.distance, made_of);
  }
}

std::optional<double> cut_inconsistent(std::vector<Merge>& merges) {
  const auto q = std::ssize(merges) + 1;
  double sum = 0;
  double count = 0;
  for (const Merge& merge : merges) {
    sum += merge.inconsistency;
    count += merge.inconsistency != 0 ? 1 : 0;
  }
  if (count == 0) {
    for (Merge& merge : merges) merge.cuts = 0;
    return std::nullopt;
  }
  const double threshold = sum / count;
  for (Merge& merge : merges) {
    merge.cuts = merge.inconsistency > threshold * (1 + kRounding) ? 1 : 0;
    for (const Index part : {merge.first, merge.second}) {
      if (part >= q && merges[static_cast<std::size_t>(part - q)].cuts > 0) merge.cuts = 1;
    }
  }
  return threshold;
}

void cut_levels(std::vector<Merge>& merges, int levels) {
  const auto q = std::ssize(merges) + 1;
  if (levels > 1 && levels >= q) {
    throw usage_error(fmt::format("`levels`: {} levels of {} classes", levels, q),
                      q > 2 ? fmt::format("expected at most {}: a level has fewer clusters than the one below", q - 1)
                            : "expected 1: there is nothing to group");
  }
  for (Merge& merge : merges) merge.cuts = 0;
  for (const Index count : cluster_counts(merges, levels)) {
    for (Index k = q - count; k < q - 1; ++k) ++merges[static_cast<std::size_t>(k)].cuts;
  }
}

}  // namespace clade
