#pragma once

#include <clade/learn.h>

#include <string>
#include <utility>
#include <vector>

#include "io/input.h"

namespace clade {

// The file that tells how the classes of a learnt taxonomy were joined (docs/learn-taxonomy.md).
struct DendrogramFile {
  std::string method;
  Dendrogram dendrogram;
  std::vector<ClassCluster> clusters;
};

// Throws Error (kInput) unless the merges join all classes, each part once, at distances that never fall.
DendrogramFile parse_dendrogram(const Input& input);

}  // namespace clade
