#include "classify/linear/one_vs_rest.h"

#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr Index kMostTogether = 16;

struct Range {
  Index begin = 0;
  Index end = 0;
};

// Consecutive problems, up to kMostTogether, fewer if they have many positives: so no block takes much longer than
// others.
std::vector<Range> blocks_of(std::span<const std::vector<Index>> positives, Index rows) {
  std::vector<Range> blocks;
  Index inside = 0;
  for (Index o = 0; o < std::ssize(positives); ++o) {
    const Index own = std::ssize(positives[static_cast<std::size_t>(o)]);
    const bool is_full =
        blocks.empty() || blocks.back().end - blocks.back().begin == kMostTogether || 4 * (inside + own) > rows;
    if (is_full) {
      blocks.push_back({o, o});
      inside = 0;
    }
    blocks.back().end = o + 1;
    inside += own;
  }
  return blocks;
}

// The problems of one block, whose decisions are computed together, in numbers of type T.
template <class T>
class Block {
 public:
  Block(const OneVsRestInput& input, std::span<const double> squares, const HingeOptions& options, Range range,
        Context& ctx)
      : input_(input), squares_(squares), rows_(input.rows), range_(range), ctx_(ctx) {
    const auto count = static_cast<std::size_t>(range.end - range.begin);
    options_.assign(count, options);
    is_member_.assign(static_cast<std::size_t>(rows_.rows()), 0);
    problems_.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
      options_[k].stream = input.stream[static_cast<std::size_t>(range.begin) + k];
      problems_.push_back({.descent = HingeDescent(rows_, squares, options_[k])});
      start(k);
    }
    weights_.assign(static_cast<std::size_t>(rows_.width()), Lanes::Zero());
    decisions_.resize(static_cast<std::size_t>(rows_.rows()));
  }

  void run(const std::function<void(const OneVsRestSolution&)>& visit) {
    while (std::ranges::any_of(problems_, [](const Problem& p) { return !p.has_ended; })) {
      for (std::size_t k = 0; k < problems_.size(); ++k) {
        if (!problems_[k].has_ended) descend(k);
      }
      compute_decisions();
      find_wrong();
      for (std::size_t k = 0; k < problems_.size(); ++k) {
        if (!problems_[k].has_ended) exchange(k);
      }
    }
    for (std::size_t k = 0; k < problems_.size(); ++k) {
      OneVsRestSolution solution{.problem = range_.begin + static_cast<Index>(k),
                                 .descent = &problems_[k].descent,
                                 .squares = squares_,
                                 .decisions = std::vector<double>(decisions_.size()),
                                 .iterations = problems_[k].passes,
                                 .has_converged = problems_[k].has_converged};
      for (std::size_t r = 0; r < decisions_.size(); ++r)
        solution.decisions[r] = double{decisions_[r][static_cast<Index>(k)]};
      visit(solution);
    }
  }

 private:
  using Lanes = Eigen::Array<T, kMostTogether, 1>;
  struct Problem {
    HingeDescent descent;
    int passes = 0;
    int wanted = 2;  // passes in the next round
    bool has_ended = false;
    bool has_converged = false;
    std::vector<std::pair<T, Index>> found;  // how far on the wrong side, and which row
  };

  double weight(Index row) const { return input_.weight.empty() ? 1 : input_.weight[static_cast<std::size_t>(row)]; }
  const std::vector<Index>& positives(std::size_t k) const {
    return input_.positives[static_cast<std::size_t>(range_.begin) + k];
  }
  std::uint16_t& members_of(Index row) { return is_member_[static_cast<std::size_t>(row)]; }
  static std::uint16_t bit(std::size_t k) { return static_cast<std::uint16_t>(1U << k); }

  void join(std::size_t k, Index row, std::int8_t sign) {
    members_of(row) |= bit(k);
    problems_[k].descent.join(row, sign, weight(row));
  }

  // All positives, and as many negatives or a few hundred.
  void start(std::size_t k) {
    constexpr Index kFewest = 200;
    for (const Index row : positives(k)) join(k, row, 1);
    const Index others = rows_.rows() - std::ssize(positives(k));
    const Index wanted = std::max(kFewest, std::ssize(positives(k)));
    if (2 * wanted >= others) {
      for (Index row = 0; row < rows_.rows(); ++row) {
        if ((members_of(row) & bit(k)) == 0) join(k, row, -1);
      }
      return;
    }
    RandomStream random(options_[k].seed, {kSolverStream, options_[k].stream, 1});
    for (Index found = 0; found < wanted;) {
      const Index row = random.below(rows_.rows());
      if ((members_of(row) & bit(k)) != 0) continue;
      join(k, row, -1);
      ++found;
    }
  }

  void descend(std::size_t k) {
    Problem& problem = problems_[k];
    const int wanted = std::min(problem.wanted, options_[k].iterations - problem.passes);
    problem.passes += problem.descent.solve(options_[k].tolerance, wanted, ctx_);
  }

  // The weights of a column side by side, written a few columns at a time so that they stay in the fastest memory.
  void copy_weights() {
    constexpr std::size_t kColumns = 64;
    for (std::size_t begin = 0; begin < weights_.size(); begin += kColumns) {
      const std::size_t end = std::min(weights_.size(), begin + kColumns);
      for (std::size_t k = 0; k < problems_.size(); ++k) {
        const std::vector<double>& w = problems_[k].descent.w();
        for (std::size_t c = begin; c < end; ++c) weights_[c][static_cast<Index>(k)] = static_cast<T>(w[c]);
      }
    }
  }

  void compute_decisions() {
    copy_weights();
    Lanes bias = Lanes::Zero();
    for (std::size_t k = 0; k < problems_.size(); ++k)
      bias[static_cast<Index>(k)] = static_cast<T>(problems_[k].descent.bias());
    for (Index r = 0; r < rows_.rows(); ++r) {
      const auto columns = rows_.columns_of(r);
      const auto values = rows_.values_of(r);
      Lanes sum = bias;
      for (std::size_t e = 0; e < columns.size(); ++e) {
        sum += static_cast<T>(values[e]) * weights_[static_cast<std::size_t>(columns[e])];
      }
      decisions_[static_cast<std::size_t>(r)] = sum;
    }
  }

  // Finds the rows on the wrong side of the margin that are no members.
  void find_wrong() {
    constexpr Index kRows = 256;
    for (Problem& problem : problems_) problem.found.clear();
    for (Index begin = 0; begin < rows_.rows(); begin += kRows) {
      const Index end = std::min(rows_.rows(), begin + kRows);
      for (std::size_t k = 0; k < problems_.size(); ++k) {
        if (problems_[k].has_ended) continue;
        const auto least = static_cast<T>(options_[k].tolerance / 2 - 1);
        for (Index row = begin; row < end; ++row) {
          const T decision = decisions_[static_cast<std::size_t>(row)][static_cast<Index>(k)];
          if (decision <= least || (members_of(row) & bit(k)) != 0 || weight(row) == 0) continue;
          problems_[k].found.emplace_back(1 + decision, row);
        }
      }
    }
  }

  // Members beyond the margin leave, and others on its wrong side join, the worst first; or the problem ends.
  void exchange(std::size_t k) {
    Problem& problem = problems_[k];
    const double tolerance = options_[k].tolerance;
    const auto lane = static_cast<Index>(k);
    const auto wrong_side = [&](Index row) { return 1 + decisions_[static_cast<std::size_t>(row)][lane]; };
    std::vector<std::pair<T, Index>>& found = problem.found;
    const auto worst = found.empty() ? T{0} : std::ranges::max_element(found)->first;
    const double lowest = std::min(problem.descent.lowest(), -double{worst});
    problem.has_converged = problem.descent.has_converged() && problem.descent.highest() - lowest <= tolerance;
    problem.has_ended = problem.has_converged || problem.passes >= options_[k].iterations;
    if (problem.has_ended) return;
    // Many passes would be lost on rows that are soon replaced.
    problem.wanted = found.empty() ? 2 * problem.wanted : 3;
    problem.descent.leave_if([&](const HingeDescent::Member& member) {
      const bool leaves = member.sign < 0 && member.alpha == 0 && wrong_side(member.row) < 0;
      if (leaves) members_of(member.row) &= static_cast<std::uint16_t>(~bit(k));
      return leaves;
    });
    const auto most = std::max<std::size_t>(600, 2 * positives(k).size());
    if (found.size() > most) {
      const auto is_worse = [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      };
      std::ranges::nth_element(found, found.begin() + static_cast<std::ptrdiff_t>(most), is_worse);
      found.resize(most);
      std::ranges::sort(found, {}, [](const auto& f) { return f.second; });
    }
    for (const auto& [how_far, row] : found) join(k, row, -1);
  }

  const OneVsRestInput& input_;
  std::span<const double> squares_;
  const TrainingRows& rows_;
  Range range_;
  Context& ctx_;
  std::vector<HingeOptions> options_;
  std::vector<Problem> problems_;
  std::vector<std::uint16_t> is_member_;  // a bit per problem
  std::vector<Lanes> weights_;            // per column
  std::vector<Lanes> decisions_;          // per row
};

}  // namespace

void solve_one_vs_rest(const OneVsRestInput& input, const HingeOptions& options,
                       const std::function<void(const OneVsRestSolution&)>& visit, Context& ctx) {
  const std::vector<double> squares = squared_lengths(input.rows);
  const std::vector<Range> blocks = blocks_of(input.positives, input.rows.rows());
  parallel_for(ctx, std::ssize(blocks), 1, [&](Index b, Index) {
    const Range range = blocks[static_cast<std::size_t>(b)];
    // Rounding must stay far below the tolerance.
    constexpr double kFinestForFloats = 1e-3;
    if (options.tolerance >= kFinestForFloats) {
      Block<float>(input, squares, options, range, ctx).run(visit);
    } else {
      Block<double>(input, squares, options, range, ctx).run(visit);
    }
  });
}

}  // namespace clade
