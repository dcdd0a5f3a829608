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
// O(top x features x samples) per node, for sparse data about O(top x non-zeros); memory for one byte per value, or per
// non-zero value of sparse data.

#include <algorithm>
#include <map>
#include <numeric>

#include "core/parallel.h"
#include "select/filter/discrete.h"
#include "select/filter/filter_selector.h"
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

class Greedy {
 public:
  Greedy(std::vector<DiscreteColumn> columns, const NodeTable& table, Criterion criterion, Context& ctx)
      : columns_(std::move(columns)), information_(table.samples()), criterion_(criterion), ctx_(ctx) {
    sums_.resize(columns_.size());
    relevance_.resize(columns_.size());
    redundancy_.assign(columns_.size(), 0.0);
    candidates_.resize(columns_.size());
    std::iota(candidates_.begin(), candidates_.end(), 0);
    parallel_for(ctx_, std::ssize(columns_), kColumnGrain, [&](Index begin, Index end) {
      for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j) {
        sums_[j] = information_.level_sum(columns_[j]);
      }
    });
    add_information(classes(information_, table), relevance_);
    std::sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) {
      return relevance_[a] != relevance_[b] ? relevance_[a] > relevance_[b] : a < b;
    });
  }

  void take_best(NodeRanking& ranking) {
    if (taken_ > 0) add_information(information_.reference(columns_[last_]), redundancy_);
    const auto best = std::max_element(candidates_.begin(), candidates_.end(),
                                       [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
    last_ = *best;
    ranking.ranking.push_back(static_cast<FeatureIndex>(last_));
    ranking.weight.push_back(value(last_));
    candidates_.erase(best);
    ++taken_;
  }

  void append_rest(NodeRanking& ranking) const {
    for (const std::size_t j : candidates_) ranking.ranking.push_back(static_cast<FeatureIndex>(j));
    ranking.weight.resize(ranking.ranking.size(), 0.0);
  }

 private:
  double value(std::size_t j) const {
    const double mean = taken_ == 0 ? 0.0 : redundancy_[j] / static_cast<double>(taken_);
    return criterion_ == Criterion::kDifference ? relevance_[j] - mean : relevance_[j] / (mean + kQuotientFloor);
  }

  void add_information(const MutualInformation::Reference& reference, std::vector<double>& to) const {
    parallel_for(ctx_, std::ssize(candidates_), kColumnGrain, [&](Index begin, Index end) {
      MutualInformation::Scratch scratch;
      for (Index k = begin; k < end; ++k) {
        const std::size_t j = candidates_[static_cast<std::size_t>(k)];
        to[j] += information_(reference, columns_[j], sums_[j], scratch);
      }
    });
  }

  std::vector<DiscreteColumn> columns_;
  MutualInformation information_;
  Criterion criterion_;
  Context& ctx_;
  std::vector<std::int64_t> sums_;
  std::vector<double> relevance_;
  std::vector<double> redundancy_;       // summed over all features taken so far except the last
  std::vector<std::size_t> candidates_;  // by relevance
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
    Greedy greedy(discretise(data, table, options_.discretise, options_.bins, ctx), table, options_.criterion, ctx);
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
