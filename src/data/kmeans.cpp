#include "data/kmeans.h"

#include <clade/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "comm/collectives.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "core/random.h"

namespace clade {
namespace {

constexpr Index kRowsPerTask = 256;

// Some rows by cluster, so that each centre is summed by one thread in the order of the rows.
struct Members {
  std::vector<Index> offsets;  // clusters + 1
  std::vector<Index> rows;

  // Of the rows [begin, end).
  Members(const std::vector<Index>& labels, Index begin, Index end, Index clusters)
      : offsets(static_cast<std::size_t>(clusters) + 1, 0), rows(static_cast<std::size_t>(end - begin)) {
    const auto label = [&](Index row) { return static_cast<std::size_t>(labels[static_cast<std::size_t>(row)]); };
    for (Index row = begin; row < end; ++row) ++offsets[label(row) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<Index> place(offsets.begin(), offsets.end() - 1);
    for (Index row = begin; row < end; ++row) rows[static_cast<std::size_t>(place[label(row)]++)] = row;
  }

  std::span<const Index> of(Index cluster) const {
    const auto k = static_cast<std::size_t>(cluster);
    return std::span(rows).subspan(static_cast<std::size_t>(offsets[k]),
                                   static_cast<std::size_t>(offsets[k + 1] - offsets[k]));
  }
};

// One start: initial centres, then rounds. Rows are numbered among those that this process has.
class Lloyd {
 public:
  Lloyd(const KMeansRows& rows, const EvenBlocks& blocks, Index clusters, Context& ctx)
      : rows_(rows),
        blocks_(blocks),
        first_(blocks.own_rows().first),
        clusters_(clusters),
        ctx_(ctx),
        squares_(static_cast<std::size_t>(rows.rows())) {
    start_.labels.assign(static_cast<std::size_t>(rows.rows()), -1);
    start_.centres = Matrix::Zero(rows.columns(), clusters);
    const auto [begin, end] = blocks.sums().own();
    for (int block = begin; block < end; ++block) {
      const auto [row, block_end] = rows_of(block);
      for (Index at = row; at < block_end; at += kRowsPerTask) {
        chunks_.emplace_back(at, std::min(block_end, at + kRowsPerTask));
      }
    }
  }

  // Returns how many different rows were found, up to the number of clusters.
  Index draw_centres(RandomStream random) {
    std::vector<double> nearest(squares_.size(), std::numeric_limits<double>::infinity());
    const Index first = random.below(blocks_.rows());
    KMeansPoint drawn = row_in(blocks_.block_of(first), [&] { return first - first_; });
    for (Index k = 0;; ++k) {
      start_.centres.col(k) = drawn.values;
      if (k + 1 == clusters_) return clusters_;
      for_each_chunk([&](Index begin, Index end) {
        rows_.distances_to(drawn, begin, end, squares_.data() + begin);
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
          nearest[row] = std::min(nearest[row], squares_[row]);
        }
      });
      const Vector sums = sums_by_block(nearest);
      const double total = finite_sum(sums);
      if (total == 0) return repeat_centres(k + 1);
      drawn = drawn_row(nearest, sums, random.uniform() * total);
    }
  }

  KMeansStart run(int rounds) {
    for (int round = 0; round < rounds && !start_.has_converged; ++round) {
      ctx_.check_cancelled();
      const std::vector<Index> before = start_.labels;
      assign();
      start_.objectives.push_back(sum_of(sums_by_block(squares_)));
      start_.has_converged = !has_changed(before);
      if (!start_.has_converged) {
        refill();
        move_centres();
      }
    }
    finish();
    return std::move(start_);
  }

 private:
  static double sum_of(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

  static double finite_sum(const Vector& values) {
    const double sum = sum_of(values);
    if (std::isfinite(sum)) return sum;
    throw usage_error("distances between samples are not finite: values are too large to compute with",
                      "expected smaller ones, or scaled features");
  }

  std::pair<Index, Index> rows_of(int block) const {
    const auto [begin, end] = blocks_.rows_of(block);
    return {begin - first_, end - first_};
  }

  // Calls body(begin, end) for chunks of the rows, none of which lies in two blocks: the last digits of a product may
  // depend on which rows are together.
  template <class Body>
  void for_each_chunk(const Body& body) {
    parallel_for(ctx_, std::ssize(chunks_), 1, [&](Index k, Index) {
      const auto [begin, end] = chunks_[static_cast<std::size_t>(k)];
      body(begin, end);
    });
  }

  // Of numbers by row.
  Vector sums_by_block(const std::vector<double>& values) const {
    const Matrix sums = blocks_.gathered(1, [&](int block, double* sum) {
      const auto [begin, end] = rows_of(block);
      *sum = std::accumulate(values.begin() + begin, values.begin() + end, 0.0);
    });
    return sums.transpose();
  }

  bool has_changed(const std::vector<Index>& before) const {
    return sum_of(blocks_.sums().sum(1, [&](int block, Vector& sum) {
             const auto [begin, end] = rows_of(block);
             sum(0) = std::equal(before.begin() + begin, before.begin() + end, start_.labels.begin() + begin) ? 0 : 1;
           })) > 0;
  }

  // A row of a block for all processes; the one that has the block calls find() for its number.
  template <class Find>
  KMeansPoint row_in(int block, const Find& find) const {
    const int process = blocks_.process_of(block);
    Team& team = blocks_.sums().team();
    KMeansPoint point{Vector::Zero(rows_.columns()), {}};
    std::string bytes;
    std::vector<double> values;
    if (process == team.rank()) {
      rows_.add_to(find(), point.values);
      for (Index column = 0; column < point.values.size(); ++column) {
        if (point.values[column] == 0) continue;
        point.nonzeros.push_back(column);
        values.push_back(point.values[column]);
      }
      bytes = ByteWriter().put(point.nonzeros).put(values).take();
    }
    broadcast(team.processes(), process, bytes);
    ByteReader(bytes).get(point.nonzeros).get(values);
    for (std::size_t k = 0; k < values.size(); ++k) point.values[point.nonzeros[k]] = values[k];
    return point;
  }

  // The row at which the running sum of the weights exceeds `target`; `sums` are those of the blocks.
  KMeansPoint drawn_row(const std::vector<double>& weights, const Vector& sums, double target) const {
    int block = 0;
    double before = 0;
    double sum = 0;
    for (int b = 0; b < sums.size() && sum <= target; ++b) {
      if (sums[b] <= 0) continue;
      block = b;
      before = sum;
      sum += sums[b];
    }
    return row_in(block, [&] {
      const auto [begin, end] = rows_of(block);
      Index last = begin;
      double running = before;
      for (Index row = begin; row < end && running <= target; ++row) {
        const double weight = weights[static_cast<std::size_t>(row)];
        if (weight <= 0) continue;
        last = row;
        running += weight;
      }
      return last;
    });
  }

  // All distinct rows are centres already. Centres that equal another get no rows.
  Index repeat_centres(Index distinct) {
    for (Index k = distinct; k < clusters_; ++k) start_.centres.col(k) = start_.centres.col(0);
    return distinct;
  }

  void assign() {
    const CentreRows centres{start_.centres.transpose(), start_.centres.colwise().squaredNorm()};
    for_each_chunk([&](Index begin, Index end) {
      rows_.nearest(centres, begin, end, start_.labels.data() + begin, squares_.data() + begin);
    });
  }

  // A cluster without rows takes the farthest row from a cluster with several.
  void refill() {
    Vector sizes = blocks_.sums().sum(clusters_, [&](int block, Vector& sum) {
      const auto [begin, end] = rows_of(block);
      for (Index row = begin; row < end; ++row) sum[label(row)] += 1;
    });
    if (sizes.minCoeff() > 0) return;
    measure();
    for (Index k = 0; k < clusters_; ++k) {
      if (sizes[k] > 0) continue;
      const Farthest farthest = farthest_with_company(sizes);
      if (farthest.square <= 0) return;
      sizes[farthest.label] -= 1;
      sizes[k] = 1;
      if (const Index row = farthest.row - first_; row >= 0 && row < rows_.rows()) {
        start_.labels[static_cast<std::size_t>(row)] = k;
        squares_[static_cast<std::size_t>(row)] = 0;
      }
      ++start_.refilled;
    }
  }

  // Numbered among all rows.
  struct Farthest {
    double square = -1;
    Index row = 0;
    Index label = 0;
  };

  // The first of equals.
  Farthest farthest_with_company(const Vector& sizes) const {
    const Matrix found = blocks_.gathered(3, [&](int block, double* column) {
      const auto [begin, end] = rows_of(block);
      Farthest own;
      for (Index row = begin; row < end; ++row) {
        const double square = squares_[static_cast<std::size_t>(row)];
        if (square > own.square && sizes[label(row)] > 1) own = {square, first_ + row, label(row)};
      }
      column[0] = own.square;
      column[1] = static_cast<double>(own.row);
      column[2] = static_cast<double>(own.label);
    });
    Farthest farthest;
    for (const auto& own : found.colwise()) {
      if (own[0] > farthest.square) farthest = {own[0], static_cast<Index>(own[1]), static_cast<Index>(own[2])};
    }
    return farthest;
  }

  void move_centres() {
    const Index columns = rows_.columns();
    // A column for every cluster: the sum of its rows, and how many they are.
    const Vector sums = blocks_.sums().sum((columns + 1) * clusters_, [&](int block, Vector& sum) {
      const auto [begin, end] = rows_of(block);
      const Members members(start_.labels, begin, end, clusters_);
      Eigen::Map<Matrix> clusters(sum.data(), columns + 1, clusters_);
      parallel_for(ctx_, clusters_, 1, [&](Index k, Index) {
        auto cluster = clusters.col(k);
        for (const Index row : members.of(k)) rows_.add_to(row, cluster.head(columns));
        cluster[columns] = static_cast<double>(members.of(k).size());
      });
    });
    const Eigen::Map<const Matrix> clusters(sums.data(), columns + 1, clusters_);
    for (Index k = 0; k < clusters_; ++k) {
      const double size = clusters(columns, k);
      if (size > 0) start_.centres.col(k) = clusters.col(k).head(columns) / size;
    }
  }

  // Distances of the rows to their own centres, from differences.
  void measure() {
    for_each_chunk([&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        squares_[static_cast<std::size_t>(row)] = rows_.distance(row, start_.centres.col(label(row)));
      }
    });
  }

  void finish() {
    measure();
    start_.objective = finite_sum(sums_by_block(squares_));
    start_.centres.colwise() += rows_.shift();
  }

  Index label(Index row) const { return start_.labels[static_cast<std::size_t>(row)]; }

  const KMeansRows& rows_;
  const EvenBlocks& blocks_;
  Index first_;  // of the rows of this process, among all
  Index clusters_;
  Context& ctx_;
  std::vector<std::pair<Index, Index>> chunks_;
  std::vector<double> squares_;
  KMeansStart start_;
};

}  // namespace

EvenBlocks k_means_blocks(Team& team, Index rows, Index columns) {
  // Every block has sums of its own, of all columns in every cluster, which should take less time than its rows: so
  // there are many more rows than clusters, and not many fewer than columns, because rows may be sparse.
  constexpr Index kLeastRows = 2048;
  constexpr Index kColumnsOfRow = 4;
  return EvenBlocks(team, rows, std::max(kLeastRows, columns / kColumnsOfRow));
}

KMeansResult k_means(const KMeansRows& rows, const EvenBlocks& blocks, const KMeansOptions& options, Context& ctx) {
  CLADE_CHECK(options.clusters > 0 && options.starts > 0);
  CLADE_CHECK(rows.rows() == blocks.own_rows().second - blocks.own_rows().first);
  if (options.clusters > blocks.rows()) {
    throw usage_error(fmt::format("{} clusters of {} samples", options.clusters, blocks.rows()),
                      "expected no more clusters than samples");
  }
  KMeansResult result;
  result.starts.resize(static_cast<std::size_t>(options.starts));
  std::vector<Index> distinct(result.starts.size());
  Progress progress(ctx, "k-means", options.starts);
  const auto run = [&](Index start) {
    Lloyd lloyd(rows, blocks, options.clusters, ctx);
    const auto s = static_cast<std::size_t>(start);
    distinct[s] = lloyd.draw_centres(RandomStream(ctx.seed(), {kClusterStream, s}));
    result.starts[s] = lloyd.run(options.rounds);
    progress.advance();
  };
  // Processes talk about one start at a time.
  if (blocks.sums().team().size() == 1 && options.starts >= ctx.threads()) {
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
