#include "classify/narrowing.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace clade {

bool covers(const Taxonomy& taxonomy, std::span<const NodeId> nodes, NodeId label) {
  return std::ranges::any_of(nodes, [&](NodeId node) { return node == label || taxonomy.is_ancestor(node, label); });
}

AnswerSpace::AnswerSpace(Taxonomy all, Index nodes, bool several, std::vector<float> own_shares)
    : taxonomy(std::move(all)),
      has_several_labels(several),
      own_share(std::move(own_shares)),
      volume(static_cast<std::size_t>(nodes), 1) {
  for (NodeId node = 0; node < static_cast<NodeId>(nodes); ++node) {
    for (const NodeId above : taxonomy.ancestors(node)) ++volume[static_cast<std::size_t>(above)];
  }
}

Narrowing::Narrowing(const AnswerSpace& space, std::span<const double> scores, Index most)
    : space_(space), scores_(scores), most_(static_cast<std::size_t>(most)) {
  add(space.taxonomy.root(), 1);
  find_next();
}

Narrowing::Member Narrowing::member_of(NodeId node, double flow) const {
  Member member{.flow = flow, .children = 0, .best = {}, .rest = 1};
  for (const NodeId child : space_.taxonomy.children(node)) {
    if (static_cast<std::size_t>(child) < scores_.size()) member.best.push_back(child);
  }
  const auto is_better = [&](NodeId a, NodeId b) { return score(a) != score(b) ? score(a) > score(b) : a < b; };
  const std::size_t kept = std::min(most_, member.best.size());
  const auto end = member.best.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(member.best.begin(), end, member.best.end(), is_better);
  for (std::size_t c = 0; c < member.best.size(); ++c) {
    member.children += score(member.best[c]);
    if (c >= kept) member.rest *= 1 - score(member.best[c]);
  }
  member.children = std::max(member.children, score(node));
  if (!member.best.empty() && !space_.own_share.empty()) {
    member.rest *= 1 - static_cast<double>(space_.own_share[static_cast<std::size_t>(node)]) * score(node);
  }
  member.best.resize(kept);
  return member;
}

double Narrowing::flow_to(const Member& member, NodeId child) const {
  if (space_.taxonomy.is_tree()) return score(child);
  return member.children > 0 ? member.flow * score(child) / member.children : 0;
}

void Narrowing::add(NodeId node, double flow) {
  nodes_.push_back(node);
  members_.push_back(member_of(node, flow));
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
  if (!space_.has_several_labels) {
    double sum = 0;
    double largest = 0;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (k == at) continue;
      sum += members_[k].flow;
      largest = std::max(largest, score(nodes_[k]));
    }
    for (std::size_t c = 0; c < kept; ++c) sum += flow_to(member, member.best[c]);
    if (kept > 0) largest = std::max(largest, score(member.best[0]));
    return std::max(sum, largest);
  }
  if (member.best.empty()) return mass_ * (1 - score(nodes_[at]));
  double mass = mass_ * member.rest;
  for (std::size_t c = kept; c < member.best.size(); ++c) mass *= 1 - score(member.best[c]);
  return mass;
}

double Narrowing::uncovered_after(std::size_t at) const {
  const auto volume = [&](NodeId node) { return space_.volume[static_cast<std::size_t>(node)]; };
  const Member& member = members_[at];
  Index left = volume(nodes_[at]);
  for (std::size_t c = 0; c < std::min(room(), member.best.size()); ++c) left -= volume(member.best[c]);
  return static_cast<double>(std::max<Index>(left, 1));  // the children of a DAG may share what is below them
}

void Narrowing::find_next() {
  next_mass_ = -1;
  if (nodes_.size() == 1 && members_[0].best.empty()) return;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const double mass = mass_after(k);
    const double lost = (mass_ - mass) / uncovered_after(k);
    if (lost >= least) continue;
    least = lost;
    next_mass_ = mass;
    next_ = k;
  }
  next_mass_ = std::min(next_mass_, mass_);
}

void Narrowing::go_on() {
  const Member gone = std::move(members_[next_]);
  const std::size_t kept = std::min(room(), gone.best.size());
  remove(next_);
  mass_ = next_mass_;
  for (std::size_t c = 0; c < kept; ++c) {
    const NodeId child = gone.best[c];
    double flow = flow_to(gone, child);
    const auto above =
        std::ranges::find_if(nodes_, [&](NodeId node) { return covers(space_.taxonomy, {&node, 1}, child); });
    if (above != nodes_.end()) {
      members_[static_cast<std::size_t>(above - nodes_.begin())].flow += flow;
      continue;
    }
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      if (!space_.taxonomy.is_ancestor(child, nodes_[k])) continue;
      flow += members_[k].flow;
      remove(k);
    }
    add(child, flow);
  }
  find_next();
}

}  // namespace clade
