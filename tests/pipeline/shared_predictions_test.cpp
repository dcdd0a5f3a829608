// Predictions that several processes share are those of one, whatever the model.

#include <clade/evaluate.h>
#include <clade/io.h>
#include <clade/methods.h>
#include <clade/model.h>
#include <clade/predict.h>
#include <clade/train.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "comm/local_team.h"
#include "data/random_data.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using Work = std::function<void(Context&, bool leads)>;

void in_team(int size, const Work& work) {
  LocalTeam(size).run([&](Team& team) {
    Context ctx({.threads = 1 + team.rank() % 2, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
    work(ctx, team.leads());
  });
}

struct Case {
  std::string name;
  Dataset data;
  Model model;
};

// A model of every classifier that takes the data: with one label per sample, with several, and with some at inner
// nodes.
std::vector<Case> cases() {
  std::vector<Case> found;
  Context ctx({.threads = 2});
  for (const std::string labels : {"one label", "several labels", "inner labels"}) {
    const bool several = labels == "several labels";
    RandomDataOptions options;
    options.samples = 700;  // several ranges
    options.sparse = several;
    options.several_labels = several;
    options.inner_labels = labels == "inner labels";
    options.seed = several ? 2 : 1;
    const Dataset data = random_dataset(options);
    for (const MethodInfo& method : classifiers()) {
      Recipe recipe;
      recipe.classifier = method.name;
      try {
        found.push_back({std::string(method.name) + ", " + labels, data, train(data, recipe, {}, ctx)});
      } catch (const Error&) {
        // Not every one takes several labels.
      }
    }
  }
  return found;
}

TEST(SharedPredictions, AreMeasuredAsThoseOfOneProcess) {
  int measured = 0;
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    EvaluateOptions options;
    options.keep_samples = true;
    Context alone({.threads = 2});
    const Evaluation expected = evaluate(one.model, one.data, options, {}, {}, alone);
    for (const int size : {2, 5}) {
      in_team(size, [&](Context& ctx, bool leads) {
        const Evaluation found = evaluate(one.model, one.data, options, {}, {}, ctx);
        EXPECT_EQ(found.samples, leads ? expected.samples : 0);
        if (!leads) return;
        EXPECT_EQ(found.values, expected.values);
        EXPECT_EQ(found.judged->predicted.nodes, expected.judged->predicted.nodes);
        EXPECT_EQ(found.judged->score, expected.judged->score);
        EXPECT_EQ(found.notes, expected.notes);
      });
    }
    ++measured;
  }
  EXPECT_GT(measured, 30);
}

// Where finished pieces are kept, as `clade train --test` keeps them: the folder knows nothing of the data to measure.
Evaluation measured(const Model& model, const Dataset& data, const std::string& folder) {
  Evaluation result;
  LocalTeam(1).run([&](Team& team) {
    team.keep_work(std::make_unique<WorkFolder>(folder, true, WorkFolder::Facts{}, true));
    Context ctx({.threads = 2, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
    result = evaluate(model, data, {}, {}, {}, ctx);
  });
  return result;
}

struct KeptCase {
  Dataset data;
  Model model;
};

KeptCase kept_case(Index samples, std::uint64_t seed) {
  RandomDataOptions options;
  options.samples = samples;
  options.seed = seed;
  Dataset data = random_dataset(options);
  Recipe recipe;
  recipe.classifier = "top-down-svm";
  Context ctx({.threads = 2});
  Model model = train(data, recipe, {}, ctx);
  return {std::move(data), std::move(model)};
}

TEST(SharedPredictions, AreNotThoseKeptOfOtherDataOrAnotherModel) {
  const TemporaryFolder folder;
  const KeptCase one = kept_case(600, 1);
  const KeptCase other = kept_case(600, 2);
  Context alone({.threads = 2});
  const Evaluation first = evaluate(one.model, one.data, {}, {}, {}, alone);
  EXPECT_EQ(measured(one.model, one.data, folder.file("work")).values, first.values);
  EXPECT_EQ(measured(one.model, one.data, folder.file("work")).values, first.values);
  const std::vector<Dataset> others = {one.data.subset({5, 3, 4, 1}), one.data.subset(std::vector<Index>(600, 7))};
  for (const Dataset& data : others) {
    EXPECT_EQ(measured(one.model, data, folder.file("work")).values,
              evaluate(one.model, data, {}, {}, {}, alone).values);
  }
  EXPECT_EQ(measured(other.model, one.data, folder.file("work")).values,
            evaluate(other.model, one.data, {}, {}, {}, alone).values);
}

TEST(SharedPredictions, TakesNoPieceOfAnotherLength) {
  const TemporaryFolder folder;
  const KeptCase one = kept_case(600, 1);
  measured(one.model, one.data, folder.file("work"));
  const WorkFolder work(folder.file("work"), true, {}, true);
  std::vector<std::string> jobs;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("work"))) {
    const std::string name = entry.path().filename().string();
    if (name.find("predictions") != std::string::npos) jobs.push_back(name.substr(0, name.find('.')));
  }
  ASSERT_FALSE(jobs.empty());
  // The pieces of the middle and of the end, of fewer samples, change places.
  const std::optional<std::string> middle = work.find(jobs[0], 1);
  const std::optional<std::string> end = work.find(jobs[0], 2);
  ASSERT_TRUE(middle && end);
  work.keep(jobs[0], 1, *end);
  work.keep(jobs[0], 2, *middle);
  EXPECT_THROW(measured(one.model, one.data, folder.file("work")), Error);
}

TEST(SharedPredictions, OfPartsHaveTheBytesOfOneProcess) {
  const TemporaryFolder folder;
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const std::string parts = folder.file("parts");
    std::filesystem::create_directory(parts);
    Context alone({.threads = 2});
    WriteOptions writing;
    writing.parts = 6;
    write_dataset(one.data, parts + "/p.svm", writing, alone);
    for (const bool has_nodes : {false, true}) {
      PredictFileOptions options;
      if (has_nodes) options.nodes_above = 0.1;
      std::string expected;
      options.write = [&](std::string_view text) { expected += text; };
      EXPECT_EQ(predict_file(one.model, parts, options, alone).samples, one.data.samples());
      in_team(3, [&](Context& ctx, bool leads) {
        PredictFileOptions own = options;
        std::string found;
        own.write = [&](std::string_view text) { found += text; };
        const PredictedFile done = predict_file(one.model, parts, own, ctx);
        EXPECT_EQ(done.samples, leads ? one.data.samples() : 0);
        EXPECT_TRUE(found == (leads ? expected : "")) << has_nodes;
      });
    }
    std::filesystem::remove_all(parts);
  }
}

// The answers have files of their own, which the leader takes one after the other.
TEST(SharedPredictions, OfPartsAreWrittenFromTheWorkFolder) {
  const TemporaryFolder folder;
  const KeptCase one = kept_case(600, 1);
  const std::string parts = folder.file("parts");
  std::filesystem::create_directory(parts);
  Context alone({.threads = 2});
  WriteOptions writing;
  writing.parts = 5;
  write_dataset(one.data, parts + "/p.npz", writing, alone);
  PredictFileOptions options;
  std::string expected;
  options.write = [&](std::string_view text) { expected += text; };
  predict_file(one.model, parts, options, alone);
  const auto found_by = [&](int size) {
    std::string found;
    LocalTeam(size).run([&](Team& team) {
      team.keep_work(std::make_unique<WorkFolder>(folder.file("work"), true, WorkFolder::Facts{}, team.leads()));
      Context ctx({.threads = 1, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
      PredictFileOptions own = options;
      own.write = [&](std::string_view text) { found += text; };
      EXPECT_EQ(predict_file(one.model, parts, own, ctx).samples, team.leads() ? 600 : 0);
    });
    return found;
  };
  EXPECT_EQ(found_by(3), expected);
  std::vector<std::filesystem::path> answers;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("work"))) {
    if (entry.path().filename().string().find("answers") != std::string::npos) answers.push_back(entry.path());
  }
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(found_by(1), expected);
  std::filesystem::remove(answers[0]);
  std::filesystem::resize_file(answers[1], 20);
  EXPECT_EQ(found_by(2), expected);
}

}  // namespace
}  // namespace clade
