#include "select/recursive/start.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace clade {

std::vector<std::size_t> solving_order(const Problem& problem, bool as_published) {
  std::vector<std::size_t> order(problem.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!as_published) return order;
  const Taxonomy& taxonomy = problem.data().taxonomy();
  std::vector<NodeId> nodes(static_cast<std::size_t>(taxonomy.size()));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeId a, NodeId b) { return taxonomy.input_position(a) < taxonomy.input_position(b); });
  std::vector<Index> first_named(static_cast<std::size_t>(taxonomy.size()), -1);
  Index named = 0;
  for (const NodeId node : nodes) {
    for (const NodeId parent : taxonomy.parents(node)) {
      Index& place = first_named[static_cast<std::size_t>(parent)];
      if (place < 0) place = named++;
    }
  }
  const auto place = [&](std::size_t i) {
    const NodeId node = problem.node(i).table->node;
    return i == 0 ? Index{-1} : first_named[static_cast<std::size_t>(node)];
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  return order;
}

Weights make_start(const Problem& problem, Start start, std::uint64_t seed, const std::vector<std::size_t>& order,
                   bool root_first) {
  Weights w(problem.size(), Matrix::Ones(problem.features(), problem.width()));
  if (start == Start::kOnes) return w;
  std::minstd_rand0 generator(static_cast<std::minstd_rand0::result_type>(seed));
  const auto draw = [&](std::size_t i) {
    for (Index c = 0; c < w[i].cols(); ++c) {
      for (Index r = 0; r < w[i].rows(); ++r) w[i](r, c) = static_cast<double>(generator()) / 2147483647.0;
    }
  };
  if (root_first) draw(0);
  for (const std::size_t i : order) {
    if (i != 0) draw(i);
  }
  if (!root_first) draw(0);
  return w;
}

}  // namespace clade
