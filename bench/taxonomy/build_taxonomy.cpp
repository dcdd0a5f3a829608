// How long does a taxonomy of 500,000 nodes take to build, and how much memory does it keep?
//
//   build_taxonomy [nodes]
//
// Three shapes: a random tree, a DAG in which every node has 5 parents, and a chain. Prints the CPU seconds of filling
// the builder (names and edges, as a reader does) and of build(), and the bytes that the taxonomy keeps per node and
// edge.
#include <clade/taxonomy.h>
#include <fmt/core.h>
#include <malloc.h>

#include <cstdlib>
#include <ctime>

#include "../ratio.h"
#include "core/random.h"

namespace {

using clade::NodeId;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double allocated_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

clade::TaxonomyBuilder fill(NodeId nodes, int parents, bool chain) {
  clade::TaxonomyBuilder builder;
  builder.merge_repeated_edges(true);
  clade::RandomStream random(1);
  for (NodeId k = 0; k < nodes; ++k) builder.node("class " + std::to_string(k));
  for (NodeId k = 1; k < nodes; ++k) {
    for (int p = 0; p < parents; ++p) builder.edge(chain ? k - 1 : static_cast<NodeId>(random.below(k)), k);
  }
  return builder;
}

void measure(const char* shape, NodeId nodes, int parents, bool chain) {
  const double start = cpu_seconds();
  clade::TaxonomyBuilder builder = fill(nodes, parents, chain);
  const double filled = cpu_seconds();
  const double before = allocated_bytes();
  const clade::Taxonomy taxonomy = builder.build();
  const double built = cpu_seconds();
  const double size = static_cast<double>(taxonomy.size()) + static_cast<double>(taxonomy.edges());
  bench::record({.question = "taxonomy",
                 .contender = "build",
                 .baseline = "naming nodes and edges",
                 .data = fmt::format("{}, {} nodes", shape, nodes),
                 .measure = "processor seconds",
                 .rounds = {(built - filled) / (filled - start)}});
  fmt::print(
      "{:6} {:9} nodes {:9} edges   fill {:.2f} s  build {:.2f} s  total {:.2f} s CPU   {:.0f} bytes per node + edge\n",
      shape, taxonomy.size(), taxonomy.edges(), filled - start, built - filled, built - start,
      (allocated_bytes() - before) / size);
}

}  // namespace

int main(int argc, char** argv) {
  const auto nodes = static_cast<NodeId>(argc > 1 ? std::strtol(argv[1], nullptr, 10) : 500'000);
  measure("tree", nodes, 1, false);
  measure("dag", nodes, 5, false);
  measure("chain", nodes, 1, true);
  return 0;
}
