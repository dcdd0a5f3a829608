// Which feature selection is best? Cross-validates three selectors on several generated data sets, selecting inside
// each fold, then ranks them and tests the difference.
//
//   g++ -std=c++20 select_compare.cpp $(pkg-config --cflags --libs clade) -o select_compare
//   ./select_compare

#include <clade/clade.h>

#include <cstdio>

int main() {
  try {
    const std::vector<std::string> methods = {"hier-fisher", "hirr-fam", "hier-mrmr"};
    std::vector<double> scores;  // data sets x methods
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
      clade::Context ctx({.seed = seed});
      const clade::Dataset data = clade::synthetic_data({.features = 30, .samples = 200, .single_label = true}, ctx);
      const std::vector<int> dealt = clade::stratified_folds(data, 5, seed);
      const std::vector<clade::Index> folds(dealt.begin(), dealt.end());
      for (const std::string& method : methods) {
        const clade::Recipe recipe{.classifier = "top-down-svm", .select = {.method = method}, .top = 10};
        const clade::Evaluation result = clade::evaluate(data, recipe, folds, {}, {}, {}, ctx);
        scores.push_back(*result.value("hierarchical_f1"));
      }
    }
    clade::Context ctx;
    const clade::Dataset data = clade::synthetic_data({.features = 30}, ctx);
    const clade::FeatureRanking ranking = clade::select(data, {.method = "hirr-fam", .top = 3}, ctx);
    for (const clade::NodeRanking& node : ranking.nodes) {
      if (node.node == 0)
        std::printf("best at the root: %d, %d, %d\n", node.ranking[0], node.ranking[1], node.ranking[2]);
    }
    const clade::Comparison comparison = clade::compare_methods(scores, 3, {}, ctx);
    for (const clade::Index m : comparison.order) {
      const auto at = static_cast<std::size_t>(m);
      std::printf("%s: average rank %.2f\n", methods[at].c_str(), comparison.ranks.average[at]);
    }
    std::printf("Friedman: p = %.4f\n", comparison.friedman.p);
  } catch (const clade::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
