#pragma once

#include <clade/taxonomy.h>

#include <span>
#include <vector>

namespace clade {

// Is the label one of the nodes, or below one?
bool covers(const Taxonomy& taxonomy, std::span<const NodeId> nodes, NodeId label);

// What answers are made of.
struct AnswerSpace {
  // `nodes`: those with scores, the first ones of the taxonomy. O(nodes x ancestors).
  AnswerSpace(Taxonomy all, Index nodes, bool has_several_labels, std::vector<float> own_shares = {});

  Taxonomy taxonomy;
  bool has_several_labels;
  // Several labels, by node: of the training samples at or below it, the share with a label at the node itself. Empty:
  // no inner node is a label.
  std::vector<float> own_share;
  std::vector<Index> volume;  // by node: how many are at or below it
};

// The answers that are possible for one sample, from the root down: sets of at most `most` nodes, none below another.
// Each covers only labels that the one before covers, so the answers are nested, whatever the scores are worth.
//
// A step replaces a node by its best children, as many as there is room for, or drops a node without children. Of all
// steps the one is taken that loses least mass for each node that is no longer covered. The mass is 1 at the root and
// never rises. With scores p of the nodes:
//
//   one label:       the sum of p over the nodes. In a DAG, where that would count a node below two others twice, the
//                    sum of the shares of p that flow to the nodes, of a node v p(c) / max(p(v), sum of p over its
//                    children) to its child c; or the largest p of the nodes if that is more
//   several labels:  mass x prod_c (1 - p(c)) over the children c that are not kept, or the node that is dropped, and
//                    x (1 - own_share(v) p(v)) for a label at the node v that is replaced
//
// Scores (node_scores.h) must agree with the hierarchy; nodes without a score do not exist here. In a DAG, children
// that another node covers are left out. Of equal steps and children the first is taken. Costs O(children of the nodes
// on the way x log most), and O(most^2) per step.
class Narrowing {
 public:
  Narrowing(const AnswerSpace& space, std::span<const double> scores, Index most);

  std::span<const NodeId> nodes() const { return nodes_; }
  double mass() const { return mass_; }
  // The mass after the next step; below 0: there is none, for the answer is a node without children.
  double next_mass() const { return next_mass_; }
  void go_on();

 private:
  // What can become of a node of the answer.
  struct Member {
    double flow = 0;           // one label: the share of the probability that has come to the node
    double children = 0;       // one label: what it is divided by on its way to the children
    std::vector<NodeId> best;  // its best children, as many as an answer may have, best first
    double rest = 1;           // several labels: the factor for what is lost even if all of these are kept
  };

  double score(NodeId node) const { return scores_[static_cast<std::size_t>(node)]; }
  Member member_of(NodeId node, double flow) const;
  double flow_to(const Member& member, NodeId child) const;
  void add(NodeId node, double flow);
  void remove(std::size_t at);
  // How many children of a node there is room for if the node goes.
  std::size_t room() const;
  double mass_after(std::size_t at) const;
  double uncovered_after(std::size_t at) const;
  void find_next();

  const AnswerSpace& space_;
  std::span<const double> scores_;
  std::size_t most_;
  std::vector<NodeId> nodes_;
  std::vector<Member> members_;  // of the same nodes
  double mass_ = 1;
  double next_mass_ = -1;
  std::size_t next_ = 0;  // the node that the next step replaces or drops
};

}  // namespace clade
