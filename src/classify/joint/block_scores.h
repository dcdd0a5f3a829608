#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "classify/joint/block_index.h"
#include "classify/joint/dense_scores.h"
#include "classify/joint/linear_scores.h"
#include "core/parallel.h"

namespace clade {

// The steps that were made in a block of consecutive samples, with their changes of the weights.
class BlockSteps {
 public:
  // Forgets all; the block has so many samples from now on.
  void start(Index samples) {
    step_of_.assign(static_cast<std::size_t>(samples), kNone);
    place_.clear();
    begin_.assign(1, 0);
    changes_.clear();
  }
  // Attributes ascend.
  void add(Index place, std::span<const AttributeChange> changes) {
    step_of_[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(count());
    place_.push_back(place);
    changes_.insert(changes_.end(), changes.begin(), changes.end());
    begin_.push_back(changes_.size());
  }

  Index count() const { return std::ssize(place_); }
  Index place(Index step) const { return place_[static_cast<std::size_t>(step)]; }
  std::span<const AttributeChange> changes(Index step) const {
    const std::size_t from = begin_[static_cast<std::size_t>(step)];
    return std::span(changes_).subspan(from, begin_[static_cast<std::size_t>(step) + 1] - from);
  }
  // The changes by a sample; none if it had no step.
  std::span<const AttributeChange> changes_by(Index place) const {
    const std::int32_t step = step_of_[static_cast<std::size_t>(place)];
    return step == kNone ? std::span<const AttributeChange>() : changes(step);
  }

 private:
  static constexpr std::int32_t kNone = -1;

  std::vector<std::int32_t> step_of_;  // by place
  std::vector<Index> place_;           // by step
  std::vector<std::size_t> begin_{0};
  std::vector<AttributeChange> changes_;
};

// The sum of a sample's changes, attributes ascending; a list per sample.
using ChangesBySample = std::vector<std::vector<AttributeChange>>;

// What learning in blocks asks of the scores, beside their outputs. There are two blocks at a time, 0 and 1. Changes of
// the weights come in parts that may run side by side, each in the order of the samples: the weights are those of one
// change after the other, to the last digit.
//
// The weights of a feature side by side: a part is some features.
class LinearBlocks {
 public:
  explicit LinearBlocks(LinearScores<double>& scores)
      : scores_(scores), index_{BlockIndex(scores.rows().width()), BlockIndex(scores.rows().width())} {}

  LinearScores<double>& scores() const { return scores_; }
  void open(int block, Index begin, Index end) { index_[at(block)].set(scores_.rows(), begin, end); }
  // All outputs of the samples [begin, end), in so many tasks.
  Index tasks(Index samples) const { return samples; }
  void score(Index task, Index begin, Index /*end*/, double* out) const {
    scores_.outputs(begin + task, out + task * scores_.stride());
  }
  // inner[k] = <x_i, x_k> for the samples of a block.
  void products(int block, Index i, std::span<double> inner) const {
    index_[at(block)].products(scores_.rows().columns_of(i), scores_.rows().values_of(i), inner);
  }

  Index parts(int block) const { return chunk_count(std::ssize(index_[at(block)].features()), kPart); }
  void add(int block, Index part, const BlockSteps& steps) {
    const BlockIndex& index = index_[at(block)];
    const auto features = index.features();
    const auto end = std::min(features.size(), static_cast<std::size_t>((part + 1) * kPart));
    for (auto k = static_cast<std::size_t>(part * kPart); k < end; ++k) {
      if (k + 2 * kAhead < end) scores_.weights().fetch(features[k + 2 * kAhead]);
      if (k + kAhead < end) {
        const Index place = index.entries(k + kAhead).front().place;
        scores_.weights().fetch(features[k + kAhead], steps.changes_by(place));
      }
      for (const BlockIndex::Entry& e : index.entries(k)) {
        scores_.weights().add(features[k], e.value, steps.changes_by(e.place));
      }
    }
  }

  // The second set of weights takes the changes of the samples [begin, end).
  Index begin_lagged() {
    if (!scores_.lagged()) scores_.lagged().emplace(scores_.weights().features(), scores_.weights().attributes());
    if (ranges_.empty()) ranges_ = ranges(scores_);
    return std::ssize(ranges_) - 1;
  }
  void add_lagged(Index part, const ChangesBySample& changes, Index begin, Index end) {
    const TrainingRows& rows = scores_.rows();
    for (Index i = begin; i < end; ++i) {
      const auto& own = changes[static_cast<std::size_t>(i)];
      if (own.empty()) continue;
      const auto columns = rows.columns_of(i);
      const auto values = rows.values_of(i);
      const auto from = std::ranges::lower_bound(columns, ranges_[static_cast<std::size_t>(part)]);
      for (auto k = static_cast<std::size_t>(from - columns.begin());
           k < columns.size() && columns[k] < ranges_[static_cast<std::size_t>(part) + 1]; ++k) {
        scores_.lagged()->add(columns[k], values[k], own);
      }
    }
  }

 private:
  static constexpr Index kPart = 64;  // features
  static constexpr std::size_t kAhead = 4;
  static std::size_t at(int block) { return static_cast<std::size_t>(block); }

  // Ranges of columns with about the same number of values each.
  static std::vector<std::int32_t> ranges(const LinearScores<double>& scores) {
    constexpr std::size_t kRanges = 48;
    const TrainingRows& rows = scores.rows();
    std::vector<std::size_t> count(static_cast<std::size_t>(rows.width()), 0);
    for (Index i = 0; i < rows.rows(); ++i) {
      for (const std::int32_t column : rows.columns_of(i)) ++count[static_cast<std::size_t>(column)];
    }
    std::vector<std::int32_t> ranges{0};
    std::size_t sum = 0;
    for (std::size_t f = 0; f < count.size(); ++f) {
      sum += count[f];
      if (sum < static_cast<std::size_t>(scores.nonzeros()) / kRanges && f + 1 < count.size()) continue;
      ranges.push_back(static_cast<std::int32_t>(f + 1));
      sum = 0;
    }
    return ranges;
  }

  LinearScores<double>& scores_;
  std::array<BlockIndex, 2> index_;
  std::vector<std::int32_t> ranges_;
};

// The weights of an attribute side by side: a part is a range of attributes.
class DenseBlocks {
 public:
  explicit DenseBlocks(DenseScores<double>& scores) : scores_(scores) {}

  DenseScores<double>& scores() const { return scores_; }
  void open(int block, Index begin, Index /*end*/) { begin_[static_cast<std::size_t>(block)] = begin; }
  // A task is some samples x some attributes.
  Index tasks(Index samples) const { return chunk_count(samples, kTogether) * chunk_count(scores_.stride(), kScored); }
  void score(Index task, Index begin, Index end, double* out) const {
    const Index from = begin + task / chunk_count(scores_.stride(), kScored) * kTogether;
    const Index first = task % chunk_count(scores_.stride(), kScored) * kScored;
    const Index last = std::min(scores_.stride(), first + kScored);
    double* const rows = out + (from - begin) * scores_.stride();
    if (from + kTogether <= end) return scores_.template outputs_of_some<kTogether>(from, first, last, rows);
    for (Index i = from; i < end; ++i) {
      scores_.template outputs_of_some<1>(i, first, last, rows + (i - from) * scores_.stride());
    }
  }
  void products(int block, Index i, std::span<double> inner) const {
    const Index begin = begin_[static_cast<std::size_t>(block)];
    for (Index k = 0; k < std::ssize(inner); ++k) inner[static_cast<std::size_t>(k)] = scores_.inner(i, begin + k);
  }

  Index parts(int /*block*/) const { return chunk_count(scores_.stride(), kPart); }
  void add(int block, Index part, const BlockSteps& steps) {
    const Index begin = begin_[static_cast<std::size_t>(block)];
    for (Index step = 0; step < steps.count(); ++step) {
      scores_.add(begin + steps.place(step), in_part(steps.changes(step), part));
    }
  }

  Index begin_lagged() {
    scores_.begin_lagged();
    return parts(0);
  }
  void add_lagged(Index part, const ChangesBySample& changes, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      scores_.add_lagged(i, in_part(changes[static_cast<std::size_t>(i)], part));
    }
  }

 private:
  static constexpr Index kPart = 64;     // attributes
  static constexpr Index kScored = 128;  // attributes
  static constexpr int kTogether = 4;    // samples for which the weights are read once
  static std::span<const AttributeChange> in_part(std::span<const AttributeChange> changes, Index part) {
    const auto from = std::ranges::lower_bound(changes, part * kPart, {}, &AttributeChange::attribute);
    const auto to = std::ranges::lower_bound(changes, (part + 1) * kPart, {}, &AttributeChange::attribute);
    return {from, to};
  }

  DenseScores<double>& scores_;
  std::array<Index, 2> begin_{};
};

}  // namespace clade
