#include "classify/joint/sample_dual.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace clade {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLanes = 8;  // partial sums, so that loops over attributes become vector instructions
constexpr std::size_t kBits = 64;

// Sums of size[k] d[k] d[k] and d[k] out[k].
struct Products {
  double square;
  double slope;
};
Products products(const double* size, const double* direction, const double* output, std::size_t padded) {
  double square[kLanes] = {};
  double slope[kLanes] = {};
  for (std::size_t k = 0; k < padded; k += kLanes) {
    for (std::size_t t = 0; t < kLanes; ++t) {
      square[t] += size[k + t] * direction[k + t] * direction[k + t];
      slope[t] += direction[k + t] * output[k + t];
    }
  }
  Products sum{0, 0};
  for (std::size_t t = 0; t < kLanes; ++t) {
    sum.square += square[t];
    sum.slope += slope[t];
  }
  return sum;
}

}  // namespace

SampleDual::SampleDual(const JointProblem& problem, Layout layout)
    : problem_(problem), is_by_group_(layout.is_by_group), has_equal_values_(!layout.is_masked) {
  const ClassAttributes& attributes = problem.attributes;
  class_place_.assign(static_cast<std::size_t>(attributes.classes()), -1);
  is_used_.assign(static_cast<std::size_t>(attributes.count) / kBits + 1, 0);
  group_.assign(static_cast<std::size_t>(attributes.count), 0);
  for (Index y = 0; y < attributes.classes(); ++y) {
    const auto value = attributes.value_of(y);
    has_equal_values_ = has_equal_values_ && std::ranges::all_of(value, [&](double v) { return v == value[0]; });
  }
  has_one_value_ = std::ranges::all_of(attributes.value, [&](double v) { return v == attributes.value[0]; });
}

std::int32_t SampleDual::local_class(std::int32_t y) {
  std::int32_t& place = class_place_[static_cast<std::size_t>(y)];
  if (place < 0) {
    place = static_cast<std::int32_t>(used_classes_.size());
    used_classes_.push_back(y);
  }
  return place;
}

void SampleDual::arrange(std::span<const PairVariable> variables, LocalPairs& local) {
  used_classes_.clear();
  local.pairs.clear();
  for (const PairVariable& v : variables) {
    const std::int32_t own = local_class(v.own);
    local.pairs.push_back({own, local_class(v.other)});
  }
  for (const std::int32_t y : used_classes_) class_place_[static_cast<std::size_t>(y)] = -1;
  assign_groups();
  collect_attributes(local);
  list_groups(local);
  for (const std::int32_t y : used_classes_) {
    for (const std::int32_t z : problem_.attributes.index_of(y)) group_[static_cast<std::size_t>(z)] = 0;
  }
}

void SampleDual::attributes_of(std::span<const PairVariable> variables, std::vector<std::int32_t>& attributes) {
  attributes.clear();
  const auto use = [&](std::int32_t y) {
    for (const std::int32_t z : problem_.attributes.index_of(y)) {
      std::uint64_t& word = is_used_[static_cast<std::size_t>(z) / kBits];
      const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(z) % kBits);
      if ((word & bit) == 0) attributes.push_back(z);
      word |= bit;
    }
  };
  for (const PairVariable& v : variables) {
    use(v.own);
    use(v.other);
  }
  for (const std::int32_t z : attributes) is_used_[static_cast<std::size_t>(z) / kBits] = 0;
}

// Class by class, the attributes of a group that a class has part from those that it does not have. If their values
// differ, every attribute is a group.
void SampleDual::assign_groups() {
  groups_.assign(1, {});
  for (std::size_t c = 0; c < used_classes_.size(); ++c) {
    const auto by = static_cast<std::int32_t>(c);
    for (const std::int32_t z : problem_.attributes.index_of(used_classes_[c])) {
      std::int32_t& of = group_[static_cast<std::size_t>(z)];
      if (of == 0) {
        is_used_[static_cast<std::size_t>(z) / kBits] |= std::uint64_t{1} << (static_cast<std::size_t>(z) % kBits);
      } else if (!has_equal_values_) {
        continue;
      }
      const auto from = static_cast<std::size_t>(of);
      if (groups_[from].last != by || !has_equal_values_) {
        groups_[from].last = by;
        groups_[from].split_to = static_cast<std::int32_t>(groups_.size());
        groups_.push_back({.classes = groups_[from].classes + 1});
      }
      of = groups_[from].split_to;
    }
  }
}

void SampleDual::collect_attributes(LocalPairs& local) {
  const bool leaves_common = has_one_value_ && !used_classes_.empty();
  local.attributes.clear();
  local.group_of.clear();
  local.group_size.clear();
  for (std::size_t word = 0; word < is_used_.size(); ++word) {
    for (std::uint64_t bits = is_used_[word]; bits != 0; bits &= bits - 1) {
      const std::size_t z = word * kBits + static_cast<std::size_t>(std::countr_zero(bits));
      Group& group = groups_[static_cast<std::size_t>(group_[z])];
      if (leaves_common && group.classes == std::ssize(used_classes_)) continue;
      if (group.place < 0) {
        group.place = static_cast<std::int32_t>(local.group_size.size());
        local.group_size.push_back(0);
      }
      local.group_size[static_cast<std::size_t>(group.place)] += 1;
      local.attributes.push_back(static_cast<std::int32_t>(z));
      local.group_of.push_back(group.place);
    }
    is_used_[word] = 0;
  }
  if (is_by_group_) order_by_group(local);
  local.group_size.resize((local.group_size.size() + kLanes - 1) / kLanes * kLanes, 0);
}

void SampleDual::order_by_group(LocalPairs& local) {
  std::vector<std::int32_t>& begin = local.group_begin;
  begin.assign(local.group_size.size() + 1, 0);
  for (const std::int32_t g : local.group_of) ++begin[static_cast<std::size_t>(g) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  ordered_.resize(local.attributes.size());
  for (std::size_t k = 0; k < local.attributes.size(); ++k) {
    ordered_[static_cast<std::size_t>(begin[static_cast<std::size_t>(local.group_of[k])]++)] = local.attributes[k];
  }
  std::copy_backward(begin.begin(), begin.end() - 1, begin.end());
  begin[0] = 0;
  local.attributes.assign(ordered_.begin(), ordered_.end());
  for (std::size_t g = 0; g < local.group_count(); ++g) {
    std::fill(local.group_of.begin() + begin[g], local.group_of.begin() + begin[g + 1], static_cast<std::int32_t>(g));
  }
}

void SampleDual::list_groups(LocalPairs& local) {
  local.classes.clear();
  local.groups.clear();
  local.values.clear();
  for (Group& group : groups_) group.last = -1;
  for (std::size_t c = 0; c < used_classes_.size(); ++c) {
    const auto index = problem_.attributes.index_of(used_classes_[c]);
    const auto value = problem_.attributes.value_of(used_classes_[c]);
    const auto begin = static_cast<std::int32_t>(local.groups.size());
    for (std::size_t k = 0; k < index.size(); ++k) {
      Group& group = groups_[static_cast<std::size_t>(group_[static_cast<std::size_t>(index[k])])];
      if (group.place < 0 || group.last == static_cast<std::int32_t>(c)) continue;
      group.last = static_cast<std::int32_t>(c);
      local.groups.push_back(group.place);
      local.values.push_back(value[k]);
    }
    local.classes.push_back({begin, static_cast<std::int32_t>(local.groups.size())});
  }
}

void SampleDual::drop_zeros(std::vector<PairVariable>& variables, LocalPairs& local) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < variables.size(); ++p) {
    if (variables[p].share <= 0) continue;
    variables[kept] = variables[p];
    local.pairs[kept++] = local.pairs[p];
  }
  variables.resize(kept);
  local.pairs.resize(kept);
}

void SampleDual::compute_gradients(std::span<const PairVariable> variables, const LocalPairs& local) {
  for (std::size_t c = 0; c < local.classes.size(); ++c) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(local.classes[c].begin); k < static_cast<std::size_t>(local.classes[c].end);
         ++k) {
      sum += local.values[k] * output_[static_cast<std::size_t>(local.groups[k])];
    }
    score_[c] = sum;
  }
  for (std::size_t p = 0; p < variables.size(); ++p) {
    gradient_[p] = variables[p].loss * (1 - score_[static_cast<std::size_t>(local.pairs[p].own)] +
                                        score_[static_cast<std::size_t>(local.pairs[p].other)]);
  }
}

// direction += factor (Lambda(own) - Lambda(other)). The difference comes first: where both classes have the same
// value, exactly nothing is left.
void SampleDual::add_direction(const LocalPairs& local, const LocalPairs::Pair& pair, double factor) {
  const auto for_each_group = [&](std::int32_t c, const auto& use) {
    const LocalPairs::Class& list = local.classes[static_cast<std::size_t>(c)];
    for (auto k = static_cast<std::size_t>(list.begin); k < static_cast<std::size_t>(list.end); ++k) {
      use(static_cast<std::size_t>(local.groups[k]), local.values[k]);
    }
  };
  for_each_group(pair.own, [&](std::size_t group, double value) { difference_[group] += value; });
  for_each_group(pair.other, [&](std::size_t group, double value) { difference_[group] -= value; });
  for (const std::int32_t c : {pair.own, pair.other}) {
    for_each_group(c, [&](std::size_t group, double) {
      direction_[group] += factor * difference_[group];
      difference_[group] = 0;
    });
  }
}

const double* SampleDual::group_sizes(const LocalPairs& local, SampleSquare square) {
  if (!square.is_masked()) return local.group_size.data();
  masked_size_.assign(local.group_size.size(), 0);
  if (square.common() == 0) return masked_size_.data();
  for (std::size_t k = 0; k < local.attributes.size(); ++k) {
    masked_size_[static_cast<std::size_t>(local.group_of[k])] += square.of(local.attributes[k]) / square.common();
  }
  return masked_size_.data();
}

SampleDual::Outcome SampleDual::iterate(std::vector<PairVariable>& variables, const LocalPairs& local,
                                        const Sample& sample) {
  const auto [squares, cost, tolerance, most_steps] = sample;
  const double square = squares.common();
  const double* const size = group_sizes(local, squares);
  score_.resize(local.classes.size());
  coefficient_.assign(local.group_size.size(), 0);
  direction_.resize(local.group_size.size());
  difference_.assign(local.group_size.size(), 0);
  gradient_.resize(variables.size());
  double sum = 0;
  for (const PairVariable& v : variables) sum += v.share;

  Outcome outcome;
  for (;; ++outcome.steps) {
    compute_gradients(variables, local);
    double most = 0;
    double least = is_exhausted(sum, cost) ? std::numeric_limits<double>::infinity() : 0;
    std::size_t up = kNone;
    std::size_t down = kNone;
    for (std::size_t p = 0; p < variables.size(); ++p) {
      if (gradient_[p] > most) {
        most = gradient_[p];
        up = p;
      }
      if (variables[p].share > 0 && gradient_[p] < least) {
        least = gradient_[p];
        down = p;
      }
    }
    if (outcome.steps == 0) outcome.violation = std::max(0.0, most - least);
    // The negation also stops if nothing can go down.
    if (!(most - least > tolerance) || outcome.steps == most_steps || least == std::numeric_limits<double>::infinity())
      break;

    double gained = 0;  // of the linear part, per unit of the step
    std::fill(direction_.begin(), direction_.end(), 0.0);
    if (down != kNone) {
      gained -= variables[down].loss;
      add_direction(local, local.pairs[down], -variables[down].loss);
    }
    if (up != kNone) {
      gained += variables[up].loss;
      add_direction(local, local.pairs[up], variables[up].loss);
    }
    const Products along = products(size, direction_.data(), output_.data(), direction_.size());
    const double longest = down != kNone ? variables[down].share : std::max(0.0, cost - sum);
    const double bend = along.square * square;
    const double step = bend > 0 ? std::min(longest, (most - least) / bend) : longest;
    for (std::size_t k = 0; k < direction_.size(); ++k) {
      coefficient_[k] += step * direction_[k];
      output_[k] += step * square * size[k] * direction_[k];
    }
    outcome.linear += step * gained;
    outcome.square += step * (2 * along.slope + step * bend);
    if (up != kNone) {
      variables[up].share += step;
      sum += step;
    }
    if (down != kNone) {
      variables[down].share = step == longest ? 0 : variables[down].share - step;
      sum -= step;
    } else if (step == longest) {
      sum = cost;
    }
    if (step == 0) break;
  }
  return outcome;
}

void SampleDual::list_changes(const LocalPairs& local, const Outcome& outcome) {
  changes_.clear();
  if (outcome.steps == 0) return;
  for (std::size_t k = 0; k < local.attributes.size(); ++k) {
    const double change = coefficient_[static_cast<std::size_t>(local.group_of[k])];
    if (change != 0) changes_.push_back({local.attributes[k], change});
  }
}

}  // namespace clade
