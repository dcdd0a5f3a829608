#include "classify/narrowing.h"

#include <algorithm>

namespace clade {

bool covers(const Taxonomy& taxonomy, std::span<const NodeId> nodes, NodeId label) {
  return std::ranges::any_of(nodes, [&](NodeId node) { return node == label || taxonomy.is_ancestor(node, label); });
}

Narrowing::Narrowing(const Taxonomy& taxonomy, std::span<const double> scores, bool has_several_labels, Index most)
    : taxonomy_(taxonomy),
      scores_(scores),
      has_several_labels_(has_several_labels),
      most_(static_cast<std::size_t>(most)) {
  add(taxonomy.root());
  find_next();
}

Narrowing::Member Narrowing::member_of(NodeId node) const {
  Member member;
  for (const NodeId child : taxonomy_.children(node)) {
    if (static_cast<std::size_t>(child) < scores_.size()) member.best.push_back(child);
  }
  const auto is_better = [&](NodeId a, NodeId b) { return score(a) != score(b) ? score(a) > score(b) : a < b; };
  const std::size_t kept = std::min(most_, member.best.size());
  const auto end = member.best.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(member.best.begin(), end, member.best.end(), is_better);
  if (has_several_labels_) {
    double all = 1;
    for (std::size_t c = 0; c < member.best.size(); ++c) {
      const double without = 1 - score(member.best[c]);
      all *= without;
      if (c >= kept) member.rest *= without;
    }
    if (!member.best.empty() && all > 0) member.own = std::min(1.0, (1 - score(node)) / all);
  }
  member.best.resize(kept);
  return member;
}

void Narrowing::add(NodeId node) {
  nodes_.push_back(node);
  members_.push_back(member_of(node));
}

void Narrowing::remove(std::size_t at) {
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(at));
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::size_t Narrowing::room() const {
  return most_ - nodes_.size() + 1;
}

double Narrowing::mass_after(std::size_t at) const {
  const Member& member = members_[at];
  const std::size_t kept = std::min(room(), member.best.size());
  if (!has_several_labels_) {
    double sum = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) sum += k == at ? 0 : score(nodes_[k]);
    for (std::size_t c = 0; c < kept; ++c) sum += score(member.best[c]);
    return sum;
  }
  if (member.best.empty()) return mass_ * (1 - score(nodes_[at]));
  double mass = mass_ * member.rest * member.own;
  for (std::size_t c = kept; c < member.best.size(); ++c) mass *= 1 - score(member.best[c]);
  return mass;
}

void Narrowing::find_next() {
  next_mass_ = -1;
  if (nodes_.size() == 1 && members_[0].best.empty()) return;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const double mass = mass_after(k);
    if (mass <= next_mass_) continue;
    next_mass_ = mass;
    next_ = k;
  }
  next_mass_ = std::min(next_mass_, mass_);
}

void Narrowing::go_on() {
  std::vector<NodeId> children = std::move(members_[next_].best);
  children.resize(std::min(room(), children.size()));
  remove(next_);
  mass_ = next_mass_;
  for (const NodeId child : children) {
    if (covers(taxonomy_, nodes_, child)) continue;
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      if (taxonomy_.is_ancestor(child, nodes_[k])) remove(k);
    }
    add(child);
  }
  find_next();
}

}  // namespace clade
