#include "classify/label_tree.h"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "core/fetch_ahead.h"

namespace clade {
namespace {

struct GroupHeader {
  std::uint32_t features = 0;
  std::uint32_t weights = 0;
  std::uint32_t weight_bytes = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(GroupHeader) == 16);

GroupHeader header_of(std::span<const std::uint8_t> bytes) {
  GroupHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

std::size_t bytes_of(const GroupHeader& header, Index outputs) {
  return sizeof(GroupHeader) + static_cast<std::size_t>(outputs) * (sizeof(double) + sizeof(float)) +
         std::size_t{header.features} * sizeof(FeatureIndex) +
         (std::size_t{header.features} + 1) * sizeof(std::uint32_t) +
         std::size_t{header.weights} * (header.weight_bytes + 1);
}

template <class T>
std::span<const T> take(const std::uint8_t*& at, std::size_t count) {
  const std::span<const T> values(reinterpret_cast<const T*>(at), count);
  at += values.size_bytes();
  return values;
}

template <class T>
void put(std::vector<std::uint8_t>& bytes, const std::vector<T>& values) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), begin, begin + values.size() * sizeof(T));
}

// Nothing in the loops branches, so that they run at the speed of memory.
bool is_sound_group(const GroupWeights& group, Index features, Index outputs) {
  bool is_odd = group.offsets.front() != 0 || group.offsets.back() != group.outputs.size();
  if (!group.features.empty()) is_odd |= group.features.front() < 0 || group.features.back() >= features;
  for (std::size_t k = 1; k < group.features.size(); ++k) is_odd |= group.features[k] <= group.features[k - 1];
  for (std::size_t k = 1; k < group.offsets.size(); ++k) is_odd |= group.offsets[k] < group.offsets[k - 1];
  for (const std::uint8_t output : group.outputs) is_odd |= output >= outputs;
  for (const double bias : group.bias) is_odd |= !std::isfinite(bias);
  for (const float scale : group.scale) is_odd |= !std::isfinite(scale);
  if (const auto* floats = std::get_if<std::span<const float>>(&group.weights)) {
    for (const float weight : *floats) is_odd |= !(std::abs(weight) <= std::numeric_limits<float>::max());
  }
  return !is_odd;
}

Error beyond_range() {
  return usage_error("the weights are beyond the range of numbers", "expected values of a usual size");
}

double log_logistic(double score) {
  return score >= 0 ? -std::log1p(std::exp(-score)) : score - std::log1p(std::exp(score));
}

}  // namespace

void LabelTree::prepare(Index features) {
  features_ = features;
  is_sound_ = std::make_unique<std::atomic<bool>[]>(packed.size());
}

void LabelTree::require_sound(Index group) const {
  const auto g = static_cast<std::size_t>(group);
  if (is_sound_[g].load(std::memory_order_relaxed)) return;
  const std::span<const std::uint8_t> bytes = packed[g];
  if (group_checksum(bytes) != checksum[g]) {
    throw input_error(where, "wrong checksum: a byte of the weights has changed",
                      "expected the file as it was written; copy or train it again");
  }
  const Index outputs = outputs_of(group);
  bool is_good = bytes.size() >= sizeof(GroupHeader) &&
                 reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(double) == 0 && outputs <= kMostGroupOutputs;
  if (is_good) {
    const GroupHeader header = header_of(bytes);
    is_good = (header.weight_bytes == 1 || header.weight_bytes == 4) && bytes_of(header, outputs) == bytes.size();
  }
  if (!is_good || !is_sound_group(unpacked_group(bytes, outputs), features_, outputs)) {
    throw input_error(where, "inconsistent model: bad weights in a label tree", "expected those of its features");
  }
  is_sound_[g].store(true, std::memory_order_relaxed);
}

std::vector<std::uint8_t> packed_group(const std::vector<SparseOutput>& weights, const std::vector<double>& bias,
                                       const std::vector<FeatureIndex>& features, GroupPrecision precision) {
  CLADE_CHECK(weights.size() == bias.size() && std::ssize(bias) <= kMostGroupOutputs);
  const bool are_bytes = precision == GroupPrecision::kByte;
  constexpr double kLargestByte = 127;
  std::vector<float> scale;
  for (const SparseOutput& output : weights) {
    double largest = 0;
    for (const auto& [column, value] : output) {
      largest = std::max(largest, std::isnan(value) ? std::numeric_limits<double>::infinity() : std::abs(value));
    }
    scale.push_back(!are_bytes ? 1 : static_cast<float>(largest / kLargestByte));
  }
  const auto is_odd = [](auto value) { return !std::isfinite(value); };
  if (std::ranges::any_of(bias, is_odd) || std::ranges::any_of(scale, is_odd)) throw beyond_range();
  // A weight as it is stored.
  const auto rounded = [&](std::size_t o, double value) {
    if (!are_bytes) return static_cast<double>(static_cast<float>(value));
    return scale[o] > 0 ? std::clamp(std::round(value / double{scale[o]}), -kLargestByte, kLargestByte) : 0;
  };
  std::vector<std::uint32_t> next(features.size() + 1, 0);
  for (std::size_t o = 0; o < weights.size(); ++o) {
    for (const auto& [column, value] : weights[o]) {
      if (rounded(o, value) != 0) ++next[static_cast<std::size_t>(column) + 1];
    }
  }
  std::vector<FeatureIndex> kept;
  std::vector<std::uint32_t> offsets{0};
  for (std::size_t k = 0; k < features.size(); ++k) {
    const std::uint32_t count = next[k + 1];
    next[k + 1] += next[k];
    if (count == 0) continue;
    kept.push_back(features[k]);
    offsets.push_back(next[k + 1]);
  }
  std::vector<std::int8_t> small(are_bytes ? next.back() : 0);
  std::vector<float> large(are_bytes ? 0 : next.back());
  std::vector<std::uint8_t> outputs(next.back());
  for (std::size_t o = 0; o < weights.size(); ++o) {
    for (const auto& [column, value] : weights[o]) {
      const double stored = rounded(o, value);
      if (stored == 0) continue;
      const std::uint32_t place = next[static_cast<std::size_t>(column)]++;
      outputs[place] = static_cast<std::uint8_t>(o);
      if (are_bytes) {
        small[place] = static_cast<std::int8_t>(stored);
      } else {
        large[place] = static_cast<float>(stored);
      }
    }
  }
  if (std::ranges::any_of(large, is_odd)) throw beyond_range();
  const GroupHeader header{.features = static_cast<std::uint32_t>(kept.size()),
                           .weights = static_cast<std::uint32_t>(outputs.size()),
                           .weight_bytes = static_cast<std::uint32_t>(precision)};
  std::vector<std::uint8_t> bytes(sizeof(header));
  std::memcpy(bytes.data(), &header, sizeof(header));
  bytes.reserve(bytes_of(header, std::ssize(bias)));
  put(bytes, bias);
  put(bytes, scale);
  put(bytes, kept);
  put(bytes, offsets);
  put(bytes, small);
  put(bytes, large);
  put(bytes, outputs);
  return bytes;
}

GroupWeights unpacked_group(std::span<const std::uint8_t> bytes, Index outputs) {
  const GroupHeader header = header_of(bytes);
  const std::uint8_t* at = bytes.data() + sizeof(header);
  GroupWeights group;
  group.bias = take<double>(at, static_cast<std::size_t>(outputs));
  group.scale = take<float>(at, static_cast<std::size_t>(outputs));
  group.features = take<FeatureIndex>(at, header.features);
  group.offsets = take<std::uint32_t>(at, std::size_t{header.features} + 1);
  if (header.weight_bytes == 1) {
    group.weights = take<std::int8_t>(at, header.weights);
  } else {
    group.weights = take<float>(at, header.weights);
  }
  group.outputs = take<std::uint8_t>(at, header.weights);
  return group;
}

std::uint64_t group_checksum(std::span<const std::uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void require_sound_label_trees(const ModelBody& model) {
  for (const NodeClassifier& node : model.nodes) {
    if (!node.tree) continue;
    for (Index group = 0; group < node.tree->groups(); ++group) node.tree->require_sound(group);
  }
}

Index group_above(const LabelTree& tree, Index group) {
  const auto above = std::upper_bound(tree.offsets.begin(), tree.offsets.end(), static_cast<std::uint32_t>(group - 1));
  return above - tree.offsets.begin() - 1;
}

Index group_of_child(const LabelTree& tree, std::int32_t child) {
  const auto place = std::ranges::find(tree.order, child) - tree.order.begin();
  return group_above(tree, tree.groups() + place);
}

std::vector<std::pair<FeatureIndex, double>> last_weights(const LabelTree& tree, std::int32_t child) {
  const Index last = group_of_child(tree, child);
  tree.require_sound(last);
  const GroupWeights group = unpacked_group(tree.packed[static_cast<std::size_t>(last)], tree.outputs_of(last));
  const auto place = std::ranges::find(tree.order, child) - tree.order.begin();
  const auto own = static_cast<std::size_t>(tree.groups() - 1 + place) - tree.offsets[static_cast<std::size_t>(last)];
  std::vector<std::pair<FeatureIndex, double>> weights;
  std::visit(
      [&](auto values) {
        for (std::size_t k = 0; k < group.features.size(); ++k) {
          for (std::size_t e = group.offsets[k]; e < group.offsets[k + 1]; ++e) {
            if (group.outputs[e] != own) continue;
            weights.emplace_back(group.features[k], double{group.scale[own]} * static_cast<double>(values[e]));
          }
        }
      },
      group.weights);
  return weights;
}

void LabelTreeSearch::take_sample(const Dataset& data, Index sample) {
  sample_.clear();
  double square = 0;
  data.for_each_value(sample, [&](FeatureIndex f, auto value) {
    if (value == 0) return;
    const auto x = static_cast<double>(value);
    square += x * x;
    sample_.emplace_back(f, x);
  });
  if (!model_.has_unit_rows || square == 0) return;
  const double factor = 1 / std::sqrt(square);
  for (auto& [feature, value] : sample_) value *= factor;
}

// Where the features of the sample are among those of a group, or kNoPlace. All of them are searched side by side, half
// of what is left at each step: each search alone would wait for memory most of the time.
void LabelTreeSearch::find_places(const GroupWeights& group) {
  places_.assign(sample_.size(), 0);
  const FeatureIndex* const features = group.features.data();
  for (std::size_t left = group.features.size(); left > 1;) {
    const std::size_t half = left / 2;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      places_[k] += features[places_[k] + half] <= sample_[k].first ? static_cast<std::uint32_t>(half) : 0;
    }
    left -= half;
  }
  for (std::size_t k = 0; k < places_.size(); ++k) {
    std::uint32_t& place = places_[k];
    if (group.features.empty() || features[place] != sample_[k].first) {
      place = kNoPlace;
    } else {
      fetch_ahead(&group.offsets[place]);
    }
  }
}

void LabelTreeSearch::score_group(const LabelTree& tree, Index group) {
  tree.require_sound(group);
  const GroupWeights own = unpacked_group(tree.packed[static_cast<std::size_t>(group)], tree.outputs_of(group));
  find_places(own);
  outputs_.assign(own.bias.size(), 0);
  std::visit(
      [&](auto weights) {
        constexpr std::size_t kAhead = 6;
        for (std::size_t k = 0; k < places_.size(); ++k) {
          if (k + kAhead < places_.size() && places_[k + kAhead] != kNoPlace) {
            const std::size_t first = own.offsets[places_[k + kAhead]];
            fetch_ahead(&weights[first]);
            fetch_ahead(&own.outputs[first]);
          }
          if (places_[k] == kNoPlace) continue;
          const double value = sample_[k].second;
          const std::size_t end = own.offsets[places_[k] + 1];
          for (std::size_t e = own.offsets[places_[k]]; e < end; ++e) {
            outputs_[own.outputs[e]] += value * static_cast<double>(weights[e]);
          }
        }
      },
      own.weights);
  for (std::size_t o = 0; o < outputs_.size(); ++o) outputs_[o] = own.bias[o] + double{own.scale[o]} * outputs_[o];
}

void LabelTreeSearch::step_down(const NodeClassifier& node, const Step& from) {
  const LabelTree& tree = *node.tree;
  score_group(tree, from.group);
  const bool are_apart = model_.is_multilabel && !model_.has_probabilities;
  log_probabilities_.resize(outputs_.size());
  double shift = 0;
  if (!are_apart) {
    const double largest = *std::ranges::max_element(outputs_);
    double sum = 0;
    for (const double output : outputs_) sum += std::exp(node.temperature * (output - largest));
    shift = node.temperature * largest + std::log(sum);
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const double scaled = node.temperature * outputs_[o];
    log_probabilities_[o] = from.log_probability + (are_apart ? log_logistic(scaled) : scaled - shift);
  }
  const Index first = tree.offsets[static_cast<std::size_t>(from.group)];
  const Index groups = tree.groups();
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    const double log_probability = log_probabilities_[o];
    const double score = are_apart ? std::min(from.score, outputs_[o]) : log_probability / node.temperature;
    const Index output = first + static_cast<Index>(o);
    if (output < groups - 1) {
      next_.push_back({.group = output + 1, .score = score, .log_probability = log_probability});
    } else {
      found_.push_back({.child = tree.order[static_cast<std::size_t>(output - (groups - 1))],
                        .score = score,
                        .log_probability = log_probability});
    }
  }
}

void LabelTreeSearch::keep_best(Index beam, Index wanted_group) {
  if (std::ssize(next_) > beam) {
    const auto comes_first = [&](const Step& a, const Step& b) {
      if ((a.group == wanted_group) != (b.group == wanted_group)) return a.group == wanted_group;
      return a.log_probability != b.log_probability ? a.log_probability > b.log_probability : a.group < b.group;
    };
    std::nth_element(next_.begin(), next_.begin() + beam, next_.end(), comes_first);
    next_.resize(static_cast<std::size_t>(beam));
  }
  std::ranges::sort(next_, {}, &Step::group);
}

const std::vector<LabelTreeSearch::Reached>& LabelTreeSearch::find(const NodeClassifier& node, const Dataset& data,
                                                                   Index sample, Index beam, std::int32_t wanted) {
  const LabelTree& tree = *node.tree;
  take_sample(data, sample);
  found_.clear();
  std::vector<Index> wanted_groups;
  if (wanted >= 0) {
    for (Index group = group_of_child(tree, wanted); group > 0; group = group_above(tree, group)) {
      wanted_groups.push_back(group);
    }
  }
  open_.assign(1, {});
  while (!open_.empty()) {
    next_.clear();
    for (const Step& step : open_) step_down(node, step);
    // The wanted group of the next level is the last of those left.
    const Index wanted_group = wanted_groups.empty() ? -1 : wanted_groups.back();
    if (!wanted_groups.empty()) wanted_groups.pop_back();
    keep_best(beam > 0 ? beam : tree.beam, wanted_group);
    std::swap(open_, next_);
  }
  std::ranges::sort(found_, {}, &Reached::child);
  return found_;
}

void LabelTreeSearch::judge(const NodeClassifier& node, const Dataset& data, Index sample, std::span<double> scores,
                            std::span<double> probabilities, std::int32_t wanted) {
  std::ranges::fill(scores, -std::numeric_limits<double>::infinity());
  std::ranges::fill(probabilities, 0.0);
  for (const Reached& reached : find(node, data, sample, 0, wanted)) {
    const auto c = static_cast<std::size_t>(reached.child);
    scores[c] = reached.score;
    probabilities[c] = std::exp(reached.log_probability);
  }
}

}  // namespace clade
