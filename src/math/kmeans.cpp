#include "math/kmeans.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;

// The rows of every cluster, so that each centre is summed by one thread in the order of the rows.
struct Members {
  std::vector<Index> offsets;  // clusters + 1
  std::vector<Index> rows;

  Members(const std::vector<Index>& labels, Index clusters)
      : offsets(static_cast<std::size_t>(clusters) + 1, 0), rows(labels.size()) {
    for (const Index label : labels) ++offsets[static_cast<std::size_t>(label) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<Index> place(offsets.begin(), offsets.end() - 1);
    for (std::size_t row = 0; row < labels.size(); ++row) {
      rows[static_cast<std::size_t>(place[static_cast<std::size_t>(labels[row])]++)] = static_cast<Index>(row);
    }
  }

  std::span<const Index> of(Index cluster) const {
    const auto k = static_cast<std::size_t>(cluster);
    return std::span(rows).subspan(static_cast<std::size_t>(offsets[k]),
                                   static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
  }
};

// One start: initial centres, then rounds.
class Lloyd {
 public:
  Lloyd(const KMeansRows& rows, Index clusters, Context& ctx)
      : rows_(rows), clusters_(clusters), ctx_(ctx), squares_(static_cast<std::size_t>(rows.rows())) {
    start_.labels.assign(static_cast<std::size_t>(rows.rows()), -1);
    start_.centres = Matrix::Zero(rows.columns(), clusters);
  }

  // Returns how many different rows were found, up to the number of clusters.
  Index draw_centres(RandomStream random) {
    std::vector<double> nearest(squares_.size(), std::numeric_limits<double>::infinity());
    Index drawn = random.below(rows_.rows());
    for (Index k = 0;; ++k) {
      start_.centres.col(k).setZero();
      rows_.add_to(drawn, start_.centres.col(k));
      if (k + 1 == clusters_) return clusters_;
      parallel_for(ctx_, rows_.rows(), kRowsPerTask, [&](Index begin, Index end) {
        rows_.distances_to_row(drawn, begin, end, squares_.data() + begin);
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
          nearest[row] = std::min(nearest[row], squares_[row]);
        }
      });
      const double total = finite_sum(nearest);
      if (total == 0) return repeat_centres(k + 1);
      drawn = row_at(nearest, random.uniform() * total);
    }
  }

  KMeansStart run(int rounds) {
    for (int round = 0; round < rounds && !start_.has_converged; ++round) {
      ctx_.check_cancelled();
      const std::vector<Index> before = start_.labels;
      assign();
      start_.objectives.push_back(std::accumulate(squares_.begin(), squares_.end(), 0.0));
      start_.has_converged = before == start_.labels;
      if (!start_.has_converged) {
        refill();
        move_centres();
      }
    }
    finish();
    return std::move(start_);
  }

 private:
  static double finite_sum(const std::vector<double>& values) {
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (std::isfinite(sum)) return sum;
    throw usage_error("distances between samples are not finite: values are too large to compute with",
                      "expected smaller ones, or scaled features");
  }

  // The row at which the running sum of the weights exceeds `target`.
  static Index row_at(const std::vector<double>& weights, double target) {
    Index last = 0;
    double sum = 0;
    for (std::size_t row = 0; row < weights.size(); ++row) {
      if (weights[row] <= 0) continue;
      last = static_cast<Index>(row);
      sum += weights[row];
      if (sum > target) break;
    }
    return last;
  }

  // All distinct rows are centres already. Centres that equal another get no rows.
  Index repeat_centres(Index distinct) {
    for (Index k = distinct; k < clusters_; ++k) start_.centres.col(k) = start_.centres.col(0);
    return distinct;
  }

  void assign() {
    const CentreRows centres{start_.centres.transpose(), start_.centres.colwise().squaredNorm()};
    parallel_for(ctx_, rows_.rows(), kRowsPerTask, [&](Index begin, Index end) {
      rows_.nearest(centres, begin, end, start_.labels.data() + begin, squares_.data() + begin);
    });
  }

  // A cluster without rows takes the farthest row from a cluster with several.
  void refill() {
    std::vector<Index> sizes(static_cast<std::size_t>(clusters_), 0);
    for (const Index label : start_.labels) ++sizes[static_cast<std::size_t>(label)];
    if (std::ranges::find(sizes, 0) == sizes.end()) return;
    measure();
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] > 0) continue;
      const std::size_t farthest = farthest_with_company(sizes);
      if (squares_[farthest] == 0) return;
      --sizes[static_cast<std::size_t>(start_.labels[farthest])];
      start_.labels[farthest] = static_cast<Index>(k);
      squares_[farthest] = 0;
      sizes[k] = 1;
      ++start_.refilled;
    }
  }

  std::size_t farthest_with_company(const std::vector<Index>& sizes) const {
    std::size_t farthest = 0;
    double distance = -1;
    for (std::size_t row = 0; row < squares_.size(); ++row) {
      if (squares_[row] <= distance || sizes[static_cast<std::size_t>(start_.labels[row])] < 2) continue;
      farthest = row;
      distance = squares_[row];
    }
    return farthest;
  }

  void move_centres() {
    const Members members(start_.labels, clusters_);
    parallel_for(ctx_, clusters_, 1, [&](Index k, Index) {
      const auto own = members.of(k);
      if (own.empty()) return;
      auto centre = start_.centres.col(k);
      centre.setZero();
      for (const Index row : own) rows_.add_to(row, centre);
      centre /= static_cast<double>(own.size());
    });
  }

  // Distances of the rows to their own centres, from differences.
  void measure() {
    parallel_for(ctx_, rows_.rows(), kRowsPerTask, [&](Index begin, Index end) {
      for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
        squares_[row] = rows_.distance(static_cast<Index>(row), start_.centres.col(start_.labels[row]));
      }
    });
  }

  void finish() {
    measure();
    start_.objective = finite_sum(squares_);
    start_.centres.colwise() += rows_.shift();
  }

  const KMeansRows& rows_;
  Index clusters_;
  Context& ctx_;
  std::vector<double> squares_;
  KMeansStart start_;
};

}  // namespace

KMeansResult k_means(const KMeansRows& rows, const KMeansOptions& options, Context& ctx) {
  CLADE_CHECK(options.clusters > 0 && options.starts > 0);
  if (options.clusters > rows.rows()) {
    throw usage_error(fmt::format("{} clusters of {} samples", options.clusters, rows.rows()),
                      "expected no more clusters than samples");
  }
  KMeansResult result;
  result.starts.resize(static_cast<std::size_t>(options.starts));
  std::vector<Index> distinct(result.starts.size());
  Progress progress(ctx, "k-means", options.starts);
  const auto run = [&](Index start) {
    Lloyd lloyd(rows, options.clusters, ctx);
    const auto s = static_cast<std::size_t>(start);
    distinct[s] = lloyd.draw_centres(RandomStream(ctx.seed(), {kClusterStream, s}));
    result.starts[s] = lloyd.run(options.rounds);
    progress.advance();
  };
  if (options.starts >= ctx.threads()) {
    parallel_for(ctx, options.starts, 1, [&](Index start, Index) { run(start); });
  } else {
    for (Index start = 0; start < options.starts; ++start) run(start);
  }
  result.distinct = distinct.front();
  for (std::size_t s = 0; s < result.starts.size(); ++s) {
    if (result.starts[s].objective < result.starts[result.best].objective) result.best = s;
  }
  return result;
}

}  // namespace clade
