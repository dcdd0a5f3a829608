// The grid of cells against loops over everything that makes up one.

#include <gmock/gmock.h>

#include <set>
#include <tuple>

#include "experiment/specification.h"
#include "temporary_folder.h"

namespace clade {
namespace {

Experiment grid() {
  const TemporaryFolder folder;
  folder.write("a.csv", "x,label\n1,p\n2,q\n");
  const std::string path = folder.file("study.toml");
  return parse_experiment(parse_toml(R"(
[[data]]
name = "a"
file = "a.csv"
per-class = [1, 3]
repeats = 2
[[data]]
name = "b"
file = "a.csv"
folds = 2
repeats = 3
[[taxonomy]]
name = "given"
kind = "given"
[[taxonomy]]
name = "random"
kind = "random"
draws = 4
[[recipe]]
name = "svm"
classifier = "top-down-svm"
parameters = { c = [0.1, 1], loss = ["hinge", "squared-hinge"] }
[[recipe]]
name = "online"
classifier = "hierarchical-perceptron"
orders = 5
data = "b"
taxonomies = "given"
[[recipe]]
name = "tuned"
classifier = "top-down-svm"
tune = { parameters = { c = [1, 2, 3] } }
)",
                                     path),
                          path, 1);
}

TEST(Cells, EveryCombinationIsThereOnce) {
  const Experiment experiment = grid();
  using Cell = std::tuple<Index, Index, Index, Index, Index, Index, Index, Index>;
  std::set<Cell> expected;
  const int draws[] = {1, 4};
  const int variants[] = {4, 1, 1};
  for (Index d = 0; d < 2; ++d) {
    for (const Index k : d == 0 ? std::vector<Index>{1, 3} : std::vector<Index>{0}) {
      for (Index repeat = 0; repeat < (d == 0 ? 2 : 3); ++repeat) {
        for (Index t = 0; t < 2; ++t) {
          for (Index draw = 0; draw < draws[t]; ++draw) {
            for (Index r = 0; r < 3; ++r) {
              if (r == 1 && (d == 0 || t == 1)) continue;
              for (Index v = 0; v < variants[r]; ++v) {
                for (Index order = 0; order < (r == 1 ? 5 : 1); ++order)
                  expected.emplace(d, k, repeat, t, draw, r, v, order);
              }
            }
          }
        }
      }
    }
  }
  std::set<Cell> found;
  for (const ExperimentCell& c : experiment.cells) {
    found.emplace(c.data, c.per_class, c.repeat, c.taxonomy, c.draw, c.recipe, c.variant, c.order);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(experiment.cells.size(), expected.size());
}

TEST(Cells, NamesTellThemApart) {
  const Experiment experiment = grid();
  std::set<std::string> names;
  for (const ExperimentCell& cell : experiment.cells) names.insert(experiment.cell_name(cell));
  EXPECT_EQ(names.size(), experiment.cells.size());
  EXPECT_EQ(experiment.data_name(experiment.cells.front()), "a k=1");
  EXPECT_EQ(experiment.method_name(experiment.cells.front()), "svm c=0.1 loss=hinge @given");
}

TEST(Cells, TuningIsNoGrid) {
  const Experiment experiment = grid();
  ASSERT_EQ(experiment.recipes[2].variants.size(), 1U);
  EXPECT_THAT(experiment.recipes[2].variants[0].candidate_parameters, ::testing::ElementsAre("c=1", "c=2", "c=3"));
}

}  // namespace
}  // namespace clade
