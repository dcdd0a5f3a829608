#include <clade/predictions.h>

#include <filesystem>
#include <limits>

#include "core/random.h"
#include "io/lines.h"
#include "io/predictions/predictions.h"
#include "io/predictions/predictions_support.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using predictions_test::samples_of;

Taxonomy flat(const std::vector<std::string>& names) {
  return flat_taxonomy(names);
}

std::string written(const Predictions& predictions, const Dataset& data, int threads = 2) {
  Context ctx({.threads = threads});
  StringSink sink;
  write_predictions(predictions, data, sink, ctx);
  return sink.text();
}

void expect_same(const Predictions& a, const Predictions& b) {
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.scores, b.scores);
}

TEST(PredictionsWrite, EveryByte) {
  const Dataset data = samples_of(flat({"a", "b,c", "say \"d\""}), 2, {"x", " y\n"});
  const Predictions predictions{.offsets = {0, 3, 4}, .labels = {3, 1, 2, 1}, .scores = {0.1, 1e-300, -2, 1e22}};
  EXPECT_EQ(written(predictions, data),
            "sample,rank,label,score\nx,1,\"say \"\"d\"\"\",0.1\nx,2,a,1e-300\nx,3,\"b,c\",-2\n\" y\n\",1,a,1e+22\n");
}

double random_score(RandomStream& random) {
  switch (random.below(5)) {
    case 0:
      return 0;
    case 1:
      return random.normal() * 1e300;
    case 2:
      return random.normal() * 1e-310;
    default:
      return random.normal();
  }
}

std::string odd_name(RandomStream& random, Index serial) {
  constexpr std::string_view kLetters = ",\"\n\r\t ;ab0'#\xC3\xA9";
  std::string name;
  for (Index k = random.below(5); k > 0; --k) {
    const auto at = static_cast<std::size_t>(random.below(static_cast<Index>(kLetters.size()) - 1));
    name += at + 2 < kLetters.size() ? kLetters.substr(at, 1) : kLetters.substr(kLetters.size() - 2);
  }
  const std::string number = std::to_string(serial);
  return random.below(2) == 0 ? name + number : number + name;
}

TEST(PredictionsWrite, ReadsBackTheSame) {
  RandomStream random(5, {kTestStream});
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::vector<std::string> classes;
    for (Index k = 0; k < 8; ++k) classes.push_back(odd_name(random, 1000 + k));
    const Taxonomy taxonomy = flat(classes);
    const Index samples = random.below(30);
    std::vector<std::string> names;
    for (Index s = 0; repeat % 2 == 0 && s < samples; ++s) names.push_back(odd_name(random, 1000 + s));
    const Dataset data = samples_of(taxonomy, samples, names);
    Predictions predictions;
    for (Index s = 0; s < samples; ++s) {
      std::vector<double> scores(static_cast<std::size_t>(1 + random.below(5)));
      for (double& score : scores) score = random_score(random);
      std::sort(scores.rbegin(), scores.rend());
      for (std::size_t k = 0; k < scores.size(); ++k) {
        predictions.labels.push_back(static_cast<NodeId>((static_cast<std::size_t>(s) + k) % 9));
        predictions.scores.push_back(scores[k]);
      }
      predictions.offsets.push_back(static_cast<Index>(predictions.labels.size()));
    }
    const std::string text = written(predictions, data, 1);
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(written(predictions, data, threads), text);
      Context ctx({.threads = threads});
      expect_same(parse_predictions(Input::from_bytes("in", text), data, ctx), predictions);
    }
  }
}

TEST(PredictionsWrite, ManySamplesInFilesPlainAndCompressed) {
  constexpr Index kSamples = 150000;  // more than one batch of chunks
  const Dataset whole = samples_of(flat({"a", "b"}), kSamples + 5);
  std::vector<Index> kept;
  Predictions predictions;
  for (Index s = 0; s < kSamples; ++s) {
    kept.push_back(kSamples + 4 - s);
    predictions.labels.push_back(static_cast<NodeId>(s % 3));
    predictions.scores.push_back(static_cast<double>(s) / 7);
    predictions.offsets.push_back(s + 1);
  }
  const Dataset data = whole.subset(kept);
  const TemporaryFolder folder;
  Context ctx({.threads = 2});
  for (const char* name : {"p.csv", "p.csv.gz", "p.csv.xz", "p.csv.zst", "p.csv.bz2"}) {
    write_predictions(predictions, data, folder.file(name), false, ctx);
    expect_same(read_predictions(folder.file(name), data, ctx), predictions);
  }
  EXPECT_LT(std::filesystem::file_size(folder.file("p.csv.gz")), std::filesystem::file_size(folder.file("p.csv")));
}

TEST(PredictionsWrite, AFileThatExistsIsKeptUnlessAsked) {
  const Dataset data = samples_of(flat({"a"}), 1);
  const Predictions predictions{.offsets = {0, 1}, .labels = {1}, .scores = {1}};
  const TemporaryFolder folder;
  Context ctx({.threads = 1});
  const std::string path = folder.write("p.csv", "before");
  EXPECT_THROW(write_predictions(predictions, data, path, false, ctx), Error);
  EXPECT_EQ(std::filesystem::file_size(path), 6U);
  write_predictions(predictions, data, path, true, ctx);
  expect_same(read_predictions(path, data, ctx), predictions);
}

TEST(PredictionsWrite, WhatCouldNotBeReadBackIsRefusedAndLeavesNoFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const Predictions& predictions, const Dataset& data, std::string_view piece) {
    Context ctx({.threads = 2});
    try {
      write_predictions(predictions, data, folder.file("p.csv"), false, ctx);
      ADD_FAILURE() << "nothing was thrown: " << piece;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput);
      EXPECT_THAT(error.what(), ::testing::HasSubstr(piece));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  };
  const Predictions two{.offsets = {0, 1, 2}, .labels = {1, 1}, .scores = {1, 1}};
  const Dataset data = samples_of(flat({"a"}), 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  refused({.offsets = {0, 1, 1}, .labels = {1}, .scores = {1}}, data, "sample '1' has no label");
  refused({.offsets = {0, 1, 3}, .labels = {1, 1, 1}, .scores = {1, 1, 1}}, data, "sample '1' has a label twice");
  refused({.offsets = {0, 1, 3}, .labels = {1, 1, 0}, .scores = {1, 1, 2}}, data, "sample '1' has a score that rises");
  refused({.offsets = {0, 1, 2}, .labels = {1, 1}, .scores = {1, nan}}, data, "a score that is not finite");
  refused({.offsets = {0, 1, 2}, .labels = {1, 1}, .scores = {infinity, 1}}, data, "a score that is not finite");
  refused(two, samples_of(flat({"a"}), 2, {"x", "x"}), "sample 'x' is in the data more than once");
  refused(two, samples_of(flat({"a"}), 2, {"x", "caf\xE9"}), "name 'caf\\xe9'");
  refused(two, samples_of(flat({std::string("a\0b", 3)}), 2), "name 'a\\x00b'");
}

}  // namespace
}  // namespace clade
