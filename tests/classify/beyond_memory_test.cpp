#include <gtest/gtest.h>

#include <limits>

#include "classify/trained_models.h"
#include "core/large_memory.h"

// Learners that need no copy of their samples, with memory for one and without.
namespace clade {
namespace {

using testing::full_weights;
using testing::trained;

class BeyondMemory : public ::testing::Test {
 protected:
  void TearDown() override { set_memory_limit(std::numeric_limits<double>::infinity()); }
};

void expect_same(const ModelBody& a, const ModelBody& b, const std::string& name) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size()) << name;
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    EXPECT_EQ(full_weights(a.nodes[k].linear, a.features), full_weights(b.nodes[k].linear, b.features)) << name;
    EXPECT_TRUE(std::ranges::equal(a.nodes[k].linear.bias, b.nodes[k].linear.bias)) << name;
  }
  EXPECT_EQ(a.summary, b.summary) << name;
}

TEST_F(BeyondMemory, TheSameModels) {
  const std::vector<testing::Method> methods{{"top-down-svm", {}},
                                             {"top-down-svm", {{"scale", "unit"}, {"loss", "squared-hinge"}}},
                                             {"hierarchical-perceptron", {{"epochs", "3"}}},
                                             {"hierarchical-perceptron", {{"epochs", "3"}, {"bias", "1"}}},
                                             {"flat-perceptron", {{"epochs", "3"}, {"variant", "online"}}},
                                             {"hieron", {{"epochs", "3"}}},
                                             {"hieron", {{"epochs", "3"}, {"scale", "standard"}}}};
  for (const bool is_large : {false, true}) {
    for (const bool is_sparse : {false, true}) {
      const Dataset data = random_dataset({.samples = is_large ? 150 : 60,
                                           .features = is_large ? 260 : 12,
                                           .nodes = is_large ? 300 : 11,
                                           .several_labels = is_sparse,
                                           .sparse = is_sparse,
                                           .density = is_sparse ? 0.3 : 1,
                                           .seed = 3});
      for (const testing::Method& method : methods) {
        if (is_sparse && method.name == "hieron" && method.parameters.contains("scale")) continue;
        const std::string name = method.name + (is_large ? ", large" : "") + (is_sparse ? ", sparse" : "");
        const ModelBody expected = trained(data, method.name, method.parameters, 1);
        for (const int threads : {1, 3}) {
          set_memory_limit(1);
          const ModelBody found = trained(data, method.name, method.parameters, threads);
          set_memory_limit(std::numeric_limits<double>::infinity());
          expect_same(found, expected, name);
        }
      }
    }
  }
}

}  // namespace
}  // namespace clade
