#pragma once

#include <clade/taxonomy.h>

#include <span>
#include <vector>

namespace clade {

// Is the label one of the nodes, or below one?
bool covers(const Taxonomy& taxonomy, std::span<const NodeId> nodes, NodeId label);

// The answers that are possible for one sample, from the root down: sets of at most `most` nodes, none below another.
// Each covers only labels that the one before covers, so the answers are nested, whatever the scores are worth.
//
// A step replaces a node by its best children, as many as there is room for, or drops a node without children; of all
// steps the one is taken that leaves most mass, which is 1 at the root and never rises:
//
//   one label:       the sum of the scores of the nodes, at most the mass before
//   several labels:  mass x prod_c (1 - p(c)) over the children c that are not kept, or the node that is dropped
//                    mass x min(1, (1 - p(v)) / prod_c (1 - p(c))), over all children, for a label at the node itself
//
// Scores are those of the first nodes of the taxonomy (node_scores.h), and must agree with the hierarchy; nodes without
// a score do not exist here. In a DAG, children that another node covers are left out. Of equal steps and children the
// first is taken. Costs O(children of the nodes on the way x log most), and O(most^2) per step.
class Narrowing {
 public:
  Narrowing(const Taxonomy& taxonomy, std::span<const double> scores, bool has_several_labels, Index most);

  std::span<const NodeId> nodes() const { return nodes_; }
  double mass() const { return mass_; }
  // The mass after the next step; below 0: there is none, for the answer is a node without children.
  double next_mass() const { return next_mass_; }
  void go_on();

 private:
  // What can become of a node of the answer.
  struct Member {
    std::vector<NodeId> best;  // its best children, as many as an answer may have, best first
    double rest = 1;           // several labels: the product over the other children
    double own = 1;            // several labels: the factor for a label at the node itself
  };

  double score(NodeId node) const { return scores_[static_cast<std::size_t>(node)]; }
  Member member_of(NodeId node) const;
  void add(NodeId node);
  void remove(std::size_t at);
  // How many children of a node there is room for if the node goes.
  std::size_t room() const;
  double mass_after(std::size_t at) const;
  void find_next();

  const Taxonomy& taxonomy_;
  std::span<const double> scores_;
  bool has_several_labels_;
  std::size_t most_;
  std::vector<NodeId> nodes_;
  std::vector<Member> members_;  // of the same nodes
  double mass_ = 1;
  double next_mass_ = -1;
  std::size_t next_ = 0;  // the node that the next step replaces or drops
};

}  // namespace clade
