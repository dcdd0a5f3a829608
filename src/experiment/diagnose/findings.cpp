#include "experiment/diagnose/findings.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "experiment/diagnose/centroid_fit.h"

namespace clade {
namespace {

constexpr Index kFewestOfPair = 5;   // samples of either of two siblings; fewer say nothing
constexpr double kOneSided = 1.645;  // standard errors, 5 %

Index count_of(const ClassCounts& counts, NodeId truth, NodeId answer) {
  const auto found = counts.find({truth, answer});
  return found == counts.end() ? 0 : found->second;
}

std::optional<NodeId> common_parent(const Taxonomy& taxonomy, NodeId a, NodeId b) {
  for (const NodeId parent : taxonomy.parents(a)) {
    if (std::ranges::find(taxonomy.parents(b), parent) != taxonomy.parents(b).end()) return parent;
  }
  return std::nullopt;
}

// How clearly the answers depend on the class, of two classes, in standard errors: the signed root of chi-squared.
double association(const ClassCounts& counts, NodeId a, NodeId b) {
  const auto aa = static_cast<double>(count_of(counts, a, a));
  const auto ab = static_cast<double>(count_of(counts, a, b));
  const auto ba = static_cast<double>(count_of(counts, b, a));
  const auto bb = static_cast<double>(count_of(counts, b, b));
  const double margins = (aa + ab) * (ba + bb) * (aa + ba) * (ab + bb);
  return margins > 0 ? (aa * bb - ab * ba) * std::sqrt((aa + ab + ba + bb) / margins) : 0;
}

// A suggested edit, and how promising it is.
struct Suggestion {
  TaxonomyEdit edit;
  double promise = 0;
};

void sort_by_promise(std::vector<Suggestion>& suggestions) {
  std::ranges::sort(suggestions, {}, [](const Suggestion& s) { return std::pair(-s.promise, s.edit.node); });
}

// How near a class is to the leaves of some parent.
struct Nearness {
  double confusions = 0;
  double cosines = 0;
  Index leaves = 0;

  double value() const { return confusions + cosines / static_cast<double>(leaves); }
};

// To all leaves further down, for a class whose siblings are all groups.
Nearness near_below(const std::map<NodeId, Nearness>& near, const Taxonomy& taxonomy, NodeId parent) {
  Nearness sum;
  for (const auto& [node, nearness] : near) {
    if (!taxonomy.is_ancestor(parent, node)) continue;
    sum.confusions += nearness.confusions;
    sum.cosines += nearness.cosines;
    sum.leaves += nearness.leaves;
  }
  return sum;
}

std::vector<Suggestion> suggested_moves(const Dataset& data, const TrialAnswers& flat, const std::vector<Index>& half,
                                        Context& ctx) {
  const Taxonomy& taxonomy = data.taxonomy();
  const Dataset part = data.subset(half);
  const ClassSamples classes = class_samples(part);
  const Matrix cosines = centroid_cosines(part, classes, ctx);
  const ClassCounts counts = class_counts(data, flat, half);
  std::vector<Suggestion> moves;
  for (Index x = 0; x < classes.size(); ++x) {
    const NodeId node = classes.classes[static_cast<std::size_t>(x)];
    if (!taxonomy.is_leaf(node) || node == taxonomy.root()) continue;
    const auto own_samples = static_cast<double>(std::ssize(classes.of(x)));
    std::map<NodeId, Nearness> near;
    for (Index y = 0; y < classes.size(); ++y) {
      const NodeId other = classes.classes[static_cast<std::size_t>(y)];
      if (y == x || !taxonomy.is_leaf(other)) continue;
      Nearness& nearness = near[taxonomy.parents(other)[0]];
      nearness.confusions +=
          static_cast<double>(count_of(counts, node, other) + count_of(counts, other, node)) / own_samples;
      nearness.cosines += cosines(x, y);
      ++nearness.leaves;
    }
    const NodeId parent = taxonomy.parents(node)[0];
    const Nearness own = near.contains(parent) ? near[parent] : near_below(near, taxonomy, parent);
    if (own.leaves == 0) continue;  // without siblings there is nothing to compare with
    const auto best = std::ranges::max_element(near, {}, [](const auto& entry) { return entry.second.value(); });
    const double promise = best->second.value() - own.value();
    if (best->first == parent || !(promise > 0)) continue;
    TaxonomyEdit edit;
    edit.node = taxonomy.name(node);
    edit.from = taxonomy.name(parent);
    edit.to = taxonomy.name(best->first);
    moves.push_back({std::move(edit), promise * own_samples});
  }
  sort_by_promise(moves);
  return moves;
}

// Is one of two classes below the node, and the other not, though it is below the node's parent?
bool crosses(const Taxonomy& taxonomy, NodeId node, NodeId a, NodeId b) {
  const auto is_below = [&](NodeId above, NodeId below) {
    return above == below || taxonomy.is_ancestor(above, below);
  };
  const NodeId parent = taxonomy.parents(node)[0];
  return is_below(node, a) != is_below(node, b) && is_below(parent, a) && is_below(parent, b);
}

std::vector<Suggestion> suggested_removals(const Dataset& data, const TrialAnswers& given, const TrialAnswers& flat,
                                           const std::vector<Index>& half) {
  const Taxonomy& taxonomy = data.taxonomy();
  std::map<NodeId, Index> promise;
  std::vector<bool> is_label(static_cast<std::size_t>(taxonomy.size()), false);
  for (Index s = 0; s < data.samples(); ++s) is_label[static_cast<std::size_t>(data.labels(s)[0])] = true;
  for (const Index s : half) {
    const auto at = static_cast<std::size_t>(s);
    if (given.right[at] == flat.right[at]) continue;
    const auto& wrong = given.right[at] == 1 ? flat.labels[at] : given.labels[at];
    if (wrong.empty()) continue;
    const NodeId truth = data.labels(s)[0];
    // Only nodes above one of the two can lie between them.
    std::vector<NodeId> nodes = taxonomy.ancestors(truth);
    for (const NodeId above : taxonomy.ancestors(wrong[0])) nodes.push_back(above);
    for (const NodeId node : nodes) {
      if (node == taxonomy.root() || is_label[static_cast<std::size_t>(node)]) continue;
      if (crosses(taxonomy, node, truth, wrong[0])) promise[node] += given.right[at] == 1 ? -1 : 1;
    }
  }
  std::vector<Suggestion> removals;
  for (const auto& [node, samples] : promise) {
    if (samples <= 0 || taxonomy.children(node).size() < 2) continue;
    TaxonomyEdit edit;
    edit.kind = TaxonomyEdit::Kind::kRemove;
    edit.node = taxonomy.name(node);
    edit.from = taxonomy.name(taxonomy.parents(node)[0]);
    removals.push_back({std::move(edit), static_cast<double>(samples)});
  }
  sort_by_promise(removals);
  return removals;
}

}  // namespace

ClassCounts class_counts(const Dataset& data, const TrialAnswers& answers, std::span<const Index> samples) {
  ClassCounts counts;
  for (const Index s : samples) {
    const auto& labels = answers.labels[static_cast<std::size_t>(s)];
    if (!labels.empty()) ++counts[{data.labels(s)[0], labels[0]}];
  }
  return counts;
}

std::vector<AlikeSiblings> alike_siblings(const Taxonomy& taxonomy, const ClassCounts& counts) {
  std::vector<AlikeSiblings> alike;
  for (const auto& [pair, ignored] : counts) {
    const NodeId a = std::min(pair.first, pair.second);
    const NodeId b = std::max(pair.first, pair.second);
    const bool is_seen = pair.first > pair.second && counts.contains({a, b});
    if (a == b || is_seen || !taxonomy.is_leaf(a) || !taxonomy.is_leaf(b)) continue;
    const auto parent = common_parent(taxonomy, a, b);
    if (!parent) continue;
    const Index of_a = count_of(counts, a, a) + count_of(counts, a, b);
    const Index of_b = count_of(counts, b, a) + count_of(counts, b, b);
    if (std::min(of_a, of_b) < kFewestOfPair) continue;
    AlikeSiblings found;
    found.first = taxonomy.name(a);
    found.second = taxonomy.name(b);
    found.parent = taxonomy.name(*parent);
    found.samples = of_a + of_b;
    const auto n = static_cast<double>(found.samples);
    found.mistakes = count_of(counts, a, b) + count_of(counts, b, a);
    found.accuracy = static_cast<double>(found.samples - found.mistakes) / n;
    found.larger_share = static_cast<double>(std::max(of_a, of_b)) / n;
    if (association(counts, a, b) < kOneSided) alike.push_back(std::move(found));
  }
  std::ranges::sort(alike, {}, [](const AlikeSiblings& a) { return std::tuple(-a.mistakes, a.first, a.second); });
  return alike;
}

std::vector<SmallClass> small_classes(const Dataset& data, Index fewest) {
  const ClassSamples classes = class_samples(data);
  std::vector<std::pair<Index, NodeId>> found;
  for (Index k = 0; k < classes.size(); ++k) {
    const auto samples = std::ssize(classes.of(k));
    if (samples < fewest) found.emplace_back(samples, classes.classes[static_cast<std::size_t>(k)]);
  }
  std::ranges::sort(found);
  std::vector<SmallClass> small;
  for (const auto& [samples, node] : found) small.push_back({data.taxonomy().name(node), samples});
  return small;
}

std::vector<TaxonomyEdit> suggested_edits(const Dataset& data, const TrialAnswers& given, const TrialAnswers& flat,
                                          const std::vector<Index>& half, int most, Context& ctx) {
  const std::vector<Suggestion> moves = suggested_moves(data, flat, half, ctx);
  const std::vector<Suggestion> removals = suggested_removals(data, given, flat, half);
  std::vector<TaxonomyEdit> edits;
  for (std::size_t k = 0; k < std::max(moves.size(), removals.size()); ++k) {
    for (const auto* suggestions : {&moves, &removals}) {
      if (k < suggestions->size() && std::ssize(edits) < most) edits.push_back((*suggestions)[k].edit);
    }
  }
  return edits;
}

}  // namespace clade
