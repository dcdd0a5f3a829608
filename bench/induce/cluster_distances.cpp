// Clusters given distances: the part of `clade learn-taxonomy` that corresponds to scipy's linkage().
//
// Usage: cluster_distances FILE OBJECTS
//
// FILE holds OBJECTS (OBJECTS - 1) / 2 doubles, condensed. Prints, for every linkage, the CPU seconds and the sum of
// all merge distances, which shows the caller whether another program found the same.
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

#include "induce/linkage.h"

namespace {

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const clade::Index objects = std::strtoll(argv[2], nullptr, 10);
  clade::Context ctx({.threads = 1});
  constexpr std::pair<clade::Linkage, const char*> kLinkages[] = {{clade::Linkage::kAverage, "average"},
                                                                  {clade::Linkage::kComplete, "complete"},
                                                                  {clade::Linkage::kSingle, "single"}};
  for (const auto& [linkage, name] : kLinkages) {
    clade::CondensedDistances distances(objects);
    std::ifstream file(argv[1], std::ios::binary);
    const auto bytes = clade::CondensedDistances::count(objects) * static_cast<clade::Index>(sizeof(double));
    if (!file.read(reinterpret_cast<char*>(distances.data()), bytes)) return 1;
    const double start = cpu_seconds();
    const auto merges = clade::agglomerate(std::move(distances), linkage, ctx);
    const double seconds = cpu_seconds() - start;
    double sum = 0;
    for (const clade::Merge& merge : merges) sum += merge.distance;
    fmt::print("{} {:.4f} {:.17g}\n", name, seconds, sum);
  }
}
