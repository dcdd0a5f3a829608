#include "classify/predict.h"

#include <clade/error.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "classify/decide/label_decisions.h"
#include "classify/kernel_expansion.h"
#include "classify/label_tree.h"
#include "classify/model_kinds.h"
#include "classify/node_decision.h"
#include "classify/nodes/node_model.h"
#include "classify/output_scorer.h"
#include "classify/prepared_outputs.h"
#include "core/parallel.h"
#include "data/kernel/kernel_check.h"
#include "data/missing.h"

namespace clade {
namespace {

// Few enough that many threads share a block of a file, and enough that samples meet at the nodes near the root.
constexpr Index kSamplesPerTask = 256;

// A label of a sample, final or still on the way down, with the logarithm of its probability.
struct Candidate {
  NodeId node;
  double log_probability;
};

bool comes_first(const Candidate& a, const Candidate& b) {
  return a.log_probability != b.log_probability ? a.log_probability > b.log_probability : a.node < b.node;
}

// A sample of a task that waits at a node.
struct Waiting {
  Index sample;  // within the task
  double log_probability;
};

// Takes some samples all the way down. Samples at the same node are scored together, so that its weights stay in the
// cache.
class Block {
 public:
  Block(const ModelBody& model, const NodePlaces& places, const Dataset& data, const PredictOptions& options,
        Index begin, Index end)
      : model_(model),
        places_(places),
        taxonomy_(*model.taxonomy),
        data_(data),
        options_(options),
        begin_(begin),
        size_(static_cast<std::size_t>(end - begin)),
        scorer_(model),
        search_(model),
        found_(size_) {}

  std::vector<std::vector<Candidate>> greedy() {
    for (std::size_t s = 0; s < size_; ++s) at_[0].push_back({static_cast<Index>(s), 0});
    // Ids are topological: all samples that can reach a node have arrived when its turn comes.
    while (!at_.empty()) {
      const NodeId node = at_.begin()->first;
      std::vector<Waiting> waiting = std::move(at_.begin()->second);
      at_.erase(at_.begin());
      keep_best_ways(waiting);
      const NodeClassifier* classifier = model_.at(node);
      if (classifier == nullptr) {
        for (const Waiting& w : waiting) found_of(w).push_back({node, w.log_probability});
      } else if (classifier->tree) {
        for (const Waiting& w : waiting) follow_tree(*classifier, w);
      } else {
        begin_node(*classifier, std::ssize(waiting));
        for (const Waiting& w : waiting) follow_outputs(*classifier, w);
      }
    }
    return std::move(found_);
  }

  // Every sample opens its most probable node until that is a leaf, or until top_k leaves are found.
  std::vector<std::vector<Candidate>> best() {
    std::vector<std::vector<Candidate>> open(size_, {{0, 0.0}});
    std::vector<std::vector<NodeId>> opened(size_);
    std::vector<std::pair<NodeId, Index>> next;  // nodes to open, and for which samples
    std::vector<Index> here;
    do {
      next.clear();
      for (std::size_t s = 0; s < size_; ++s) {
        const NodeId node = next_to_open(open[s], opened[s], found_[s]);
        if (node != kNoNode) next.emplace_back(node, static_cast<Index>(s));
      }
      std::sort(next.begin(), next.end());
      for (auto begin = next.begin(); begin != next.end();) {
        const NodeId node = begin->first;
        here.clear();
        for (; begin != next.end() && begin->first == node; ++begin) here.push_back(begin->second);
        open_node(node, here, open, opened);
      }
    } while (!next.empty());
    return std::move(found_);
  }

 private:
  std::vector<Candidate>& found_of(const Waiting& w) { return found_[static_cast<std::size_t>(w.sample)]; }
  // A leaf of a tree is reached on one way only, so that nothing has to wait there.
  void go_to(NodeId node, const Waiting& w) {
    if (taxonomy_.is_leaf(node) && taxonomy_.parents(node).size() == 1) {
      found_of(w).push_back({node, w.log_probability});
    } else {
      at_[node].push_back(w);
    }
  }

  void begin_node(const NodeClassifier& node, Index samples) {
    outputs_.resize(static_cast<std::size_t>(node.linear.count));
    scores_.assign(node.children.size(), 0);
    probabilities_.assign(node.children.size(), 1);
    if (node.children.size() > 1) scorer_.use(node.linear, places_.of(node, samples));
  }
  void judge(const NodeClassifier& node, Index sample) {
    if (node.children.size() == 1) return;
    scorer_.score(data_, begin_ + sample, outputs_);
    child_scores(node, outputs_, scores_);
    child_probabilities(node, scores_, model_.is_multilabel, probabilities_);
  }
  std::size_t best_child(const NodeClassifier& node) const {
    return best_of(node.calibration.empty() ? scores_ : probabilities_);
  }
  // Whether a child other than the best is also taken, for samples with several labels. With a softmax, children share
  // one probability: those with at least half of the best child's are taken.
  bool is_taken(const NodeClassifier& node, std::size_t child, const Waiting& sample) const {
    if (options_.threshold > 0) {
      return sample.log_probability + std::log(probabilities_[child]) >= std::log(options_.threshold);
    }
    if (!node.calibration.empty()) return probabilities_[child] > 0.5;
    if (node.decision == Decision::kVotes) return false;
    if (model_.has_probabilities) return probabilities_[child] >= 0.5 * probabilities_[best_child(node)];
    return scores_[child] > 0;
  }

  // What greedy() does at a node; the sample's way ends here if no child is probable enough.
  void follow_outputs(const NodeClassifier& node, const Waiting& w) {
    judge(node, w.sample);
    const auto push = [&](std::size_t child) {
      const double log_probability = w.log_probability + std::log(probabilities_[child]);
      if (options_.confidence > 0 && log_probability < std::log(options_.confidence)) return false;
      go_to(node.children[child], {w.sample, log_probability});
      return true;
    };
    const std::size_t best = best_child(node);
    bool goes_on = push(best);
    if (model_.is_multilabel) {
      for (std::size_t c = 0; c < node.children.size(); ++c) {
        if (c != best && is_taken(node, c, w)) goes_on = push(c) || goes_on;
      }
    }
    if (!goes_on) found_of(w).push_back({node.node, w.log_probability});
  }
  // The same at a node with a label tree: of its children, only those that the search reaches count.
  void follow_tree(const NodeClassifier& node, const Waiting& w) {
    const auto& reached = search_.find(node, data_, begin_ + w.sample);
    const auto best = std::ranges::max_element(reached, {}, &LabelTreeSearch::Reached::log_probability);
    const double half_of_best = best->log_probability - std::log(2.0);
    const auto is_also_taken = [&](const LabelTreeSearch::Reached& one) {
      if (!model_.is_multilabel) return false;
      if (options_.threshold > 0) return w.log_probability + one.log_probability >= std::log(options_.threshold);
      return model_.has_probabilities ? one.log_probability >= half_of_best : one.score > 0;
    };
    bool goes_on = false;
    for (const LabelTreeSearch::Reached& one : reached) {
      if (one.child != best->child && !is_also_taken(one)) continue;
      const double log_probability = w.log_probability + one.log_probability;
      if (options_.confidence > 0 && log_probability < std::log(options_.confidence)) continue;
      go_to(node.children[static_cast<std::size_t>(one.child)], {w.sample, log_probability});
      goes_on = true;
    }
    if (!goes_on) found_of(w).push_back({node.node, w.log_probability});
  }

  // If a sample came through several parents, keeps the better path.
  static void keep_best_ways(std::vector<Waiting>& waiting) {
    std::sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
      return a.sample != b.sample ? a.sample < b.sample : a.log_probability > b.log_probability;
    });
    waiting.erase(std::unique(waiting.begin(), waiting.end(),
                              [](const Waiting& a, const Waiting& b) { return a.sample == b.sample; }),
                  waiting.end());
  }

  // Moves finished candidates to `found`, best first, and returns the node to open next; kNoNode: done.
  NodeId next_to_open(std::vector<Candidate>& open, std::vector<NodeId>& opened, std::vector<Candidate>& found) const {
    while (!open.empty() && std::ssize(found) < options_.label_count()) {
      const auto first = std::min_element(open.begin(), open.end(), comes_first);
      if (model_.at(first->node) != nullptr) return first->node;
      opened.push_back(first->node);
      found.push_back(*first);
      open.erase(first);
    }
    return kNoNode;
  }

  void open_node(NodeId node, const std::vector<Index>& samples, std::vector<std::vector<Candidate>>& open,
                 std::vector<std::vector<NodeId>>& opened) {
    const NodeClassifier& classifier = *model_.at(node);
    if (!classifier.tree) begin_node(classifier, std::ssize(samples));
    for (const Index sample : samples) {
      if (!classifier.tree) judge(classifier, sample);
      auto& mine = open[static_cast<std::size_t>(sample)];
      const auto here = std::min_element(mine.begin(), mine.end(), comes_first);
      const double log_probability = here->log_probability;
      mine.erase(here);
      opened[static_cast<std::size_t>(sample)].push_back(node);
      if (classifier.tree) {
        for (const auto& one : search_.find(classifier, data_, begin_ + sample, options_.beam)) {
          offer({classifier.children[static_cast<std::size_t>(one.child)], log_probability + one.log_probability}, mine,
                opened[static_cast<std::size_t>(sample)]);
        }
      } else {
        for (std::size_t c = 0; c < classifier.children.size(); ++c) {
          offer({classifier.children[c], log_probability + std::log(probabilities_[c])}, mine,
                opened[static_cast<std::size_t>(sample)]);
        }
      }
      if (options_.beam == 0 || std::ssize(mine) <= options_.beam) continue;
      std::nth_element(mine.begin(), mine.begin() + options_.beam, mine.end(), comes_first);
      mine.resize(static_cast<std::size_t>(options_.beam));
    }
  }

  // A node that can be reached on several paths is open only once, for the best of them. It is not opened again,
  // because the path on which it was opened first is the best.
  void offer(const Candidate& candidate, std::vector<Candidate>& open, const std::vector<NodeId>& opened) const {
    if (taxonomy_.parents(candidate.node).size() > 1) {
      if (std::find(opened.begin(), opened.end(), candidate.node) != opened.end()) return;
      const auto same =
          std::find_if(open.begin(), open.end(), [&](const Candidate& other) { return other.node == candidate.node; });
      if (same != open.end()) {
        same->log_probability = std::max(same->log_probability, candidate.log_probability);
        return;
      }
    }
    open.push_back(candidate);
  }

  const ModelBody& model_;
  const NodePlaces& places_;
  const Taxonomy& taxonomy_;
  const Dataset& data_;
  const PredictOptions& options_;
  Index begin_;
  std::size_t size_;
  OutputScorer scorer_;
  LabelTreeSearch search_;
  std::vector<double> outputs_;
  std::vector<double> scores_;
  std::vector<double> probabilities_;
  // The samples on their way, by node: nodes that nobody reaches cost nothing, however many there are.
  std::map<NodeId, std::vector<Waiting>> at_;
  std::vector<std::vector<Candidate>> found_;
};

// On the way down the best child is always taken; of the labels found, only the best may be improbable.
void drop_improbable(std::vector<Candidate>& sorted, double least) {
  while (sorted.size() > 1 && sorted.back().log_probability < std::log(least)) sorted.pop_back();
}

// The predictions of consecutive samples, one after another.
Predictions joined(const std::vector<Predictions>& parts, Context& ctx) {
  std::vector<std::size_t> first_sample{0};
  std::vector<Index> first_label{0};
  for (const Predictions& part : parts) {
    first_sample.push_back(first_sample.back() + static_cast<std::size_t>(part.samples()));
    first_label.push_back(first_label.back() + part.offsets.back());
  }
  Predictions all;
  all.offsets.resize(first_sample.back() + 1);
  all.labels.resize(static_cast<std::size_t>(first_label.back()));
  all.scores.resize(all.labels.size());
  constexpr Index kPartsPerTask = 8;
  parallel_for(ctx, std::ssize(parts), kPartsPerTask, [&](Index begin, Index end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      std::ranges::copy(parts[k].labels, all.labels.begin() + first_label[k]);
      std::ranges::copy(parts[k].scores, all.scores.begin() + first_label[k]);
      for (std::size_t s = 1; s < parts[k].offsets.size(); ++s) {
        all.offsets[first_sample[k] + s] = first_label[k] + parts[k].offsets[s];
      }
    }
  });
  return all;
}

// What only probabilities can answer.
void check_probable(const ModelBody& model, const ModelKindInfo& kind, const PredictOptions& options) {
  const auto refuse_without = [&](std::string_view name) {
    if (model.has_probabilities) return;
    throw usage_error(fmt::format("`{}` needs probabilities, and the model has none", name),
                      "expected one trained with `calibrate`");
  };
  if (options.confidence > 0 && !kind.decides_at_nodes) {
    refuse_without("confidence");
    if (model.is_multilabel) {
      throw usage_error("`confidence` shares one probability among the classes, and the model gives several labels",
                        "expected `threshold`, the least probability of a label");
    }
    if (options.top_k > 1) throw usage_error("`confidence` gives one label", "expected no `top-k` with it");
  }
  if (options.threshold == 0) return;
  refuse_without("threshold");
  if (!model.is_multilabel) {
    throw usage_error("`threshold` is for several labels per sample, and the model gives one",
                      "expected `confidence`, the least probability of the answer");
  }
  if (options.label_set != LabelSet::kAuto || options.top_k > 0 || options.confidence > 0) {
    throw usage_error("`threshold` says which labels to give", "expected no `label-set`, `top-k` or `confidence`");
  }
}

void check_options(const ModelBody& model, const Dataset& data, const PredictOptions& options, Policy policy) {
  if (model.kernel && model.kernel->options.kind == KernelKind::kPrecomputed) {
    check_precomputed_columns(data, model.features);
  }
  const bool is_of_sequences = model.kernel && !is_of_vectors(model.kernel->options.kind);
  if (data.features() > model.features && !(is_of_sequences && holds_sequences(data))) {
    throw usage_error("the data have more features than the model", "expected the features that it was trained on");
  }
  const ModelKindInfo& kind = info_of(model.kind);
  const bool is_best = policy == Policy::kBest || !kind.decides_at_nodes;
  if (options.top_k > 1 && !is_best) {
    throw usage_error("`top-k` needs the probabilities of whole paths", "expected `policy` best with it");
  }
  if (options.beam > 0 && policy != Policy::kBest) {
    throw usage_error("`beam` has no effect", "expected `policy` best with it");
  }
  if (!kind.decides_at_nodes && (options.beam > 0 || options.policy == Policy::kGreedy)) {
    throw usage_error("`policy` greedy and `beam` need a decision at every node", "expected a top-down model");
  }
  check_probable(model, kind, options);
  if (options.label_set != LabelSet::kAuto && !kind.ranks_all_classes) {
    throw usage_error("`label-set` needs a ranking of all classes", "expected a joint model, such as hierarchical-svm");
  }
  if (options.label_set == LabelSet::kThreshold && model.threshold.empty() && !model.has_probabilities) {
    throw usage_error("the model has no threshold", "expected one trained with `learn-threshold` yes");
  }
  if (options.threshold > 0 && is_best && kind.decides_at_nodes) {
    throw usage_error("`threshold` takes several ways down", "expected `policy` greedy with it");
  }
  if (options.confidence > 0 && is_best && kind.decides_at_nodes) {
    throw usage_error("`confidence` stops on the way down", "expected `policy` greedy with it");
  }
}

constexpr Choice<Policy> kPolicyWords[] = {
    {Policy::kAuto, "auto"}, {Policy::kGreedy, "greedy"}, {Policy::kBest, "best"}};
constexpr Choice<LabelSet> kLabelSetWords[] = {{LabelSet::kAuto, "auto"},
                                               {LabelSet::kThreshold, "threshold"},
                                               {LabelSet::kTop1, "top-1"},
                                               {LabelSet::kTopK, "top-k"}};

}  // namespace

void describe_policy(ParameterTable& v, PredictOptions& o) {
  v("policy", o.policy, kPolicyWords,
    "greedy: the best child at every node; best: the most probable path; auto: best if the model has probabilities");
  v("confidence", o.confidence, between(0, 1),
    "answer with the deepest node on the path that has at least this probability");
  v("align-features", o.align_features, "find the model's features in the data by name");
}

void describe(ParameterTable& v, PredictOptions& o) {
  describe_policy(v, o);
  v("top-k", o.top_k, nonnegative(),
    "labels per sample, best first (with `policy` best); 0: one, or as many as a multi-label model gives");
  v("label-set", o.label_set, kLabelSetWords,
    "labels of a joint model: those above its learnt threshold, the best one, or the `top-k` best; auto: `top-k` if "
    "given, else by the threshold if there is one, else the best");
  v("threshold", o.threshold, between(0, 1),
    "give all labels with at least this probability, and the best (models for several labels); 0: the model decides");
  v("beam", o.beam, nonnegative(),
    "nodes kept open per sample while searching for its best path, and groups of label trees; 0: all nodes, and as "
    "many "
    "groups as the model says");
}

Policy chosen_policy(const ModelBody& model, const PredictOptions& options) {
  if (options.policy != Policy::kAuto) return options.policy;
  const bool has_probabilities = model.has_probabilities && !model.is_multilabel && options.confidence == 0;
  return has_probabilities || options.top_k > 1 ? Policy::kBest : Policy::kGreedy;
}

Predictions predict(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  check_options(model, data, options, chosen_policy(model, options));
  if (decides_by_thresholds(model, options)) return predict_by_nodes(model, data, options, ctx);
  return info_of(model.kind).predict(model, data, options, ctx);
}

Predictions predict_top_down(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  const Policy policy = chosen_policy(model, options);
  const NodePlaces places(model, data.samples());
  std::vector<Predictions> parts(static_cast<std::size_t>(chunk_count(data.samples(), kSamplesPerTask)));
  parallel_for(ctx, data.samples(), kSamplesPerTask, [&](Index begin, Index end) {
    require_finite(data, begin, end);
    Block block(model, places, data, options, begin, end);
    Predictions& part = parts[static_cast<std::size_t>(begin / kSamplesPerTask)];
    for (auto& candidates : policy == Policy::kBest ? block.best() : block.greedy()) {
      std::sort(candidates.begin(), candidates.end(), comes_first);
      if (options.threshold > 0) drop_improbable(candidates, options.threshold);
      for (const Candidate& candidate : candidates) {
        part.labels.push_back(model.taxonomy->fold(candidate.node));
        part.scores.push_back(std::exp(candidate.log_probability));
      }
      part.offsets.push_back(std::ssize(part.labels));
    }
  });
  return joined(parts, ctx);
}

}  // namespace clade
