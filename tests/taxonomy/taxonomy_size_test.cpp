// Large hierarchies: memory linear in nodes and edges, and no recursion.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "clade/taxonomy.h"
#include "core/random.h"

namespace {

std::atomic<std::int64_t> bytes_now{0};
std::atomic<std::int64_t> bytes_peak{0};

[[maybe_unused]] void* counted_allocation(std::size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  const auto now = bytes_now += static_cast<std::int64_t>(malloc_usable_size(block));
  if (now > bytes_peak) bytes_peak = now;  // the tests that look at it run on one thread
  return block;
}

[[maybe_unused]] void counted_release(void* block) noexcept {
  if (block != nullptr) bytes_now -= static_cast<std::int64_t>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

// Sanitizers have operators of their own, which these would be mixed with; nothing is counted there.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLADE_TEST_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLADE_TEST_SANITIZED
#endif

#ifndef CLADE_TEST_SANITIZED
void* operator new(std::size_t size) {
  return counted_allocation(size);
}
void* operator new[](std::size_t size) {
  return counted_allocation(size);
}
void operator delete(void* block) noexcept {
  counted_release(block);
}
void operator delete[](void* block) noexcept {
  counted_release(block);
}
void operator delete(void* block, std::size_t) noexcept {
  counted_release(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  counted_release(block);
}
#endif

namespace clade::testing {
namespace {

constexpr NodeId kNodes = 200'000;

// parent_count parents per node, drawn from all nodes before it.
TaxonomyBuilder random_input(int parent_count) {
  TaxonomyBuilder builder;
  builder.merge_repeated_edges(true);
  for (NodeId k = 0; k < kNodes; ++k) builder.node("class " + std::to_string(k));
  RandomStream random(1, {kTestStream, 7});
  for (NodeId k = 1; k < kNodes; ++k) {
    for (int p = 0; p < parent_count; ++p) builder.edge(static_cast<NodeId>(random.below(k)), k);
  }
  return builder;
}

struct Cost {
  Taxonomy taxonomy;
  double kept;  // bytes per node and edge
  double peak;  // while building, the builder's own included
};

Cost build_counted(int parent_count) {
  const std::int64_t before = bytes_now;
  bytes_peak = before;
  TaxonomyBuilder builder = random_input(parent_count);
  const std::int64_t input = bytes_now - before;
  Taxonomy taxonomy = builder.build();
  const auto size = static_cast<double>(taxonomy.size() + taxonomy.edges());
  return {taxonomy, static_cast<double>(bytes_now - before - input) / size,
          static_cast<double>(bytes_peak - before) / size};
}

TEST(TaxonomySize, ATreeOf200000NodesTakesLinearMemory) {
  const Cost cost = build_counted(1);
  EXPECT_EQ(cost.taxonomy.size(), kNodes);
  EXPECT_TRUE(cost.taxonomy.is_tree());
  EXPECT_LT(cost.kept, 200);
  EXPECT_LT(cost.peak, 500);
}

TEST(TaxonomySize, ADagOf200000NodesWithFiveParentsTakesLinearMemory) {
  const Cost cost = build_counted(5);
  EXPECT_EQ(cost.taxonomy.size(), kNodes);
  EXPECT_GT(cost.taxonomy.edges(), 4 * Index{kNodes});
  EXPECT_FALSE(cost.taxonomy.is_tree());
  EXPECT_LT(cost.kept, 100);
  EXPECT_LT(cost.peak, 300);
  // A query costs what it answers, not the size of the whole.
  const std::int64_t before = bytes_now;
  bytes_peak = before;
  EXPECT_EQ(cost.taxonomy.parents(1).size(), 1U);
  EXPECT_EQ(cost.taxonomy.ancestors(1).size(), 1U);
  EXPECT_EQ(cost.taxonomy.lowest_common_ancestors(1, 1), std::vector<NodeId>{1});
  EXPECT_LT(bytes_peak - before, 1000);
}

TEST(TaxonomySize, AChainOf200000NodesDoesNotRecurse) {
  TaxonomyBuilder builder;
  for (NodeId k = 0; k < kNodes; ++k) builder.node(std::to_string(k));
  for (NodeId k = 1; k < kNodes; ++k) builder.edge(k, k - 1);  // the last named is the root
  const Taxonomy chain = builder.build();
  EXPECT_EQ(chain.name(0), std::to_string(kNodes - 1));
  EXPECT_EQ(chain.longest_path(), kNodes - 1);
  EXPECT_EQ(chain.depth(kNodes - 1), kNodes - 1);
  EXPECT_EQ(chain.ancestors(kNodes - 1).size(), static_cast<std::size_t>(kNodes - 1));
  EXPECT_EQ(chain.descendants(0).size(), static_cast<std::size_t>(kNodes - 1));
  EXPECT_EQ(chain.leaves_below(0), std::vector<NodeId>{kNodes - 1});
  EXPECT_TRUE(chain.is_ancestor(0, kNodes - 1));
  EXPECT_EQ(chain.lowest_common_ancestor(kNodes - 1, 1234), 1234);
  const std::vector<NodeId> all(chain.internal_nodes().begin(), chain.internal_nodes().end());
  EXPECT_EQ(chain.with_miscellaneous_leaves(all).size(), 2 * kNodes - 1);
}

TEST(TaxonomySize, AChainWithShortcutsOf200000NodesDoesNotRecurse) {
  TaxonomyBuilder builder;
  for (NodeId k = 0; k < kNodes; ++k) builder.node(std::to_string(k));
  for (NodeId k = 1; k < kNodes; ++k) {
    builder.edge(k - 1, k);
    if (k > 1) builder.edge(k - 2, k);
  }
  const Taxonomy dag = builder.build();
  EXPECT_EQ(dag.depth(kNodes - 1), kNodes - 1);
  EXPECT_EQ(dag.shortest_depth(kNodes - 1), kNodes / 2);
  EXPECT_EQ(dag.ancestors(kNodes - 1).size(), static_cast<std::size_t>(kNodes - 1));
  EXPECT_EQ(dag.descendants(0).size(), static_cast<std::size_t>(kNodes - 1));
  EXPECT_TRUE(dag.is_ancestor(0, kNodes - 1));
  EXPECT_EQ(dag.lowest_common_ancestors(kNodes - 1, kNodes - 2), std::vector<NodeId>{kNodes - 2});
}

TEST(TaxonomySize, AStarOf200000Nodes) {
  TaxonomyBuilder builder;
  for (NodeId k = 1; k < kNodes; ++k) builder.edge("hub", std::to_string(k));
  const Taxonomy star = builder.build();
  EXPECT_EQ(star.leaves().size(), static_cast<std::size_t>(kNodes - 1));
  EXPECT_EQ(star.siblings(5).size(), static_cast<std::size_t>(kNodes - 2));
  EXPECT_EQ(star.lowest_common_ancestor(5, kNodes - 1), 0);
}

}  // namespace
}  // namespace clade::testing
