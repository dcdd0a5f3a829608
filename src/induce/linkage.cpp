#include "induce/linkage.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/progress.h"

namespace clade {
namespace {

// Two clusters, known by the first object of each, in the order in which the chain merges them.
struct Link {
  Index keeper;  // keeper < other
  Index other;
  double distance;
};

// Each cluster uses the row of its first object. When half of the rows are out of use, the others are compacted.
class NeighbourChain {
 public:
  NeighbourChain(CondensedDistances distances, Linkage linkage)
      : distances_(std::move(distances)), values_(distances_.data()), linkage_(linkage), rows_(distances_.objects()) {
    const auto q = static_cast<std::size_t>(rows_);
    active_.resize(q);
    std::iota(active_.begin(), active_.end(), Index{0});
    first_ = active_;
    size_.assign(q, 1);
    height_.assign(q, 0);
    set_offsets();
  }

  std::vector<Link> run(Context& ctx) {
    Progress progress(ctx, "clustering", rows_ - 1);
    std::vector<Link> links;
    while (active_.size() > 1) {
      ctx.check_cancelled();
      links.push_back(next_link());
      progress.advance();
    }
    return links;
  }

 private:
  struct Neighbour {
    Index row;
    double distance;
  };

  double& at(Index i, Index j) { return i < j ? values_[offset(i) + j] : values_[offset(j) + i]; }
  Index offset(Index row) const { return offset_[static_cast<std::size_t>(row)]; }

  void set_offsets() {
    offset_.resize(static_cast<std::size_t>(rows_));
    for (Index i = 0; i < rows_; ++i) offset_[static_cast<std::size_t>(i)] = CondensedDistances::row(i, rows_);
  }

  // Follows nearest neighbours until two are each other's nearest. The chain before them is kept for the next call.
  Link next_link() {
    if (2 * std::ssize(active_) <= rows_) move_together();
    if (chain_.empty()) chain_.push_back(active_.front());
    for (;;) {
      const Index tip = chain_.back();
      const Index before = chain_.size() > 1 ? chain_[chain_.size() - 2] : -1;
      const Neighbour nearest = nearest_to(tip, before);
      if (nearest.row == before) {
        chain_.resize(chain_.size() - 2);
        return merge(std::min(tip, before), std::max(tip, before), nearest.distance);
      }
      chain_.push_back(nearest.row);
    }
  }

  // If several are equally near, returns `before`, which ends the chain, or else the first.
  Neighbour nearest_to(Index row, Index before) {
    Neighbour best{before, before < 0 ? std::numeric_limits<double>::infinity() : at(row, before)};
    const auto self = std::lower_bound(active_.begin(), active_.end(), row);
    for (auto other = active_.begin(); other != self; ++other) {
      const double distance = values_[offset(*other) + row];
      if (distance < best.distance) best = {*other, distance};
    }
    const double* own = values_ + offset(row);
    for (auto other = self + 1; other != active_.end(); ++other) {
      const double distance = own[*other];
      if (distance < best.distance) best = {*other, distance};
    }
    return best;
  }

  Link merge(Index keeper, Index other, double distance) {
    const auto k = static_cast<std::size_t>(keeper);
    const auto o = static_cast<std::size_t>(other);
    active_.erase(std::lower_bound(active_.begin(), active_.end(), other));
    const double share = static_cast<double>(size_[o]) / static_cast<double>(size_[k] + size_[o]);
    for (const Index row : active_) {
      if (row == keeper) continue;
      double& to_keeper = at(row, keeper);
      to_keeper = joined(to_keeper, at(row, other), share);
    }
    size_[k] += size_[o];
    // Never below the links it builds on, even if rounding says so.
    height_[k] = std::max({distance, height_[k], height_[o]});
    return {first_[k], first_[o], height_[k]};
  }

  // The distance of a third cluster to the union of two, where `share` of the objects come from the second.
  double joined(double to_first, double to_second, double share) const {
    if (linkage_ == Linkage::kComplete) return std::max(to_first, to_second);
    if (linkage_ == Linkage::kSingle) return std::min(to_first, to_second);
    return to_first + share * (to_second - to_first);
  }

  void move_together() {
    const auto count = std::ssize(active_);
    std::vector<Index> new_row(static_cast<std::size_t>(rows_), -1);
    Index to = 0;
    for (Index i = 0; i < count; ++i) {
      const Index row = active_[static_cast<std::size_t>(i)];
      new_row[static_cast<std::size_t>(row)] = i;
      for (Index j = i + 1; j < count; ++j) values_[to++] = values_[offset(row) + active_[static_cast<std::size_t>(j)]];
      const auto from = static_cast<std::size_t>(row);
      const auto place = static_cast<std::size_t>(i);
      first_[place] = first_[from];
      size_[place] = size_[from];
      height_[place] = height_[from];
    }
    for (Index& row : chain_) row = new_row[static_cast<std::size_t>(row)];
    std::iota(active_.begin(), active_.end(), Index{0});
    rows_ = count;
    set_offsets();
  }

  CondensedDistances distances_;
  double* values_;
  Linkage linkage_;
  Index rows_;
  std::vector<Index> active_;  // rows in use, ascending
  std::vector<Index> offset_;
  std::vector<Index> chain_;
  // Per row: the first object of its cluster, its size, and the distance at which it was merged.
  std::vector<Index> first_;
  std::vector<Index> size_;
  std::vector<double> height_;
};

// Sorts links by distance and names their parts by the merges that made them.
std::vector<Merge> in_order(const std::vector<Link>& links) {
  const auto q = std::ssize(links) + 1;
  std::vector<std::size_t> order(links.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return links[a].distance != links[b].distance ? links[a].distance < links[b].distance : a < b;
  });
  // A cluster is known by its first object; the entry there is the part that the cluster is now.
  std::vector<Index> part(static_cast<std::size_t>(q));
  std::iota(part.begin(), part.end(), Index{0});
  std::vector<Merge> merges;
  const auto size_of = [&](Index p) { return p < q ? 1 : merges[static_cast<std::size_t>(p - q)].size; };
  for (const std::size_t k : order) {
    Index& keeper = part[static_cast<std::size_t>(links[k].keeper)];
    const Index other = part[static_cast<std::size_t>(links[k].other)];
    Merge merge;
    merge.first = std::min(keeper, other);
    merge.second = std::max(keeper, other);
    merge.distance = links[k].distance;
    merge.size = size_of(keeper) + size_of(other);
    keeper = q + std::ssize(merges);
    merges.push_back(merge);
  }
  return merges;
}

}  // namespace

std::vector<Merge> agglomerate(CondensedDistances distances, Linkage linkage, Context& ctx) {
  if (distances.objects() < 2) return {};
  return in_order(NeighbourChain(std::move(distances), linkage).run(ctx));
}

}  // namespace clade
