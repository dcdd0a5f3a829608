#pragma once

#include <clade/dataset.h>
#include <clade/error.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "classify/model_body.h"
#include "classify/pack.h"

namespace clade {

// How a node with very many children finds the best of them without looking at all: similar children form groups,
// similar groups form larger ones, and so on up to one group (Prabhu et al. 2018, "Parabel"). Each group has linear
// functions of its own that choose among what is below it. A search keeps only the most probable groups of every level.
// Nothing outside of the node's decision knows of the groups.
//
// Groups are numbered level by level, 0 is the top. The outputs of group g have the numbers offsets[g] to
// offsets[g + 1] - 1. Output o leads to group o + 1; from number groups() - 1 on, outputs lead to children:
// output groups() - 1 + k to the child order[k].
struct LabelTree {
  LabelTree() = default;
  LabelTree(const LabelTree&) = delete;
  LabelTree& operator=(const LabelTree&) = delete;

  std::vector<std::uint32_t> offsets{0};  // groups + 1
  std::vector<std::int32_t> order;        // positions in the node's list of children, each once
  // The weights of each group (GroupWeights). The spans begin at multiples of 8 bytes and point into memory kept alive
  // by ModelBody::storage, which may be a file that nobody has looked at yet.
  std::vector<std::span<const std::uint8_t>> packed;
  std::vector<std::uint64_t> checksum;  // of each group
  Index weights = 0;                    // stored in all groups
  Index beam = 10;                      // groups kept at every level, unless a search says otherwise
  Where where;                          // the file, for messages

  Index groups() const { return static_cast<Index>(packed.size()); }
  Index outputs_of(Index group) const {
    const auto g = static_cast<std::size_t>(group);
    return Index{offsets[g + 1]} - Index{offsets[g]};
  }
  // Does the group choose among children?
  bool is_last(Index group) const { return Index{offsets[static_cast<std::size_t>(group)]} >= groups() - 1; }

  // Call once when the groups are there; `features` is the number of the model's features.
  void prepare(Index features);
  // A group's weights are checked when they are first used, so that opening a model does not read them: Throws Error
  // (kInput) if a byte has changed, or if they are inconsistent. Safe from several threads.
  void require_sound(Index group) const;

 private:
  Index features_ = 0;
  std::unique_ptr<std::atomic<bool>[]> is_sound_;
};

// The linear functions of one group: output o is bias[o] + scale[o] x the sum of weight x value. Weights are stored by
// feature, as in LinearOutputs. In bytes: the numbers of features and weights and the bytes per weight (u32, u32, u32,
// 0), then the arrays in this order.
struct GroupWeights {
  std::span<const double> bias;
  std::span<const float> scale;
  std::span<const FeatureIndex> features;  // ascending
  std::span<const std::uint32_t> offsets;  // features + 1
  std::variant<std::span<const std::int8_t>, std::span<const float>> weights;
  std::span<const std::uint8_t> outputs;
};
inline constexpr Index kMostGroupOutputs = 256;

enum class GroupPrecision : std::uint8_t { kByte = 1, kFloat = 4 };

// Rounds weights to multiples of a 127th of an output's largest (kByte), or to floats; those that become 0 are dropped.
// Columns are positions in `features`.
std::vector<std::uint8_t> packed_group(const std::vector<SparseOutput>& weights, const std::vector<double>& bias,
                                       const std::vector<FeatureIndex>& features, GroupPrecision precision);
// The inverse, for bytes that are sound.
GroupWeights unpacked_group(std::span<const std::uint8_t> bytes, Index outputs);
std::uint64_t group_checksum(std::span<const std::uint8_t> bytes);

// Throws Error (kInput) unless all groups are sound: one pass over all weights.
void require_sound_label_trees(const ModelBody& model);

// Searches label trees. Holds scratch: use one per thread.
class LabelTreeSearch {
 public:
  explicit LabelTreeSearch(const ModelBody& model) : model_(model) {}

  // A child that was reached. The probability of a child is the product over the groups on its way of what each gives
  // to the next: a softmax of temperature x scores or, where samples have several labels and scores are margins, a
  // logistic function of it. With margins and several labels, `score` is the smallest margin on the way, so that it is
  // positive where all steps say yes; otherwise log_probability / temperature.
  struct Reached {
    std::int32_t child = 0;  // position in the node's list
    double score = 0;
    double log_probability = 0;
  };

  // The children that the best groups lead to, by position. `beam` 0: the tree's own; `wanted` is reached in any case.
  const std::vector<Reached>& find(const NodeClassifier& node, const Dataset& data, Index sample, Index beam = 0,
                                   std::int32_t wanted = -1);
  // The same for all children; those that were not reached have score -infinity and probability 0.
  void judge(const NodeClassifier& node, const Dataset& data, Index sample, std::span<double> scores,
             std::span<double> probabilities, std::int32_t wanted = -1);

 private:
  struct Step {
    Index group = 0;
    double score = std::numeric_limits<double>::infinity();
    double log_probability = 0;
  };
  void take_sample(const Dataset& data, Index sample);
  void find_places(const GroupWeights& group);
  void score_group(const LabelTree& tree, Index group);
  void step_down(const NodeClassifier& node, const Step& from);
  void keep_best(Index beam, Index wanted_group);

  const ModelBody& model_;
  static constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::pair<FeatureIndex, double>> sample_;  // ascending
  std::vector<std::uint32_t> places_;                    // of its features in a group
  std::vector<double> outputs_;
  std::vector<double> log_probabilities_;
  std::vector<Step> open_;
  std::vector<Step> next_;
  std::vector<Reached> found_;
};

// The weights with which a child's last group judges it, by feature, ascending, without zeros.
std::vector<std::pair<FeatureIndex, double>> last_weights(const LabelTree& tree, std::int32_t child);

// The group above a group or, for `child`, the last group on the way to it.
Index group_above(const LabelTree& tree, Index group);
Index group_of_child(const LabelTree& tree, std::int32_t child);

}  // namespace clade
