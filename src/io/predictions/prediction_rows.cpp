#include "io/predictions/prediction_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/large_pages.h"
#include "io/lines.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr Index kRowGrain = 1 << 15;
constexpr Index kSampleGrain = 1 << 14;

// What can be wrong between two rows of a sample, in the order in which it is reported for one row.
enum class Conflict { kRepeatedRank, kRepeatedLabel, kGap, kRise };

struct Problem {
  Index row = 0;     // the row to name
  Index other = -1;  // the row it conflicts with
  Conflict conflict = Conflict::kGap;
};

void keep_first(std::optional<Problem>& first, const std::optional<Problem>& problem) {
  const auto key = [](const Problem& p) { return std::tuple(p.row, p.conflict); };
  if (problem && (!first || key(*problem) < key(*first))) first = problem;
}

class RankedRowOrder {
 public:
  RankedRowOrder(const PredictionRows& rows, Index samples, Context& ctx)
      : rows_(rows), samples_(samples), offsets_(zeros_on_large_pages<Index>(samples + 1)) {
    in_order_ = is_in_order(ctx);
    if (in_order_) {
      find_offsets(ctx);
    } else {
      sort_by_sample();
      sort_within_samples(ctx);
    }
  }

  bool in_order() const { return in_order_; }
  std::vector<Index>& offsets() { return offsets_; }
  // The row at a position of the order.
  Index row(Index place) const { return in_order_ ? place : order_[place]; }

  std::optional<Problem> first_problem(Context& ctx) const {
    return parallel_reduce(
        ctx, samples_, kSampleGrain, std::optional<Problem>(),
        [&](Index begin, Index end) {
          std::optional<Problem> first;
          std::vector<std::pair<NodeId, Index>> labels;
          for (Index s = begin; s < end; ++s) keep_first(first, problem_of(s, labels));
          return first;
        },
        [](std::optional<Problem>& first, const std::optional<Problem>& part) { keep_first(first, part); });
  }

 private:
  // Within one sample: does row a come before row b, which is later in the file, or tie with it?
  bool goes_before(Index a, Index b) const {
    if (rows_.has_ranks()) return rows_.ranks[a] <= rows_.ranks[b];
    return !rows_.has_scores() || score(a) >= score(b);
  }

  bool is_in_order(Context& ctx) const {
    return parallel_reduce(
               ctx, rows_.size(), kRowGrain, 1,
               [&](Index begin, Index end) {
                 for (Index r = std::max<Index>(1, begin); r < end; ++r) {
                   const Index step = rows_.samples[r] - rows_.samples[r - 1];
                   if (step < 0 || (step == 0 && !goes_before(r - 1, r))) return 0;
                 }
                 return 1;
               },
               [](int& all, int part) { all &= part; }) != 0;
  }

  // Each row sets the offset of its sample, and of samples without rows before it.
  void find_offsets(Context& ctx) {
    parallel_for(ctx, rows_.size(), kRowGrain, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        const Index before = r == 0 ? -1 : rows_.samples[r - 1];
        for (Index s = before + 1; s <= rows_.samples[r]; ++s) offsets_[static_cast<std::size_t>(s)] = r;
      }
    });
    const Index last = rows_.size() == 0 ? -1 : rows_.samples[rows_.size() - 1];
    std::fill(offsets_.begin() + last + 1, offsets_.end(), rows_.size());
  }

  // A counting sort, which keeps the rows of a sample in file order.
  void sort_by_sample() {
    order_ = Buffer<Index>(rows_.size());
    for (const Index sample : rows_.samples) ++offsets_[static_cast<std::size_t>(sample) + 1];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    std::vector<Index> next(offsets_.begin(), offsets_.end() - 1);
    for (Index r = 0; r < rows_.size(); ++r) order_[next[static_cast<std::size_t>(rows_.samples[r])]++] = r;
  }

  void sort_within_samples(Context& ctx) {
    const auto before = [&](Index a, Index b) { return a < b ? goes_before(a, b) : !goes_before(b, a); };
    parallel_for(ctx, samples_, kSampleGrain, [&](Index begin, Index end) {
      for (Index s = begin; s < end; ++s) {
        Index* from = order_.begin() + offsets_[static_cast<std::size_t>(s)];
        Index* to = order_.begin() + offsets_[static_cast<std::size_t>(s) + 1];
        if (to - from > 1 && !std::is_sorted(from, to, before)) std::sort(from, to, before);
      }
    });
  }

  std::optional<Problem> problem_of(Index sample, std::vector<std::pair<NodeId, Index>>& labels) const {
    const Index begin = offsets_[static_cast<std::size_t>(sample)];
    const Index end = offsets_[static_cast<std::size_t>(sample) + 1];
    std::optional<Problem> first;
    for (Index place = begin; place < end; ++place) {
      const Index at = row(place);
      const Index before = place == begin ? -1 : row(place - 1);
      if (rows_.has_ranks()) keep_first(first, rank_problem(at, before));
      if (before >= 0 && rows_.has_scores() && score(at) > score(before)) {
        keep_first(first, Problem{.row = at, .other = before, .conflict = Conflict::kRise});
      }
    }
    if (end - begin > 1) keep_first(first, label_problem(begin, end, labels));
    return first;
  }

  std::optional<Problem> rank_problem(Index at, Index before) const {
    const std::int32_t above = before < 0 ? 0 : rows_.ranks[before];
    const std::int32_t rank = rows_.ranks[at];
    if (rank == above) return Problem{.row = at, .other = before, .conflict = Conflict::kRepeatedRank};
    if (rank != above + 1) return Problem{.row = at, .other = before, .conflict = Conflict::kGap};
    return std::nullopt;
  }

  // The later of two rows with the same label. `labels` is scratch space.
  std::optional<Problem> label_problem(Index begin, Index end, std::vector<std::pair<NodeId, Index>>& labels) const {
    labels.clear();
    for (Index place = begin; place < end; ++place) {
      labels.emplace_back(rows_.labels[static_cast<std::size_t>(row(place))], row(place));
    }
    std::sort(labels.begin(), labels.end());
    std::optional<Problem> first;
    for (std::size_t k = 1; k < labels.size(); ++k) {
      if (labels[k].first != labels[k - 1].first) continue;
      keep_first(first,
                 Problem{.row = labels[k].second, .other = labels[k - 1].second, .conflict = Conflict::kRepeatedLabel});
    }
    return first;
  }

  double score(Index row) const { return rows_.scores[static_cast<std::size_t>(row)]; }

  const PredictionRows& rows_;
  Index samples_;
  std::vector<Index> offsets_;
  Buffer<Index> order_;  // rows; unused if they are in order
  bool in_order_ = true;
};

std::string text_of(double number) {
  std::string text;
  append_number(text, number);
  return text;
}

Error error_of(const Problem& problem, const PredictionRows& rows, const SampleFile& file, const Dataset& data) {
  const Where where = file.at_row(problem.row);
  const std::string sample = shown(data.sample_name(rows.samples[problem.row]));
  const Index other_line = problem.other < 0 ? 0 : file.at_row(problem.other).line;
  const auto rank = [&](Index row) { return rows.ranks[row]; };
  const auto score = [&](Index row) { return text_of(rows.scores[static_cast<std::size_t>(row)]); };
  switch (problem.conflict) {
    case Conflict::kRepeatedRank:
      return input_error(
          where, fmt::format("sample '{}' has rank {} in line {} already", sample, rank(problem.row), other_line),
          "expected each rank once");
    case Conflict::kRepeatedLabel:
      return input_error(
          where,
          fmt::format("sample '{}' has label '{}' in line {} already", sample,
                      shown(data.taxonomy().name(rows.labels[static_cast<std::size_t>(problem.row)])), other_line),
          "expected each label once");
    case Conflict::kGap: {
      const Index above = problem.other < 0 ? 0 : rank(problem.other);
      return input_error(where,
                         fmt::format("sample '{}' has rank {} but no rank {}", sample, rank(problem.row), above + 1),
                         "expected ranks 1, 2, 3, ...");
    }
    case Conflict::kRise:
      break;
  }
  return input_error(where,
                     fmt::format("sample '{}': score {} at rank {} is above {} at rank {}", sample, score(problem.row),
                                 rank(problem.row), score(problem.other), rank(problem.other)),
                     "expected scores that do not rise");
}

// values[order.row(0)], values[order.row(1)], ...
template <class T>
std::vector<T> in_order(std::vector<T> values, const RankedRowOrder& order, Context& ctx) {
  if (order.in_order()) return values;
  std::vector<T> result(values.size());
  parallel_for(ctx, static_cast<Index>(values.size()), kRowGrain, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      result[static_cast<std::size_t>(k)] = values[static_cast<std::size_t>(order.row(k))];
    }
  });
  return result;
}

std::vector<double> negative_ranks(std::span<const Index> offsets) {
  std::vector<double> scores(static_cast<std::size_t>(offsets.back()));
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (Index k = offsets[s]; k < offsets[s + 1]; ++k) {
      scores[static_cast<std::size_t>(k)] = -static_cast<double>(k - offsets[s] + 1);
    }
  }
  return scores;
}

}  // namespace

Predictions group_by_sample(PredictionRows rows, const SampleFile& file, const Dataset& data, Context& ctx) {
  RankedRowOrder order(rows, data.samples(), ctx);
  if (const auto problem = order.first_problem(ctx)) throw error_of(*problem, rows, file, data);
  const auto& offsets = order.offsets();
  file.refuse_missing_samples(data, "prediction", [&](Index s) {
    return offsets[static_cast<std::size_t>(s)] == offsets[static_cast<std::size_t>(s) + 1];
  });
  Predictions result;
  result.labels = in_order(std::move(rows.labels), order, ctx);
  result.scores = rows.has_scores() ? in_order(std::move(rows.scores), order, ctx) : negative_ranks(offsets);
  result.offsets = std::move(order.offsets());
  return result;
}

}  // namespace clade
