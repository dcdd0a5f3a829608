#include "evaluate/node_distance.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr int kWords = 4;
constexpr int kSearches = 64 * kWords;  // at once: a node's bits fill half a cache line

using Bits = std::array<std::uint64_t, kWords>;

// The neighbours of each node along undirected edges, as offsets into one list.
struct Neighbours {
  explicit Neighbours(const Taxonomy& taxonomy) {
    nodes.reserve(2 * static_cast<std::size_t>(taxonomy.edges()));
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      const auto above = taxonomy.parents(node);
      const auto below = taxonomy.children(node);
      nodes.insert(nodes.end(), above.begin(), above.end());
      nodes.insert(nodes.end(), below.begin(), below.end());
      offsets.push_back(nodes.size());
    }
  }
  std::span<const NodeId> of(std::size_t node) const {
    return {nodes.data() + offsets[node], offsets[node + 1] - offsets[node]};
  }

  std::vector<std::size_t> offsets{0};
  std::vector<NodeId> nodes;
};

// Breadth-first searches from up to kSearches nodes, in lockstep.
class ParallelSearches {
 public:
  explicit ParallelSearches(const Neighbours& neighbours)
      : neighbours_(neighbours), seen_(neighbours.offsets.size() - 1), front_(seen_.size()), next_(seen_.size()) {}

  void start(std::span<const NodeId> sources) {
    std::fill(seen_.begin(), seen_.end(), Bits{});
    std::fill(front_.begin(), front_.end(), Bits{});
    std::fill(next_.begin(), next_.end(), Bits{});
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const auto node = static_cast<std::size_t>(sources[k]);
      seen_[node][k / 64] |= std::uint64_t{1} << (k % 64);
      front_[node][k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }

  // Takes all searches one edge further. Returns whether any reached a new node.
  bool step() {
    for (std::size_t node = 0; node < front_.size(); ++node) {
      const Bits from = front_[node];
      if (!any(from)) continue;
      for (const NodeId neighbour : neighbours_.of(node)) {
        Bits& to = next_[static_cast<std::size_t>(neighbour)];
        for (std::size_t w = 0; w < kWords; ++w) to[w] |= from[w];
      }
    }
    Bits alive{};
    for (std::size_t node = 0; node < next_.size(); ++node) {
      for (std::size_t w = 0; w < kWords; ++w) {
        const std::uint64_t fresh = next_[node][w] & ~seen_[node][w];
        seen_[node][w] |= fresh;
        alive[w] |= fresh;
        front_[node][w] = fresh;
        next_[node][w] = 0;
      }
    }
    return any(alive);
  }

  bool reached(std::size_t search, NodeId node) const {
    return (seen_[static_cast<std::size_t>(node)][search / 64] >> (search % 64) & 1U) != 0;
  }

 private:
  static bool any(const Bits& bits) {
    std::uint64_t joined = 0;
    for (const std::uint64_t word : bits) joined |= word;
    return joined != 0;
  }

  const Neighbours& neighbours_;
  std::vector<Bits> seen_;
  std::vector<Bits> front_;
  std::vector<Bits> next_;
};

int tree_distance(const Taxonomy& tree, NodePair pair) {
  return tree.depth(pair.a) + tree.depth(pair.b) - 2 * tree.depth(tree.lowest_common_ancestor(pair.a, pair.b));
}

Index distinct_nodes(const Taxonomy& taxonomy, std::span<const NodePair> pairs, NodeId NodePair::* end) {
  std::vector<char> seen(static_cast<std::size_t>(taxonomy.size()), 0);
  for (const NodePair& pair : pairs) seen[static_cast<std::size_t>(pair.*end)] = 1;
  return std::count(seen.begin(), seen.end(), 1);
}

// Pairs grouped by the node from which the search starts.
struct PairsBySource {
  std::vector<Index> order;     // empty: already in order
  std::vector<NodeId> sources;  // distinct, ascending
  std::vector<Index> begins;    // where the pairs of each source begin in `order`, and one more

  PairsBySource(const Taxonomy& taxonomy, std::span<const NodePair> pairs, NodeId NodePair::* source) {
    std::vector<Index> next(static_cast<std::size_t>(taxonomy.size()) + 1, 0);
    for (const NodePair& pair : pairs) ++next[static_cast<std::size_t>(pair.*source) + 1];
    for (NodeId node = 0; node < taxonomy.size(); ++node) {
      const auto at = static_cast<std::size_t>(node);
      if (next[at + 1] > 0) {
        sources.push_back(node);
        begins.push_back(next[at]);
      }
      next[at + 1] += next[at];
    }
    begins.push_back(static_cast<Index>(pairs.size()));
    const auto before = [&](const NodePair& x, const NodePair& y) { return x.*source < y.*source; };
    if (std::is_sorted(pairs.begin(), pairs.end(), before)) return;
    order.resize(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(pairs[k].*source)]++)] = static_cast<Index>(k);
    }
  }

  std::size_t pair(Index place) const {
    return static_cast<std::size_t>(order.empty() ? place : order[static_cast<std::size_t>(place)]);
  }
};

void search_batch(ParallelSearches& searches, const PairsBySource& grouped, std::span<const NodePair> pairs,
                  NodeId NodePair::* target, Index begin, Index end, std::span<int> result) {
  struct Open {
    std::size_t pair;
    NodeId target;
    std::int32_t search;
  };
  std::vector<Open> open;
  for (Index s = begin; s < end; ++s) {
    const auto at = static_cast<std::size_t>(s);
    for (Index k = grouped.begins[at]; k < grouped.begins[at + 1]; ++k) {
      const std::size_t pair = grouped.pair(k);
      open.push_back({pair, pairs[pair].*target, static_cast<std::int32_t>(s - begin)});
    }
  }
  const std::span<const NodeId> sources(grouped.sources);
  searches.start(sources.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  // A taxonomy is connected, so every search reaches every node and the loop ends.
  for (int distance = 0; !open.empty(); ++distance) {
    if (distance > 0) searches.step();
    std::erase_if(open, [&](const Open& query) {
      if (!searches.reached(static_cast<std::size_t>(query.search), query.target)) return false;
      result[query.pair] = distance;
      return true;
    });
  }
}

// The longest path in a tree turns at one node: its length is the sum of that node's two deepest branches.
int longest_tree_path(const Taxonomy& tree) {
  std::vector<int> height(static_cast<std::size_t>(tree.size()), 0);
  int longest = 0;
  for (NodeId node = tree.size() - 1; node > 0; --node) {
    int& above = height[static_cast<std::size_t>(tree.parents(node)[0])];
    const int branch = height[static_cast<std::size_t>(node)] + 1;
    longest = std::max(longest, above + branch);
    above = std::max(above, branch);
  }
  return longest;
}

}  // namespace

std::vector<int> distances(const Taxonomy& taxonomy, std::span<const NodePair> pairs, Context& ctx) {
  constexpr Index kPairsPerChunk = 16384;
  std::vector<int> result(pairs.size());
  if (taxonomy.is_tree()) {
    parallel_for(ctx, static_cast<Index>(pairs.size()), kPairsPerChunk, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        const auto at = static_cast<std::size_t>(k);
        result[at] = tree_distance(taxonomy, pairs[at]);
      }
    });
    return result;
  }
  const bool from_a = distinct_nodes(taxonomy, pairs, &NodePair::a) <= distinct_nodes(taxonomy, pairs, &NodePair::b);
  NodeId NodePair::* const source = from_a ? &NodePair::a : &NodePair::b;
  NodeId NodePair::* const target = from_a ? &NodePair::b : &NodePair::a;
  const Neighbours neighbours(taxonomy);
  const PairsBySource grouped(taxonomy, pairs, source);
  parallel_for(ctx, static_cast<Index>(grouped.sources.size()), kSearches, [&](Index begin, Index end) {
    ParallelSearches searches(neighbours);
    search_batch(searches, grouped, pairs, target, begin, end, result);
  });
  return result;
}

int largest_distance(const Taxonomy& taxonomy, Context& ctx) {
  if (taxonomy.is_tree()) return longest_tree_path(taxonomy);

  std::vector<NodeId> order(static_cast<std::size_t>(taxonomy.size()));
  std::iota(order.begin(), order.end(), 0);
  std::vector<NodePair> to_root;
  for (const NodeId node : order) to_root.push_back({taxonomy.root(), node});
  const std::vector<int> from_root = distances(taxonomy, to_root, ctx);
  const auto level = [&](NodeId node) { return from_root[static_cast<std::size_t>(node)]; };
  std::sort(order.begin(), order.end(),
            [&](NodeId a, NodeId b) { return level(a) != level(b) ? level(a) > level(b) : a < b; });

  // Nodes within r of the root are at most 2r apart. A round of fixed size has a few batches, so that threads can share
  // it; the size does not change the answer.
  const Neighbours neighbours(taxonomy);
  constexpr Index kBatchesPerRound = 4;
  int largest = 0;
  const auto count = static_cast<Index>(order.size());
  for (Index done = 0; done < count && largest < 2 * level(order[static_cast<std::size_t>(done)]);) {
    const Index round = std::min(count - done, kBatchesPerRound * kSearches);
    const int found = parallel_reduce(
        ctx, round, kSearches, 0,
        [&](Index begin, Index end) {
          ParallelSearches searches(neighbours);
          const auto first = static_cast<std::size_t>(done + begin);
          searches.start(std::span<const NodeId>(order).subspan(first, static_cast<std::size_t>(end - begin)));
          int furthest = 0;
          while (searches.step()) ++furthest;
          return furthest;
        },
        [](int& total, int part) { total = std::max(total, part); });
    largest = std::max(largest, found);
    done += round;
  }
  return largest;
}

}  // namespace clade
