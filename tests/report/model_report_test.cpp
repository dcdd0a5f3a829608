#include "report/model_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/random_model.h"

namespace clade {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Index weights_of(const NodeClassifier& node) {
  return std::visit([](auto values) { return static_cast<Index>(values.size()); }, node.linear.weights);
}

Model handle_of(const ModelBody& body) {
  return Model(std::make_shared<const ModelBody>(body));
}

nlohmann::json document_of(const ModelBody& body, Index file_bytes) {
  return nlohmann::json::parse(model_json(handle_of(body), file_bytes));
}

TEST(ModelReport, JsonSaysWhatTheModelHolds) {
  const ModelBody model = random_model({.seed = 4, .nodes = 60, .miscellaneous = true, .vectorizer = true});
  const nlohmann::json report = document_of(model, 4711);
  EXPECT_EQ(report["classifier"], "top-down-svm");
  EXPECT_EQ(report["parameters"]["C"], "0.5");
  EXPECT_EQ(report["summary"]["support vectors"], "77");
  EXPECT_EQ(report["file_bytes"], 4711);
  EXPECT_EQ(report["samples"], 1234);
  EXPECT_EQ(report["features"], model.features);
  EXPECT_EQ(report["vectorizer"], true);
  EXPECT_EQ(report["taxonomy"]["nodes"], model.taxonomy->size());
  EXPECT_EQ(report["taxonomy"]["leaves"], model.taxonomy->leaves().size());
  EXPECT_EQ(report["taxonomy"]["miscellaneous_leaves"], 2);
  EXPECT_EQ(report["trained_nodes"], model.nodes.size());
  Index total = 0;
  for (const NodeClassifier& node : model.nodes) total += weights_of(node);
  EXPECT_EQ(report["weights"], total);
}

TEST(ModelReport, TheLargestNodesComeFirst) {
  const ModelBody model = random_model({.seed = 6, .nodes = 80});
  const nlohmann::json nodes = document_of(model, 1)["largest_nodes"];
  ASSERT_EQ(nodes.size(), 10U);
  for (std::size_t k = 1; k < nodes.size(); ++k) EXPECT_GE(nodes[k - 1]["weights"], nodes[k]["weights"]);
  Index larger = 0;  // than the last one listed
  for (const NodeClassifier& node : model.nodes) larger += weights_of(node) > nodes[9]["weights"] ? 1 : 0;
  EXPECT_LT(larger, 10);
}

TEST(ModelReport, TextSaysWhatTheModelHolds) {
  const std::string text = model_text(handle_of(random_model({.seed = 4, .calibration = true})), "m.clade", 2'345'678);
  for (const char* part : {"m.clade (model)\n", "classifier  top-down-svm\n", "tree, 12 nodes", "features    20\n",
                           "1,234 samples of several labels in 0.1 s", "floats", "2.3 MB", "parameters\n", "0.5",
                           "support vectors", "nodes with most weights", "nodes calibrated"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("miscellaneous")));
}

}  // namespace
}  // namespace clade
