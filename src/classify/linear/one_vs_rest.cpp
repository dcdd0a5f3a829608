#include "classify/linear/one_vs_rest.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/check.h"
#include "core/fetch_ahead.h"
#include "core/parallel.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Classes that descend together: as many as fit into the registers; but a node of many rows is what others wait for,
// and smaller groups, which take a little more work in all, can be solved by more threads. If the rows are too many for
// the memory, every group reads them again.
constexpr Index kManyRows = 8192;
Index most_together(Index rows) {
  constexpr Index kTooManyRows = 1'000'000;
  if (rows < kManyRows) return 16;
  return rows < kTooManyRows ? 2 : 4;
}

// Consecutive classes that descend together.
struct Group {
  Index first = 0;
  Index count = 0;
};

// A part of the order of rows that is visited at one go.
struct RowBlock {
  std::size_t begin = 0;
  std::size_t active = 0;  // the end of those that are not left out
  std::size_t end = 0;
  Index first_row = 0;
  Index last_row = 0;
};

// Rows of many values are visited block by block, in a random order of blocks and of rows within: passes over rows
// beyond the size of memory then read the disk in long pieces. It does not depend on where the rows are, so that
// neither does the result.
std::vector<RowBlock> row_blocks(const TrainingRows& rows, std::span<const std::int32_t> order, Index most_values) {
  constexpr Index kLookedAt = 1000;  // rows, to know about how long they are
  Index values = 0;
  const Index looked_at = std::min(rows.rows(), kLookedAt);
  for (Index r = 0; r < looked_at; ++r) values += std::ssize(rows.columns_of(r));
  const Index most = std::max<Index>(1, most_values * looked_at / std::max<Index>(1, values));
  const Index count = std::max<Index>(1, chunk_count(std::ssize(order), most));
  std::vector<RowBlock> blocks;
  for (Index b = 0; b < count; ++b) {
    const auto begin = static_cast<std::size_t>(b * std::ssize(order) / count);
    const auto end = static_cast<std::size_t>((b + 1) * std::ssize(order) / count);
    blocks.push_back({.begin = begin, .active = end, .end = end});
    if (begin == end) continue;
    blocks.back().first_row = order[begin];
    blocks.back().last_row = order[end - 1];
  }
  return blocks;
}

struct Problem {
  const TrainingRows& rows;
  const RowClasses& labels;
  Index classes;
  std::span<const double> weight;
  std::span<const double> start;
  const HingeOptions& options;
};

// The state of the duals of a group during their descent; kWidth is at least the number of its classes.
template <int kWidth>
class Descent {
 public:
  using Lanes = Eigen::Array<double, kWidth, 1>;

  Descent(const Problem& problem, const Group& group)
      : rows_(problem.rows),
        group_(group),
        bias_value_(problem.options.bias),
        random_(problem.options.seed,
                {kSolverStream, problem.options.stream + static_cast<std::uint64_t>(group.first)}),
        w_(static_cast<std::size_t>(rows_.width()) + 1, Lanes::Zero()),
        alpha_(static_cast<std::size_t>(rows_.rows()), Lanes::Zero()),
        places_(static_cast<std::size_t>(rows_.rows())) {
    list_signs(problem.labels);
    const bool is_hinge = problem.options.loss == Loss::kHinge;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (rows_.maker) need_next(i);
      Place& place = places_[i];
      const double cost = problem.options.c * (problem.weight.empty() ? 1 : problem.weight[i]);
      place.bound = is_hinge || cost == 0 ? cost : kInfinity;
      place.ridge = is_hinge || cost == 0 ? 0 : 0.5 / cost;
      double diagonal = bias_value_ * bias_value_ + place.ridge;
      for (const double value : rows_.values_of(static_cast<Index>(i))) diagonal += value * value;
      place.inverse = 1 / diagonal;
      // Rows of weight 0, or without values, play no part; the variables of the latter rise to the bound.
      if (diagonal == 0) {
        alpha_[i].head(group.count) = place.bound;
      } else if (place.bound > 0) {
        order_.push_back(static_cast<std::int32_t>(i));
      }
      if (!problem.start.empty()) set_start(i, problem.start.data() + static_cast<Index>(i) * problem.classes);
    }
    blocks_ = row_blocks(rows_, order_, problem.options.block);
    activate_all();
  }

  // One pass; returns the largest spread of the projected gradients that a class met.
  double pass(Context& ctx) {
    random_.shuffle(std::span(blocks_));
    highest_ = 0;
    lowest_ = 0;
    if (rows_.maker) need_soon(blocks_.front());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      ctx.check_cancelled();
      if (rows_.maker && b + 1 < blocks_.size()) need_soon(blocks_[b + 1]);
      pass(blocks_[b]);
    }
    highest_before_ = (highest_ > 0).select(highest_, kInfinity);
    lowest_before_ = (lowest_ < 0).select(lowest_, -kInfinity);
    return (highest_ - lowest_).maxCoeff();
  }

  bool is_whole() const {
    return std::ranges::all_of(blocks_, [](const RowBlock& block) { return block.active == block.end; });
  }
  void activate_all() {
    for (RowBlock& block : blocks_) block.active = block.end;
    highest_before_ = kInfinity;
    lowest_before_ = -kInfinity;
  }

  // The weights of the group's classes, whose places begin at `first`.
  void write(LinearWeights& weights, Index first) const {
    for (Index c = 0; c < group_.count; ++c) {
      std::vector<double>& w = weights.w[static_cast<std::size_t>(first + c)];
      w.resize(static_cast<std::size_t>(rows_.width()));
      for (std::size_t f = 0; f < w.size(); ++f) w[f] = w_[f](c);
      weights.bias[static_cast<std::size_t>(first + c)] = bias_value_ * w_.back()(c);
    }
  }

  void write_alpha(Index classes, OneVsRestResult& result) const {
    for (std::size_t i = 0; i < alpha_.size(); ++i) {
      double* const out = result.alpha.data() + static_cast<Index>(i) * classes + group_.first;
      for (Index c = 0; c < group_.count; ++c) out[c] = alpha_[i](c);
    }
  }

 private:
  struct Place {
    double bound = 0;
    double ridge = 0;
    double inverse = 0;     // of the diagonal
    std::int32_t sign = 0;  // in signs_
  };

  // +1 for the classes of a row, -1 for the others; rows of one class, or none, share their signs.
  void list_signs(const RowClasses& labels) {
    Lanes none = Lanes::Zero();
    none.head(group_.count) = -1;
    signs_.assign(static_cast<std::size_t>(group_.count) + 1, none);
    for (Index c = 0; c < group_.count; ++c) signs_[static_cast<std::size_t>(c)](c) = 1;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Lanes sign = none;
      Index own = 0;
      places_[i].sign = static_cast<std::int32_t>(group_.count);
      for (Index e = labels.offsets[i]; e < labels.offsets[i + 1]; ++e) {
        const Index c = labels.classes[static_cast<std::size_t>(e)] - group_.first;
        if (c < 0 || c >= group_.count) continue;
        sign(c) = 1;
        places_[i].sign = static_cast<std::int32_t>(c);
        ++own;
      }
      if (own <= 1) continue;
      places_[i].sign = static_cast<std::int32_t>(signs_.size());
      signs_.push_back(sign);
    }
    // No variable of a lane without a class moves, and none keeps a row in.
    idle_ = kInfinity;
    idle_.head(group_.count) = 0;
  }

  void set_start(std::size_t i, const double* start) {
    const Place& place = places_[i];
    Lanes a = Lanes::Zero();
    for (Index c = 0; c < group_.count; ++c) a(c) = std::clamp(start[group_.first + c], 0.0, place.bound);
    alpha_[i] = a;
    add(i, a * signs_[static_cast<std::size_t>(place.sign)]);
  }

  void pass(RowBlock& block) {
    random_.shuffle(std::span(order_).subspan(block.begin, block.active - block.begin));
    for (std::size_t k = block.begin; k < block.active;) {
      fetch_later_rows(k, block.active);
      if (visit(static_cast<std::size_t>(order_[k]))) {
        ++k;
      } else {
        std::swap(order_[k], order_[--block.active]);
      }
    }
  }
  // All rows of the block at once, or the few that are still in.
  void need_soon(const RowBlock& block) const {
    constexpr std::size_t kFew = 8;
    if ((block.active - block.begin) * kFew >= block.end - block.begin) {
      rows_.maker->will_need(block.first_row, block.last_row + 1);
      return;
    }
    for (std::size_t k = block.begin; k < block.active; ++k) rows_.maker->will_need(order_[k], order_[k] + 1);
  }
  // Before row i, when all rows are read in turn.
  void need_next(std::size_t i) const {
    constexpr Index kTogether = 1024;
    const auto row = static_cast<Index>(i);
    if (row % kTogether != 0) return;
    rows_.maker->will_need(row, std::min(rows_.rows(), row + 2 * kTogether));
  }

  // Rows are visited in a random order: what the next ones need would come late. Where a row is must be known before
  // its values can be asked for.
  void fetch_later_rows(std::size_t k, std::size_t end) const {
    constexpr std::size_t kPlacesAhead = 8;
    constexpr std::size_t kValuesAhead = 4;
    if (rows_.maker) return;
    if (k + kPlacesAhead < end) {
      const auto i = static_cast<std::size_t>(order_[k + kPlacesAhead]);
      fetch_ahead(&rows_.offsets[i]);
      fetch_ahead(&places_[i]);
      fetch_ahead(&alpha_[i]);
    }
    if (k + kValuesAhead < end) {
      const auto columns = rows_.columns_of(order_[k + kValuesAhead]);
      const auto values = rows_.values_of(order_[k + kValuesAhead]);
      for (std::size_t v = 0; v < columns.size(); v += 16) fetch_ahead(columns.data() + v);
      for (std::size_t v = 0; v < values.size(); v += 8) fetch_ahead(values.data() + v);
    }
  }

  Lanes decision(std::size_t i) const {
    const auto columns = rows_.columns_of(static_cast<Index>(i));
    const auto values = rows_.values_of(static_cast<Index>(i));
    const Lanes* const w = w_.data();
    Lanes sum = bias_value_ * w_.back();
    for (std::size_t k = 0; k < columns.size(); ++k) sum += values[k] * w[columns[k]];
    return sum;
  }

  void add(std::size_t i, const Lanes& amount) {
    const auto columns = rows_.columns_of(static_cast<Index>(i));
    const auto values = rows_.values_of(static_cast<Index>(i));
    Lanes* const w = w_.data();
    for (std::size_t k = 0; k < columns.size(); ++k) w[columns[k]] += values[k] * amount;
    w_.back() += bias_value_ * amount;
  }

  // Moves the variables of a row; false if it can be left out.
  bool visit(std::size_t i) {
    const Place& place = places_[i];
    const Lanes& sign = signs_[static_cast<std::size_t>(place.sign)];
    Lanes& alpha = alpha_[i];
    const Lanes gradient = sign * decision(i) - 1 + place.ridge * alpha + idle_;
    const auto is_low = alpha == 0;
    const auto is_high = alpha == place.bound;
    if (((is_low && gradient > highest_before_) || (is_high && gradient < lowest_before_)).all()) return false;
    const Lanes projected = is_low.select(gradient.min(0.0), is_high.select(gradient.max(0.0), gradient));
    highest_ = highest_.max(projected);
    lowest_ = lowest_.min(projected);
    constexpr double kNothing = 1e-12;
    if ((projected.abs() <= kNothing).all()) return true;
    const Lanes next = (alpha - gradient * place.inverse).max(0.0).min(place.bound);
    const Lanes amount = (next - alpha) * sign;
    alpha = next;
    add(i, amount);
    return true;
  }

  const TrainingRows& rows_;
  Group group_;
  double bias_value_;
  RandomStream random_;
  std::vector<Lanes> w_;      // by column; the last is that of the constant feature
  std::vector<Lanes> alpha_;  // by row
  std::vector<Place> places_;
  std::vector<Lanes> signs_;
  Lanes idle_;  // infinity for lanes without a class
  std::vector<std::int32_t> order_;
  std::vector<RowBlock> blocks_;
  Lanes highest_;
  Lanes lowest_;
  Lanes highest_before_;
  Lanes lowest_before_;
};

struct Outcome {
  int iterations = 0;
  bool has_converged = false;
};

// Descends until all classes of the group are solved; found(descent) takes what came of it.
template <int kWidth, class Found>
Outcome solve(const Problem& problem, const Group& group, const Found& found, Context& ctx) {
  Descent<kWidth> descent(problem, group);
  Outcome outcome;
  while (outcome.iterations < problem.options.iterations && !outcome.has_converged) {
    const double spread = descent.pass(ctx);
    ++outcome.iterations;
    if (spread > problem.options.tolerance) continue;
    outcome.has_converged = descent.is_whole();
    descent.activate_all();
  }
  found(descent);
  return outcome;
}

template <class Found>
Outcome solve(const Problem& problem, const Group& group, const Found& found, Context& ctx) {
  if (group.count == 1) return solve<1>(problem, group, found, ctx);
  if (group.count == 2) return solve<2>(problem, group, found, ctx);
  if (group.count <= 4) return solve<4>(problem, group, found, ctx);
  if (group.count <= 8) return solve<8>(problem, group, found, ctx);
  return group.count <= 12 ? solve<12>(problem, group, found, ctx) : solve<16>(problem, group, found, ctx);
}

Group group_of(Index number, Index groups, Index classes) {
  const Index first = number * classes / groups;
  return {first, (number + 1) * classes / groups - first};
}

LinearWeights no_weights(Index classes) {
  LinearWeights weights;
  weights.w.resize(static_cast<std::size_t>(classes));
  weights.bias.resize(static_cast<std::size_t>(classes));
  return weights;
}

}  // namespace

Index one_vs_rest_groups(Index rows, Index classes) {
  return chunk_count(classes, most_together(rows));
}

OneVsRestResult one_vs_rest_group(const TrainingRows& rows, const RowClasses& labels, Index classes,
                                  std::span<const double> weight, const HingeOptions& options, Index group,
                                  Context& ctx) {
  CLADE_CHECK(std::ssize(labels.offsets) == rows.rows() + 1);
  const Group own = group_of(group, one_vs_rest_groups(rows.rows(), classes), classes);
  OneVsRestResult result;
  result.weights = no_weights(own.count);
  result.first = own.first;
  if (rows.maker) expect_random_order(rows.maker->data(), true);
  const Outcome outcome = solve(
      {rows, labels, classes, weight, {}, options}, own, [&](const auto& descent) { descent.write(result.weights, 0); },
      ctx);
  result.iterations = outcome.iterations;
  result.has_converged = outcome.has_converged;
  return result;
}

OneVsRestResult one_vs_rest_dual(const TrainingRows& rows, const RowClasses& labels, Index classes,
                                 std::span<const double> weight, std::span<const double> start,
                                 const HingeOptions& options, Context& ctx) {
  CLADE_CHECK(std::ssize(labels.offsets) == rows.rows() + 1);
  CLADE_CHECK(start.empty() || std::ssize(start) == rows.rows() * classes);
  OneVsRestResult result;
  result.weights = no_weights(classes);
  result.alpha.resize(static_cast<std::size_t>(rows.rows() * classes));
  const Problem problem{rows, labels, classes, weight, start, options};
  if (rows.maker) expect_random_order(rows.maker->data(), true);
  const Index groups = one_vs_rest_groups(rows.rows(), classes);
  std::vector<Outcome> outcomes(static_cast<std::size_t>(groups));
  const auto length = rows.rows() < kManyRows ? ThreadPool::Tasks::kShort : ThreadPool::Tasks::kLong;
  const auto solve_group = [&](Index g, Index) {
    const Group group = group_of(g, groups, classes);
    outcomes[static_cast<std::size_t>(g)] = solve(
        problem, group,
        [&](const auto& descent) {
          descent.write(result.weights, group.first);
          descent.write_alpha(classes, result);
        },
        ctx);
  };
  parallel_for(ctx, groups, 1, solve_group, length);
  result.has_converged = true;
  for (const Outcome& outcome : outcomes) {
    result.iterations = std::max(result.iterations, outcome.iterations);
    result.has_converged = result.has_converged && outcome.has_converged;
  }
  return result;
}

}  // namespace clade
