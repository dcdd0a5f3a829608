#include "evaluate/outcomes.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"
#include "io/named_table/node_volumes.h"

namespace clade {
namespace {

constexpr Index kSamplesPerChunk = 65536;

struct Facts {
  Index evaluated = 0;
  Index longest_truth = 0;
  Index incomplete = 0;  // samples whose list lacks a true label
  Index shortest_list = std::numeric_limits<Index>::max();
};

Facts facts_of(const Dataset& data, const Predictions& predictions, Context& ctx) {
  return parallel_reduce(
      ctx, data.samples(), kSamplesPerChunk, Facts{},
      [&](Index begin, Index end) {
        Facts facts;
        for (Index s = begin; s < end; ++s) {
          const auto truth = data.labels(s);
          if (truth.empty()) continue;
          ++facts.evaluated;
          facts.longest_truth = std::max(facts.longest_truth, static_cast<Index>(truth.size()));
          const auto list = predictions.labels_of(s);
          facts.shortest_list = std::min(facts.shortest_list, static_cast<Index>(list.size()));
          const bool holds_all = std::all_of(truth.begin(), truth.end(), [&](NodeId label) {
            return std::find(list.begin(), list.end(), label) != list.end();
          });
          if (!holds_all) ++facts.incomplete;
        }
        return facts;
      },
      [](Facts& total, const Facts& part) {
        total.evaluated += part.evaluated;
        total.longest_truth = std::max(total.longest_truth, part.longest_truth);
        total.incomplete += part.incomplete;
        total.shortest_list = std::min(total.shortest_list, part.shortest_list);
      });
}

Index count_classes(const Dataset& data, const Predictions& predictions) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::vector<bool> is_class(static_cast<std::size_t>(taxonomy.size()));
  for (const NodeId leaf : taxonomy.leaves()) is_class[static_cast<std::size_t>(leaf)] = true;
  for (const NodeId label : predictions.labels) is_class[static_cast<std::size_t>(label)] = true;
  for (Index s = 0; s < data.samples(); ++s) {
    for (const NodeId label : data.labels(s)) is_class[static_cast<std::size_t>(label)] = true;
  }
  return std::count(is_class.begin(), is_class.end(), true);
}

LabelSet resolve(const EvaluateOptions& options, const Facts& facts, Index classes, std::vector<std::string>& notes) {
  if (options.label_set != LabelSet::kAuto) return options.label_set;
  if (facts.longest_truth <= 1) return LabelSet::kTop1;
  if (facts.shortest_list < classes) return LabelSet::kAll;
  notes.emplace_back(
      "the predictions rank every class: the first label of each sample is its label set (`label-set` chooses)");
  return LabelSet::kTop1;
}

std::size_t set_size(LabelSet rule, const EvaluateOptions& options, std::span<const double> scores) {
  switch (rule) {
    case LabelSet::kTopK:
      return std::min(scores.size(), static_cast<std::size_t>(options.top_k));
    case LabelSet::kThreshold: {
      const auto below = std::find_if(scores.begin(), scores.end(), [&](double s) { return s < options.threshold; });
      return std::max<std::size_t>(1, static_cast<std::size_t>(below - scores.begin()));
    }
    case LabelSet::kAll:
      return scores.size();
    case LabelSet::kAuto:
    case LabelSet::kTop1:
      break;
  }
  return 1;
}

// Appends the most specific of the labels, ascending.
void append_set(const Taxonomy& taxonomy, std::span<const NodeId> labels, std::vector<NodeId>& sets) {
  const auto begin = static_cast<std::ptrdiff_t>(sets.size());
  sets.insert(sets.end(), labels.begin(), labels.end());
  if (labels.size() < 2) return;
  std::sort(sets.begin() + begin, sets.end());
  const std::vector<NodeId> all(sets.begin() + begin, sets.end());
  const auto is_above_another = [&](NodeId node) {
    if (taxonomy.is_leaf(node)) return false;
    return std::any_of(all.begin(), all.end(), [&](NodeId other) { return taxonomy.is_ancestor(node, other); });
  };
  sets.erase(std::remove_if(sets.begin() + begin, sets.end(), is_above_another), sets.end());
}

// Sorts numbers of at most `bits` bits by counting, kDigitBits at a time.
void radix_sort(std::vector<std::uint64_t>& keys, int bits) {
  constexpr int kDigitBits = 10;
  constexpr std::uint64_t kMask = (1U << kDigitBits) - 1;
  std::vector<std::uint64_t> other(keys.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    std::vector<std::size_t> next(kMask + 2, 0);
    for (const std::uint64_t key : keys) ++next[(key >> shift & kMask) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const std::uint64_t key : keys) other[next[key >> shift & kMask]++] = key;
    keys.swap(other);
  }
}

// For one true and one predicted label each: samples with the same pair share an outcome.
void group_pairs(Outcomes& outcomes, Context& ctx) {
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(outcomes.data.taxonomy().size())));
  constexpr std::uint64_t kUnlabelled = ~std::uint64_t{0};
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(outcomes.data.samples()));
  parallel_for(ctx, outcomes.data.samples(), kSamplesPerChunk, [&](Index begin, Index end) {
    for (Index s = begin; s < end; ++s) {
      const auto truth = outcomes.data.labels(s);
      keys[static_cast<std::size_t>(s)] = truth.empty()
                                              ? kUnlabelled
                                              : static_cast<std::uint64_t>(truth[0]) << bits |
                                                    static_cast<std::uint64_t>(outcomes.predictions.labels_of(s)[0]);
    }
  });
  if (outcomes.evaluated < outcomes.data.samples()) std::erase(keys, kUnlabelled);
  radix_sort(keys, 2 * bits);
  outcomes.pairs.reserve(keys.size());
  outcomes.weights.reserve(keys.size());
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::size_t k = 0; k < keys.size();) {
    const std::size_t begin = k;
    while (k < keys.size() && keys[k] == keys[begin]) ++k;
    outcomes.pairs.push_back({static_cast<NodeId>(keys[begin] >> bits), static_cast<NodeId>(keys[begin] & mask)});
    outcomes.weights.push_back(static_cast<Index>(k - begin));
  }
}

void list_outcomes(Outcomes& outcomes, const Predictions* decided, LabelSet rule, const EvaluateOptions& options) {
  for (Index s = 0; s < outcomes.data.samples(); ++s) {
    if (outcomes.data.labels(s).empty()) continue;
    outcomes.samples.push_back(s);
    const auto list = decided != nullptr ? decided->labels_of(s) : outcomes.predictions.labels_of(s);
    const std::size_t size =
        decided != nullptr ? list.size() : set_size(rule, options, outcomes.predictions.scores_of(s));
    append_set(outcomes.data.taxonomy(), list.first(size), outcomes.sets);
    outcomes.offsets.push_back(static_cast<Index>(outcomes.sets.size()));
  }
}

}  // namespace

Index Outcomes::of_sample(Index sample) const {
  const auto truth = data.labels(sample);
  if (truth.empty()) return -1;
  if (!are_pairs()) return std::lower_bound(samples.begin(), samples.end(), sample) - samples.begin();
  const NodePair pair{truth[0], predictions.labels_of(sample)[0]};
  return std::lower_bound(pairs.begin(), pairs.end(), pair,
                          [](const NodePair& x, const NodePair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }) -
         pairs.begin();
}

Outcomes find_outcomes(const Dataset& data, const Predictions& predictions, const Predictions* decided,
                       const EvaluateOptions& options, bool by_sample, Context& ctx) {
  CLADE_CHECK(predictions.samples() == data.samples());
  if (options.label_set != LabelSet::kAuto) decided = nullptr;
  CLADE_CHECK(decided == nullptr || decided->samples() == data.samples());
  Outcomes outcomes{.data = data, .predictions = predictions};
  const Facts facts = facts_of(data, predictions, ctx);
  if (facts.evaluated == 0) {
    throw usage_error("the data has no labelled sample", "expected labels to compare the predictions with");
  }
  outcomes.evaluated = facts.evaluated;
  const bool lists_are_rankings = predictions.labels.size() > static_cast<std::size_t>(predictions.samples());
  if (lists_are_rankings) outcomes.shortest_list = facts.shortest_list;
  outcomes.at = options.at;
  outcomes.loss = {options.loss_missed, options.loss_extra, {}};
  if (!options.loss_volumes.empty()) {
    outcomes.loss.volume = read_node_volumes(options.loss_volumes, data.taxonomy(), ctx);
  }
  outcomes.ranked = facts.incomplete == 0;
  if (outcomes.ranked || facts.longest_truth > 1) outcomes.classes = count_classes(data, predictions);
  const LabelSet rule = decided != nullptr ? LabelSet::kAll : resolve(options, facts, outcomes.classes, outcomes.notes);
  if (facts.evaluated < data.samples()) {
    outcomes.notes.push_back(fmt::format("samples without a label, left out: {}", data.samples() - facts.evaluated));
  }
  if (!outcomes.ranked && lists_are_rankings) {
    outcomes.notes.push_back(fmt::format(
        "average_precision, coverage_error and ranking losses need every true label in its sample's list; samples that "
        "lack one: {}",
        facts.incomplete));
  }
  // Samples with the same first label may differ in what follows it.
  const bool looks_further = facts.shortest_list >= 3 || (options.at > 1 && facts.shortest_list >= options.at);
  if (rule == LabelSet::kTop1 && facts.longest_truth == 1 && !outcomes.ranked && !looks_further && !by_sample) {
    group_pairs(outcomes, ctx);
  } else {
    list_outcomes(outcomes, decided, rule, options);
  }
  return outcomes;
}

JudgedSamples judged_samples(const Outcomes& outcomes) {
  JudgedSamples result;
  const auto append = [](LabelSets& sets, std::span<const NodeId> labels) {
    sets.nodes.insert(sets.nodes.end(), labels.begin(), labels.end());
    sets.offsets.push_back(std::ssize(sets.nodes));
  };
  for (Index s = 0; s < outcomes.data.samples(); ++s) {
    const Index outcome = outcomes.of_sample(s);
    if (outcome < 0) continue;
    result.samples.push_back(s);
    append(result.truth, outcomes.truth(outcome));
    append(result.predicted, outcomes.predicted(outcome));
    result.first.push_back(outcomes.predictions.labels_of(s)[0]);
    result.score.push_back(outcomes.predictions.scores_of(s)[0]);
  }
  return result;
}

std::vector<NodeId> labels_of(const Outcomes& outcomes) {
  std::vector<char> seen(static_cast<std::size_t>(outcomes.data.taxonomy().size()));
  const auto mark = [&](std::span<const NodeId> labels) {
    for (const NodeId label : labels) seen[static_cast<std::size_t>(label)] = 1;
  };
  for (Index o = 0; o < outcomes.size(); ++o) {
    mark(outcomes.truth(o));
    mark(outcomes.predicted(o));
    if (outcomes.are_pairs()) continue;
    const auto list = outcomes.predictions.labels_of(outcomes.samples[static_cast<std::size_t>(o)]);
    mark(outcomes.ranked ? list : list.first(1));
  }
  std::vector<NodeId> labels;
  for (NodeId node = 0; node < outcomes.data.taxonomy().size(); ++node) {
    if (seen[static_cast<std::size_t>(node)] != 0) labels.push_back(node);
  }
  return labels;
}

OutcomeDistances::OutcomeDistances(const Outcomes& outcomes, Context& ctx) {
  if (outcomes.are_pairs()) {
    distances_ = distances(outcomes.data.taxonomy(), outcomes.pairs, ctx);
    return;
  }
  std::vector<NodePair> pairs;
  offsets_.push_back(0);
  for (Index o = 0; o < outcomes.size(); ++o) {
    for (const NodeId y : outcomes.truth(o)) {
      for (const NodeId z : outcomes.predicted(o)) pairs.push_back({y, z});
    }
    offsets_.push_back(static_cast<Index>(pairs.size()));
  }
  distances_ = distances(outcomes.data.taxonomy(), pairs, ctx);
}

}  // namespace clade
