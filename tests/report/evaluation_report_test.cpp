#include "report/evaluation_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evaluate/random_outcomes.h"

namespace clade {
namespace {

using nlohmann::json;
using testing::random_case;

json document_of(const Evaluation& evaluation, const Taxonomy& taxonomy) {
  return json::parse(evaluation_json(evaluation, taxonomy, false));
}

TEST(EvaluationReport, JsonHasTheValuesOfEveryFold) {
  RandomStream random(7, {kTestStream});
  const testing::Case c = random_case({.samples = 30}, random);
  Context ctx;
  std::vector<Index> folds;
  for (Index s = 0; s < c.data.samples(); ++s) folds.push_back(s % 3);
  const Evaluation evaluation = evaluate(c.data, c.predictions, {}, folds, ctx);
  const json document = document_of(evaluation, c.taxonomy);
  ASSERT_EQ(document["folds"].size(), 3U);
  for (const MeasureInfo& measure : measures()) {
    const std::string name(measure.name);
    if (document[name].is_null()) continue;
    double sum = 0;
    for (const json& fold : document["folds"]) sum += fold[name].get<double>();
    EXPECT_NEAR(document[name].get<double>(), sum / 3, 1e-12) << name;
  }
  Index samples = 0;
  for (const json& fold : document["folds"]) samples += fold["samples"].get<Index>();
  EXPECT_EQ(samples, evaluation.samples);
}

TEST(EvaluationReport, JsonNamesTheMethodOnlyWhereThereIsOne) {
  RandomStream random(8, {kTestStream});
  const testing::Case c = random_case({}, random);
  Context ctx;
  Evaluation evaluation = evaluate(c.data, c.predictions, {}, {}, ctx);
  for (const char* key : {"method", "parameters", "selection", "folds"}) {
    EXPECT_FALSE(document_of(evaluation, c.taxonomy).contains(key)) << key;
  }
  evaluation.method = {"top-down-svm", {{"c", "0.5"}, {"multiclass", "one-vs-one"}, {"balance", "true"}}};
  evaluation.selection = {"hier-fs", {{"lambda", "10"}, {"top", "10%"}}};
  const json document = document_of(evaluation, c.taxonomy);
  EXPECT_EQ(document["method"], "top-down-svm");
  EXPECT_EQ(document["parameters"], json({{"c", 0.5}, {"multiclass", "one-vs-one"}, {"balance", true}}));
  EXPECT_EQ(document["selection"], json({{"method", "hier-fs"}, {"parameters", {{"lambda", 10}, {"top", "10%"}}}}));
}

}  // namespace
}  // namespace clade
