// Minimum redundancy, maximum relevance (H. Peng, F. Long, C. Ding, 2005), at every node on its own. Values are
// discretised; then features are taken one by one, each time the best one by
//
//   mid:  I(j; C) - mean_s I(j; s)                 s: the features already taken; C: the child of the node
//   miq:  I(j; C) / (mean_s I(j; s) + 0.01)
//
// with the mutual information in bits; the mean over no features is 0, so the first one taken is the most relevant.
// Ties go to the more relevant feature, and then to the smaller index. A sample of several children has their set as
// its class. The weight of a feature is its criterion when it was taken. If only the `top` best are asked for, the
// others follow by relevance with weight 0.
//
// O(top x features x samples) per node, for sparse data about O(top x non-zeros). Memory for four bytes per value, or
// about one per non-zero value of sparse data; if at least half of up to 4,096 features are asked for, for sixteen
// bytes per pair of them as well, whose information is computed beforehand, tile by tile.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "math/dense.h"
#include "select/filter/discrete.h"
#include "select/filter/filter_selector.h"
#include "select/filter/level_tiles.h"
#include "select/filter/mutual_information.h"

namespace clade {
namespace {

enum class Criterion { kDifference, kQuotient };

constexpr Choice<Discretise> kDiscretiseWords[] = {{Discretise::kEqualFrequency, "equal-frequency"},
                                                   {Discretise::kRound, "round"}};
constexpr Choice<Criterion> kCriterionWords[] = {{Criterion::kDifference, "mid"}, {Criterion::kQuotient, "miq"}};

struct MrmrOptions {
  Discretise discretise = Discretise::kEqualFrequency;
  int bins = 10;
  Criterion criterion = Criterion::kDifference;
};

template <class V>
void describe(V& v, MrmrOptions& o) {
  v("discretise", o.discretise, kDiscretiseWords,
    "put values into bins of equally many, or round them to the nearest integer");
  v("bins", o.bins, between(2, 256), "number of bins for equal-frequency");
  v("criterion", o.criterion, kCriterionWords, "relevance minus mean redundancy, or their quotient");
}

// Keeps the quotient finite if there is no redundancy.
constexpr double kQuotientFloor = 0.01;
constexpr Index kColumnGrain = 16;

// The samples, grouped by their sets of children.
MutualInformation::Reference classes(const MutualInformation& information, const NodeTable& table) {
  std::map<std::vector<std::int32_t>, std::uint32_t> number;
  std::vector<std::uint32_t> of;
  for (Index r = 0; r < table.samples(); ++r) {
    const auto labels = table.labels(r);
    const auto next = static_cast<std::uint32_t>(number.size());
    of.push_back(number.try_emplace({labels.begin(), labels.end()}, next).first->second);
  }
  return {information, std::move(of), static_cast<std::uint32_t>(number.size())};
}

// The mutual information of columns with few levels, from tiles: of one with all others, or of all pairs beforehand.
class TiledInformation {
 public:
  TiledInformation(const std::vector<DiscreteColumn>& columns, const MutualInformation& information,
                   const std::vector<std::int64_t>& sums, bool wants_all, Context& ctx)
      : information_(information),
        sums_(sums),
        tiles_(columns, suitable(columns), information.samples(), ctx),
        place_(columns.size(), -1) {
    for (Index k = 0; k < tiles_.size(); ++k) place_[tiles_.number(k)] = k;
    if (wants_all && tiles_.size() <= kMostPaired) find_pairs(ctx);
  }

  bool has(std::size_t column) const { return place_[column] >= 0; }

  // Is the information of all pairs of all columns known?
  bool has_all_pairs() const { return pairs_.size() > 0 && tiles_.size() == std::ssize(place_); }
  // If so: that of a column with each other column. There is none with itself.
  std::span<const double> pairs_of(std::size_t column) const {
    return pairs_.span().subspan(column * place_.size(), place_.size());
  }

  // Calls use(j, I(column; j)) for all other columns that it has, from several threads.
  template <class Use>
  void for_each_other(std::size_t column, Context& ctx, Use&& use) const {
    const Index place = place_[column];
    const auto visit = [&](Index other, const auto& value) {
      if (other != place) use(tiles_.number(other), value());
    };
    if (pairs_.size() > 0) {
      for (Index k = 0; k < tiles_.size(); ++k) visit(k, [&] { return pair(place, k); });
      return;
    }
    parallel_for(ctx, tiles_.tiles(), 1, [&](Index tile, Index) {
      LevelTiles::Sums joint;
      tiles_.joint_sums(place, 1, tile, information_.table(), {&joint, 1});
      for_each_in_tile(tile,
                       [&](Index k, std::size_t lane) { visit(k, [&] { return value(place, k, joint[lane]); }); });
    });
  }

 private:
  static constexpr Index kMostPaired = 4096;  // columns, whose pairs take 128 MiB

  static std::vector<std::size_t> suitable(const std::vector<DiscreteColumn>& columns) {
    std::vector<std::size_t> numbers;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (LevelTiles::takes(columns[j])) numbers.push_back(j);
    }
    return numbers;
  }

  template <class Visit>
  void for_each_in_tile(Index tile, Visit&& visit) const {
    const Index begin = tile * LevelTiles::kColumns;
    const Index end = std::min(tiles_.size(), begin + LevelTiles::kColumns);
    for (Index k = begin; k < end; ++k) visit(k, static_cast<std::size_t>(k - begin));
  }

  double& pair(Index i, Index j) { return pairs_[i * tiles_.size() + j]; }
  double pair(Index i, Index j) const { return pairs_[i * tiles_.size() + j]; }

  double value(Index i, Index j, std::int64_t joint) const {
    return information_.from_sums(joint, sums_[tiles_.number(i)], sums_[tiles_.number(j)]);
  }

  void find_pairs(Context& ctx) {
    struct Task {
      Index first;
      Index tile;
    };
    std::vector<Task> tasks;
    for (Index tile = 0; tile < tiles_.tiles(); ++tile) {
      for (Index first = tile * LevelTiles::kColumns; first < tiles_.size(); first += LevelTiles::kReferences) {
        tasks.push_back({first, tile});
      }
    }
    pairs_ = Buffer<double>(tiles_.size() * tiles_.size());
    parallel_for(ctx, std::ssize(tasks), 1, [&](Index number, Index) {
      const Task& task = tasks[static_cast<std::size_t>(number)];
      const Index count = std::min(LevelTiles::kReferences, tiles_.size() - task.first);
      std::array<LevelTiles::Sums, LevelTiles::kReferences> joint;
      tiles_.joint_sums(task.first, count, task.tile, information_.table(), joint);
      for (Index r = 0; r < count; ++r) {
        for_each_in_tile(task.tile, [&](Index k, std::size_t lane) {
          const Index reference = task.first + r;
          if (k >= reference) return;
          const double found = value(reference, k, joint[static_cast<std::size_t>(r)][lane]);
          pair(reference, k) = found;
          pair(k, reference) = found;
        });
      }
    });
  }

  const MutualInformation& information_;
  const std::vector<std::int64_t>& sums_;
  LevelTiles tiles_;
  std::vector<Index> place_;  // of every column; -1: not in the tiles
  Buffer<double> pairs_;      // of all places, a row each
};

class Greedy {
 public:
  Greedy(std::vector<DiscreteColumn> columns, const NodeTable& table, Criterion criterion, Index wanted, Context& ctx)
      : columns_(std::move(columns)),
        information_(table.samples()),
        criterion_(criterion),
        ctx_(ctx),
        sums_(level_sums()),
        // Half of all pairs are needed to take all columns, three quarters of these to take half of them.
        tiled_(columns_, information_, sums_, 2 * wanted >= std::ssize(columns_), ctx) {
    relevance_.resize(columns_.size());
    redundancy_.assign(columns_.size(), 0.0);
    candidates_.resize(columns_.size());
    std::iota(candidates_.begin(), candidates_.end(), 0);
    add_information(classes(information_, table), candidates_, relevance_);
    std::sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) {
      return relevance_[a] != relevance_[b] ? relevance_[a] > relevance_[b] : a < b;
    });
    if (!tiled_.has_all_pairs()) return;
    relevances_.resize(std::ssize(candidates_));
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      relevances_(static_cast<Index>(k)) = relevance_[candidates_[k]];
    redundancies_ = Vector::Zero(relevances_.size());
  }

  void take_best(NodeRanking& ranking) {
    const auto [best, highest] = tiled_.has_all_pairs() ? best_by_pairs() : best_candidate();
    last_ = candidates_[best];
    ranking.ranking.push_back(static_cast<FeatureIndex>(last_));
    ranking.weight.push_back(highest);
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(best));
    ++taken_;
  }

  void append_rest(NodeRanking& ranking) const {
    for (const std::size_t j : candidates_) ranking.ranking.push_back(static_cast<FeatureIndex>(j));
    ranking.weight.resize(ranking.ranking.size(), 0.0);
  }

 private:
  using Best = std::pair<std::size_t, double>;  // a place among the candidates, and its criterion

  Best best_candidate() {
    if (taken_ > 0) add_redundancy();
    std::size_t best = 0;
    double highest = value(candidates_[0]);
    for (std::size_t k = 1; k < candidates_.size(); ++k) {
      const double other = value(candidates_[k]);
      if (!(highest < other)) continue;
      highest = other;
      best = k;
    }
    return {best, highest};
  }

  // The same, with the numbers of all candidates side by side: this part runs on one thread.
  Best best_by_pairs() {
    const auto count = std::ssize(candidates_);
    auto relevance = relevances_.head(count).array();
    auto redundancy = redundancies_.head(count).array();
    if (taken_ == 0) {
      criteria_.setZero(count);
    } else {
      const std::span<const double> pairs = tiled_.pairs_of(last_);
      for (Index k = 0; k < count; ++k) redundancy(k) += pairs[candidates_[static_cast<std::size_t>(k)]];
      criteria_ = redundancy / static_cast<double>(taken_);
    }
    if (criterion_ == Criterion::kDifference) {
      criteria_ = relevance - criteria_;
    } else {
      criteria_ = relevance / (criteria_ + kQuotientFloor);
    }
    const double highest = criteria_.maxCoeff();
    const auto best = std::find(criteria_.begin(), criteria_.end(), highest) - criteria_.begin();
    for (Vector* const values : {&relevances_, &redundancies_}) {
      std::copy(values->begin() + best + 1, values->begin() + count, values->begin() + best);
    }
    return {static_cast<std::size_t>(best), highest};
  }

  double value(std::size_t j) const {
    const double mean = taken_ == 0 ? 0.0 : redundancy_[j] / static_cast<double>(taken_);
    return criterion_ == Criterion::kDifference ? relevance_[j] - mean : relevance_[j] / (mean + kQuotientFloor);
  }

  std::vector<std::int64_t> level_sums() const {
    std::vector<std::int64_t> sums(columns_.size());
    parallel_for(ctx_, std::ssize(columns_), kColumnGrain, [&](Index begin, Index end) {
      for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j) {
        sums[j] = information_.level_sum(columns_[j]);
      }
    });
    return sums;
  }

  // Of the column taken last with all candidates. Those taken before get theirs too, which nobody reads.
  void add_redundancy() {
    if (!tiled_.has(last_)) {
      add_information(information_.reference(columns_[last_]), candidates_, redundancy_);
      return;
    }
    tiled_.for_each_other(last_, ctx_, [&](std::size_t j, double value) { redundancy_[j] += value; });
    std::vector<std::size_t> others;
    std::ranges::copy_if(candidates_, std::back_inserter(others), [&](std::size_t j) { return !tiled_.has(j); });
    if (!others.empty()) add_information(information_.reference(columns_[last_]), others, redundancy_);
  }

  void add_information(const MutualInformation::Reference& reference, const std::vector<std::size_t>& columns,
                       std::vector<double>& to) const {
    parallel_for(ctx_, std::ssize(columns), kColumnGrain, [&](Index begin, Index end) {
      MutualInformation::Scratch scratch;
      for (Index k = begin; k < end; ++k) {
        const std::size_t j = columns[static_cast<std::size_t>(k)];
        to[j] += information_(reference, columns_[j], sums_[j], scratch);
      }
    });
  }

  std::vector<DiscreteColumn> columns_;
  MutualInformation information_;
  Criterion criterion_;
  Context& ctx_;
  std::vector<std::int64_t> sums_;
  TiledInformation tiled_;
  std::vector<double> relevance_;
  std::vector<double> redundancy_;       // summed over all features taken so far except the last
  std::vector<std::size_t> candidates_;  // by relevance
  Vector relevances_;                    // of the candidates, if all pairs are known
  Vector redundancies_;
  Eigen::ArrayXd criteria_;
  std::size_t last_ = 0;
  Index taken_ = 0;
};

class Mrmr final : public FilterSelector {
 public:
  using FilterSelector::FilterSelector;
  ParameterTable parameters() override { return ParameterTable(options_); }
  std::vector<Idle> idle_parameters() const override {
    if (options_.discretise == Discretise::kRound) return {{"bins", "with `discretise` round"}};
    return {};
  }

 protected:
  Ranked rank(const Dataset& data, const NodeTable& table, Index top, Context& ctx) const override {
    Greedy greedy(discretise(data, table, options_.discretise, options_.bins, ctx), table, options_.criterion,
                  wanted(data, top), ctx);
    Ranked result;
    result.ranking.node = table.node;
    result.ranking.samples = table.samples();
    result.ranking.children = table.classes();
    for (Index k = 0; k < wanted(data, top); ++k) {
      ctx.check_cancelled();
      greedy.take_best(result.ranking);
    }
    greedy.append_rest(result.ranking);
    return result;
  }

  double operations(const Dataset& data, const NodeTable& table, Index top) const override {
    return static_cast<double>(wanted(data, top)) * static_cast<double>(table.samples()) *
           static_cast<double>(data.features());
  }

 private:
  static Index wanted(const Dataset& data, Index top) {
    return top == 0 ? data.features() : std::min(top, data.features());
  }

  MrmrOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_mrmr(bool flat) {
  return std::make_unique<Mrmr>(flat);
}

}  // namespace clade
