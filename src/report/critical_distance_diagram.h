#pragma once

#include <string>
#include <vector>

namespace clade {

// The content of a critical-distance diagram (Demsar 2006, figures 1 and 2).
struct CriticalDistanceDiagram {
  enum class PostHoc { kNemenyi, kBonferroniDunn };

  std::string title;
  std::vector<std::string> methods;
  std::vector<double> average_ranks;
  PostHoc post_hoc = PostHoc::kNemenyi;
  double alpha = 0.05;
  double distance = 0;
  std::size_t control = 0;  // for Bonferroni-Dunn
};

// A group of methods (by position in ascending order of ranks) that Nemenyi's test does not tell apart: a maximal run
// of at least two whose ends are less than `distance` apart.
struct RankGroup {
  std::size_t first;
  std::size_t last;
};
std::vector<RankGroup> undistinguished_groups(const std::vector<double>& ascending_ranks, double distance);

// The diagram as SVG: an axis of average ranks with the best on the right, the critical distance as a length, a line
// from each method's rank to its name, and thick bars that mark groups not told apart (Nemenyi), or the ranks that do
// not differ from the control's (Bonferroni-Dunn). Self-contained, without scripts, as large as the names need.
std::string critical_distance_svg(const CriticalDistanceDiagram& diagram);

}  // namespace clade
