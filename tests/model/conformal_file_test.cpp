#include <clade/train.h>
#include <gtest/gtest.h>

#include "classify/conformal.h"
#include "data/random_data.h"
#include "model/model_check.h"
#include "model/model_file.h"
#include "temporary_folder.h"

namespace clade {
namespace {

ModelBody calibrated_model(int k, bool by_class) {
  RandomDataOptions options;
  options.samples = 60;
  options.dag = k % 2 == 1;
  options.several_labels = k >= 2;
  options.seed = static_cast<std::uint64_t>(k) + 1;
  Context ctx({.threads = 2});
  Recipe recipe;
  recipe.classifier = "prior";
  ConformalOptions conformal;
  conformal.way = k % 2 == 0 ? ConformalOptions::Way::kSplit : ConformalOptions::Way::kCross;
  conformal.by_class = by_class;
  return train_conformal(random_dataset(options), recipe, conformal, {}, ctx).body();
}

TEST(ConformalFile, HoldsAllOfIt) {
  for (int k = 0; k < 4; ++k) {
    for (const bool by_class : {false, true}) {
      if (by_class && k >= 2) continue;  // several labels
      const ModelBody model = calibrated_model(k, by_class);
      const TemporaryFolder folder;
      write_model(model, folder.file("m.clade"), false);
      const ModelBody read = read_model_body(folder.file("m.clade"));
      const ConformalScores& found = *read.conformal;
      const ConformalScores& expected = *model.conformal;
      EXPECT_EQ(found.way, expected.way);
      EXPECT_EQ(found.samples, k % 2 == 0 ? 12 : 60);
      EXPECT_EQ(found.samples, expected.samples);
      EXPECT_EQ(found.has_several_labels, k >= 2);
      EXPECT_EQ(found.by_class(), by_class);
      EXPECT_EQ(found.complete, expected.complete);
      EXPECT_EQ(found.correct, expected.correct);
      EXPECT_EQ(found.own_share, expected.own_share);
      EXPECT_EQ(found.own, expected.own);
      EXPECT_EQ(found.classes, expected.classes);
      EXPECT_EQ(found.class_offsets, expected.class_offsets);
    }
  }
}

// Whatever a forged file says, answers stay within its arrays.
TEST(ConformalFile, ForgedScoresAreRefused) {
  for (const bool by_class : {false, true}) {
    const ModelBody model = calibrated_model(0, by_class);
    check_model(model, {});
    const auto expect_refused = [&](const auto& forge) {
      auto scores = std::make_shared<ConformalScores>(*model.conformal);
      forge(*scores);
      ModelBody forged = model;
      forged.conformal = scores;
      EXPECT_THROW(check_model(forged, {}), Error);
    };
    expect_refused([](ConformalScores& s) { s.own_share.push_back(0); });
    expect_refused([](ConformalScores& s) { s.samples = 0; });
    expect_refused([](ConformalScores& s) { s.samples += 1; });
    expect_refused([](ConformalScores& s) { s.samples = std::numeric_limits<Index>::max(); });
    expect_refused([](ConformalScores& s) { s.complete.push_back(0); });
    expect_refused([](ConformalScores& s) { s.correct.push_back(0); });
    expect_refused([](ConformalScores& s) { s.own.push_back(0); });
    if (by_class) {
      expect_refused([](ConformalScores& s) { s.has_several_labels = true; });
      expect_refused([](ConformalScores& s) { s.classes.back() = 1 << 20; });
      expect_refused([](ConformalScores& s) { s.classes[0] = -1; });
      expect_refused([](ConformalScores& s) { s.classes[0] = s.classes[1]; });
      expect_refused([](ConformalScores& s) { s.class_offsets[0] = -1; });
      expect_refused([](ConformalScores& s) { s.class_offsets.back() += 1; });
      expect_refused([](ConformalScores& s) { s.class_offsets.pop_back(); });
      expect_refused([](ConformalScores& s) { s.class_offsets[1] = 1 << 20; });
      expect_refused([](ConformalScores& s) { s.own[0] = std::numeric_limits<float>::quiet_NaN(); });
      expect_refused([](ConformalScores& s) { s.own.back() = 2; });
    } else {
      expect_refused([](ConformalScores& s) { s.complete.pop_back(); });
      expect_refused([](ConformalScores& s) { s.complete[0] = std::numeric_limits<float>::quiet_NaN(); });
      expect_refused([](ConformalScores& s) { s.complete.back() = 2; });
      expect_refused([](ConformalScores& s) { s.complete.back() = -1; });
      expect_refused([](ConformalScores& s) { s.correct[0] = 1; });
      expect_refused([](ConformalScores& s) { s.class_offsets = {0}; });
    }
  }
}

}  // namespace
}  // namespace clade
