// Fisher score of every feature at a node (R. O. Duda, P. E. Hart, D. G. Stork, Pattern Classification, 2001):
//
//   F(j) = sum_c n_c (mu_cj - mu_j)^2 / sum_c n_c sigma_cj^2      c: children of the node that have samples
//
// with the mean mu_j over all samples of the node and population variances. It is 0 if the numerator is 0 (a constant
// feature), else 100 if the denominator is 0 (a feature that separates the children perfectly). A sample of several
// children counts in each of them, and once in mu_j. A feature with a missing value has no score and comes last.
//
// O(non-zeros + features x children) per node, and memory for a few numbers per feature. Dense data are read twice for
// all nodes together, in blocks that stay in the cache while all nodes that have their samples use them.

#include <algorithm>
#include <array>
#include <vector>

#include "comm/collectives.h"
#include "comm/tasks.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "select/filter/filter_selector.h"
#include "select/ranking.h"
#include "select/row_values.h"

namespace clade {
namespace {

constexpr double kPerfectScore = 100;

// The means of some samples and the sums of squares about them, for a range of features. Two passes over differences
// from the first sample: if all values are equal, the differences, their mean and their squares are exactly 0, which a
// mean of the values themselves does not guarantee (the mean of three times 0.1 is above 0.1).
class Moments {
 public:
  Moments(const Dataset& data, Index begin, Index end) : data_(data), begin_(begin), end_(end) {}

  void compute(std::span<const Index> samples) {
    const auto n = static_cast<double>(samples.size());
    first_ = stored_ = sum_ = squares_ = std::vector<double>(static_cast<std::size_t>(end_ - begin_), 0.0);
    visit(samples[0], [&](std::size_t j, double x) { first_[j] = x; });
    for (const Index sample : samples) {
      visit(sample, [&](std::size_t j, double x) {
        sum_[j] += x - first_[j];
        stored_[j] += 1;
      });
    }
    for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] = (sum_[j] - (n - stored_[j]) * first_[j]) / n;
    for (const Index sample : samples) {
      visit(sample, [&](std::size_t j, double x) {
        const double difference = (x - first_[j]) - sum_[j];
        squares_[j] += difference * difference;
      });
    }
    // Values that a sparse row does not store are 0.
    for (std::size_t j = 0; j < sum_.size(); ++j) {
      const double mean = first_[j] + sum_[j];
      squares_[j] += (n - stored_[j]) * mean * mean;
    }
  }

  double squares(std::size_t j) const { return squares_[j]; }
  // The difference of two means, taken in parts so that a large common offset does not swamp it.
  double mean_difference(std::size_t j, const Moments& other) const {
    return (first_[j] - other.first_[j]) + (sum_[j] - other.sum_[j]);
  }

 private:
  template <class Visit>
  void visit(Index sample, Visit&& use) const {
    for_each_value_between(data_, sample, begin_, end_,
                           [&](Index j, double x) { use(static_cast<std::size_t>(j - begin_), x); });
  }

  const Dataset& data_;
  Index begin_;
  Index end_;
  std::vector<double> first_, stored_, squares_;
  std::vector<double> sum_;  // of the differences from the first sample; then their mean
};

std::vector<std::vector<Index>> samples_of_children(const NodeTable& table) {
  std::vector<std::vector<Index>> samples(table.children.size());
  for (Index r = 0; r < table.samples(); ++r) {
    for (const auto child : table.labels(r)) {
      samples[static_cast<std::size_t>(child)].push_back(table.rows[static_cast<std::size_t>(r)]);
    }
  }
  return samples;
}

double score_of(double between, double within) {
  return between == 0 ? 0 : within == 0 ? kPerfectScore : between / within;
}

std::vector<double> fisher_scores(const Dataset& data, const NodeTable& table, Context& ctx) {
  const auto children = samples_of_children(table);
  std::vector<double> scores(static_cast<std::size_t>(data.features()));
  parallel_for(ctx, data.features(), feature_grain(data.features()), [&](Index begin, Index end) {
    const auto count = static_cast<std::size_t>(end - begin);
    Moments node(data, begin, end);
    Moments child(data, begin, end);
    node.compute(table.rows);
    std::vector<double> between(count, 0.0);
    std::vector<double> within(count, 0.0);
    for (const auto& samples : children) {
      child.compute(samples);
      for (std::size_t j = 0; j < count; ++j) {
        const double difference = child.mean_difference(j, node);
        between[j] += static_cast<double>(samples.size()) * difference * difference;
        within[j] += child.squares(j);
      }
    }
    for (std::size_t j = 0; j < count; ++j) {
      double& score = scores[static_cast<std::size_t>(begin) + j];
      score = score_of(between[j], within[j]);
    }
  });
  return scores;
}

constexpr Index kLanes = 32;        // features at a time: their sums fit into registers
constexpr Index kBlockRows = 1024;  // samples at a time: a block of theirs fits into the cache

// What Moments has, of several sets of samples of dense data, for up to kLanes features. The same numbers.
class BlockMoments {
 public:
  using Lanes = std::array<double, kLanes>;

  BlockMoments(const Dataset& data, std::span<const std::vector<Index>* const> sets) : data_(data), sets_(sets) {}

  void compute(Index begin, Index end) {
    begin_ = begin;
    end_ = end;
    first_.assign(sets_.size(), {});
    sum_.assign(sets_.size(), {});
    squares_.assign(sets_.size(), {});
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      if (!sets_[k]->empty()) copy_row(sets_[k]->front(), first_[k].data());
    }
    for_each_part(
        [&](std::size_t k, const double* x, Lanes& sum) {
          const Lanes& first = first_[k];
          for (std::size_t j = 0; j < kLanes; ++j) sum[j] += x[j] - first[j];
        },
        sum_);
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      for (double& sum : sum_[k]) sum /= static_cast<double>(sets_[k]->size());
    }
    for_each_part(
        [&](std::size_t k, const double* x, Lanes& squares) {
          const Lanes& first = first_[k];
          const Lanes& mean = sum_[k];
          for (std::size_t j = 0; j < kLanes; ++j) {
            const double difference = (x[j] - first[j]) - mean[j];
            squares[j] += difference * difference;
          }
        },
        squares_);
  }

  double squares(std::size_t set, std::size_t j) const { return squares_[set][j]; }
  double mean_difference(std::size_t set, std::size_t other, std::size_t j) const {
    return (first_[set][j] - first_[other][j]) + (sum_[set][j] - sum_[other][j]);
  }

 private:
  void copy_row(Index sample, double* out) const {
    const Index row = data_.source_row(sample);
    std::visit(
        [&](const auto& m) {
          if constexpr (requires { m.indices; }) {
            CLADE_CHECK(false);  // dense data only
          } else {
            const auto values = m.row(row).subspan(static_cast<std::size_t>(begin_));
            std::copy_n(values.begin(), end_ - begin_, out);
          }
        },
        data_.matrix());
  }

  // Calls add(set, values, total) for every sample of every set, in the order of the set; total is the set's.
  template <class Add>
  void for_each_part(Add&& add, std::vector<Lanes>& totals) {
    block_.assign(static_cast<std::size_t>(kBlockRows * kLanes), 0.0);
    next_.assign(sets_.size(), 0);
    for (Index top = 0; top < data_.samples(); top += kBlockRows) {
      const Index bottom = std::min(data_.samples(), top + kBlockRows);
      for (Index s = top; s < bottom; ++s) copy_row(s, block_.data() + (s - top) * kLanes);
      for (std::size_t k = 0; k < sets_.size(); ++k) {
        const std::vector<Index>& samples = *sets_[k];
        std::size_t& next = next_[k];
        Lanes total = totals[k];
        for (; next < samples.size() && samples[next] < bottom; ++next) {
          add(k, block_.data() + (samples[next] - top) * kLanes, total);
        }
        totals[k] = total;
      }
    }
  }

  const Dataset& data_;
  std::span<const std::vector<Index>* const> sets_;  // samples ascend
  Index begin_ = 0;
  Index end_ = 0;
  std::vector<Lanes> first_, sum_, squares_;
  std::vector<double> block_;
  std::vector<std::size_t> next_;  // of each set: the first sample beyond the last block
};

// The scores of dense data at all tables.
std::vector<std::vector<double>> block_scores(const Dataset& data, std::span<const NodeTable* const> tables,
                                              Context& ctx) {
  std::vector<std::vector<std::vector<Index>>> children(tables.size());
  parallel_for(ctx, std::ssize(tables), 1, [&](Index k, Index) {
    children[static_cast<std::size_t>(k)] = samples_of_children(*tables[static_cast<std::size_t>(k)]);
  });
  std::vector<const std::vector<Index>*> sets;  // of each table: its samples, then its children's
  for (std::size_t k = 0; k < tables.size(); ++k) {
    sets.push_back(&tables[k]->rows);
    for (const auto& samples : children[k]) sets.push_back(&samples);
  }
  std::vector<std::vector<double>> scores(tables.size(),
                                          std::vector<double>(static_cast<std::size_t>(data.features())));
  Progress progress(ctx, "ranking features", data.features());
  parallel_for(ctx, data.features(), kLanes, [&](Index begin, Index end) {
    BlockMoments moments(data, sets);
    moments.compute(begin, end);
    std::size_t set = 0;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      const std::size_t node = set++;
      std::array<double, kLanes> between{};
      std::array<double, kLanes> within{};
      for (const auto& samples : children[k]) {
        for (std::size_t j = 0; j < kLanes; ++j) {
          const double difference = moments.mean_difference(set, node, j);
          between[j] += static_cast<double>(samples.size()) * difference * difference;
          within[j] += moments.squares(set, j);
        }
        ++set;
      }
      for (Index j = begin; j < end; ++j) {
        const auto lane = static_cast<std::size_t>(j - begin);
        scores[k][static_cast<std::size_t>(j)] = score_of(between[lane], within[lane]);
      }
    }
    progress.advance(end - begin);
  });
  return scores;
}

std::vector<std::vector<double>> scores_at(const Dataset& data, std::span<const NodeTable* const> tables,
                                           Context& ctx) {
  if (!is_sparse(data.matrix())) return block_scores(data, tables, ctx);
  std::vector<std::vector<double>> scores;
  for (const NodeTable* const table : tables) scores.push_back(fisher_scores(data, *table, ctx));
  return scores;
}

std::vector<NodeRanking> rankings_by(const std::vector<std::vector<double>>& scores,
                                     std::span<const NodeTable* const> tables, Context& ctx) {
  std::vector<NodeRanking> rankings(tables.size());
  parallel_for(ctx, std::ssize(tables), 1, [&](Index number, Index) {
    const auto k = static_cast<std::size_t>(number);
    rankings[k] = rank_features(*tables[k], scores[k]);
  });
  return rankings;
}

class Fisher final : public FilterSelector {
 public:
  using FilterSelector::FilterSelector;
  ParameterTable parameters() override { return {}; }
  bool takes_row_parts() const override { return true; }

 protected:
  Ranked rank(const Dataset& data, const NodeTable& table, Index, Context& ctx) const override {
    return {rank_features(table, fisher_scores(data, table, ctx)), {}, {}};
  }
  std::vector<NodeRanking> rank_together(const Dataset& data, std::span<const NodeTable* const> tables,
                                         Context& ctx) const override {
    if (is_sparse(data.matrix()) || tables.empty()) return {};
    return rankings_by(block_scores(data, tables, ctx), tables, ctx);
  }
  std::vector<NodeRanking> rank_columns(const Columns& columns, std::span<const NodeTable* const> tables, Index,
                                        Context& ctx) const override {
    const std::string scores = run_together(columns.team, "scores", [&] {
      const auto own = ByteWriter().put(scores_at(columns.data, tables, ctx)).take();
      std::vector<std::vector<double>> all(tables.size());
      for (const std::string& bytes : all_gather(columns.team.processes(), own)) {
        std::vector<std::vector<double>> some;
        ByteReader(bytes).get(some);
        for (std::size_t k = 0; k < all.size(); ++k) all[k].insert(all[k].end(), some[k].begin(), some[k].end());
      }
      return ByteWriter().put(all).take();
    });
    std::vector<std::vector<double>> all;
    ByteReader(scores).get(all);
    return rankings_by(all, tables, ctx);
  }
  double operations(const Dataset& data, const NodeTable& table, Index) const override {
    return 10.0 * static_cast<double>(table.samples()) * static_cast<double>(data.features());
  }
};

}  // namespace

std::unique_ptr<Selector> make_fisher(bool flat) {
  return std::make_unique<Fisher>(flat);
}

}  // namespace clade
