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
//
// Where several processes have columns each, they agree on the best of all candidates in every step, and the process
// that has it sends its column to the others.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "comm/collectives.h"
#include "comm/tasks.h"
#include "core/byte_string.h"
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

void put(ByteWriter& bytes, const DiscreteColumn& column) {
  bytes.put(column.levels).put(column.listed).put(column.common).put(column.rows).put(column.narrow).put(column.wide);
}

void get(ByteReader& bytes, DiscreteColumn& column) {
  bytes.get(column.levels).get(column.listed).get(column.common).get(column.rows).get(column.narrow).get(column.wide);
}

// Whose columns are ranked: those of this process, or also those that others of a team have.
struct Others {
  Team* team = nullptr;
  Index first = 0;  // the feature of the first own column
};

class Greedy {
 public:
  Greedy(std::vector<DiscreteColumn> columns, const NodeTable& table, Criterion criterion, Index wanted,
         const Others& others, Context& ctx)
      : columns_(std::move(columns)),
        information_(table.samples()),
        criterion_(criterion),
        others_(others),
        ctx_(ctx),
        sums_(level_sums()),
        // Half of all pairs are needed to take all columns, three quarters of these to take half of them.
        tiled_(columns_, information_, sums_, others.team == nullptr && 2 * wanted >= std::ssize(columns_), ctx) {
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
    if (others_.team != nullptr) {
      take_best_of_all(ranking);
    } else {
      const auto [best, highest] = tiled_.has_all_pairs() ? best_by_pairs() : best_candidate();
      ranking.ranking.push_back(static_cast<FeatureIndex>(candidates_[best]));
      ranking.weight.push_back(highest);
      take(best);
    }
    ++taken_;
  }

  void append_rest(NodeRanking& ranking) const {
    for (const Offer& rest : all_candidates()) ranking.ranking.push_back(static_cast<FeatureIndex>(rest.feature));
    ranking.weight.resize(ranking.ranking.size(), 0.0);
  }

 private:
  using Best = std::pair<std::size_t, double>;  // a place among the candidates, and its criterion

  // What a process proposes.
  struct Offer {
    double criterion = 0;
    double relevance = 0;
    Index feature = -1;  // none

    bool is_better_than(const Offer& other) const {
      if (feature < 0 || other.feature < 0) return other.feature < 0 && feature >= 0;
      if (criterion != other.criterion) return criterion > other.criterion;
      return relevance != other.relevance ? relevance > other.relevance : feature < other.feature;
    }
  };

  void take(std::size_t place) {
    last_ = candidates_[place];
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void take_best_of_all(NodeRanking& ranking) {
    Communicator& processes = others_.team->processes();
    if (taken_ > 0) add_redundancy();
    Offer own;
    std::size_t place = 0;
    if (!candidates_.empty()) {
      const Best best = best_candidate();
      place = best.first;
      const std::size_t column = candidates_[place];
      own = {best.second, relevance_[column], others_.first + static_cast<Index>(column)};
    }
    const std::vector<std::string> offers = all_gather(processes, ByteWriter().put(own).take());
    Offer best;
    int from = 0;
    for (int process = 0; process < processes.size(); ++process) {
      const auto offer = ByteReader(offers[static_cast<std::size_t>(process)]).get<Offer>();
      if (!offer.is_better_than(best)) continue;
      best = offer;
      from = process;
    }
    ranking.ranking.push_back(static_cast<FeatureIndex>(best.feature));
    ranking.weight.push_back(best.criterion);
    is_last_own_ = from == processes.rank();
    ByteWriter column;
    if (is_last_own_) {
      take(place);
      put(column, columns_[last_]);
    }
    std::string bytes = column.take();
    broadcast(processes, from, bytes);
    if (is_last_own_) return;
    ByteReader reader(bytes);
    get(reader, last_of_others_);
  }

  // Those that nobody has taken, by relevance.
  std::vector<Offer> all_candidates() const {
    std::vector<Offer> all;
    for (const std::size_t j : candidates_) all.push_back({0, relevance_[j], others_.first + static_cast<Index>(j)});
    if (others_.team == nullptr) return all;
    const std::string own = ByteWriter().put(all).take();
    all.clear();
    for (const std::string& bytes : all_gather(others_.team->processes(), own)) {
      std::vector<Offer> some;
      ByteReader(bytes).get(some);
      all.insert(all.end(), some.begin(), some.end());
    }
    std::ranges::sort(all, [](const Offer& a, const Offer& b) { return a.is_better_than(b); });
    return all;
  }

  Best best_candidate() {
    if (taken_ > 0 && others_.team == nullptr) add_redundancy();
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
    if (!is_last_own_) {
      add_information(information_.reference(last_of_others_), candidates_, redundancy_);
      return;
    }
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
  Others others_;
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
  bool is_last_own_ = true;
  DiscreteColumn last_of_others_;
  Index taken_ = 0;
};

class Mrmr final : public FilterSelector {
 public:
  using FilterSelector::FilterSelector;
  bool takes_row_parts() const override { return true; }
  ParameterTable parameters() override { return ParameterTable(options_); }
  std::vector<Idle> idle_parameters() const override {
    if (options_.discretise == Discretise::kRound) return {{"bins", "with `discretise` round"}};
    return {};
  }

 protected:
  Ranked rank(const Dataset& data, const NodeTable& table, Index top, Context& ctx) const override {
    return {ranking(data, table, wanted(data.features(), top), {}, ctx), {}, {}};
  }

  std::vector<NodeRanking> rank_columns(const Columns& columns, std::span<const NodeTable* const> tables, Index top,
                                        Context& ctx) const override {
    std::vector<NodeRanking> rankings;
    for (const NodeTable* const table : tables) {
      const std::string found = run_together(columns.team, "ranking", [&] {
        ByteWriter bytes;
        clade::put(bytes, ranking(columns.data, *table, wanted(columns.all, top), {&columns.team, columns.first}, ctx));
        return bytes.take();
      });
      ByteReader bytes(found);
      clade::get(bytes, rankings.emplace_back());
    }
    return rankings;
  }

  // Processes agree after every feature, which takes about as long as so many values.
  bool is_ranked_by_columns(const Dataset& data, const NodeTable& table) const override {
    constexpr Index kManyValues = 2'000'000;
    return table.samples() * data.features() >= kManyValues;
  }

  double operations(const Dataset& data, const NodeTable& table, Index top) const override {
    return static_cast<double>(wanted(data.features(), top)) * static_cast<double>(table.samples()) *
           static_cast<double>(data.features());
  }

 private:
  static Index wanted(Index features, Index top) { return top == 0 ? features : std::min(top, features); }

  NodeRanking ranking(const Dataset& data, const NodeTable& table, Index wanted, const Others& others,
                      Context& ctx) const {
    Greedy greedy(discretise(data, table, options_.discretise, options_.bins, ctx), table, options_.criterion, wanted,
                  others, ctx);
    NodeRanking result;
    result.node = table.node;
    result.samples = table.samples();
    result.children = table.classes();
    for (Index k = 0; k < wanted; ++k) {
      ctx.check_cancelled();
      greedy.take_best(result);
    }
    greedy.append_rest(result);
    return result;
  }

  MrmrOptions options_;
};

}  // namespace

std::unique_ptr<Selector> make_mrmr(bool flat) {
  return std::make_unique<Mrmr>(flat);
}

}  // namespace clade
