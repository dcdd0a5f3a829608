// Recipes are learnt as a whole: from the training samples alone, whatever is held out.

#include <clade/conformal.h>
#include <clade/data.h>
#include <clade/pipeline.h>
#include <clade/recipes.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "classify/local/calibration.h"
#include "classify/model_body.h"
#include "data/text/word_collection.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Document {
  std::string label;
  std::string text;
};

std::vector<Document> documents() {
  std::vector<Document> result;
  const std::vector<std::string> words = {"apple", "pear", "iron", "gold", "plum", "zinc", "both", "rare", "odd"};
  for (std::size_t d = 0; d < 60; ++d) {
    Document one{d % 2 == 0 ? "fruit" : "metal", ""};
    for (std::size_t k = 0; k < 4; ++k) one.text += words[(d * d + 3 * k + d % 2) % words.size()] + " ";
    if (d % 7 == 0) one.text += "only" + std::string(1, static_cast<char>('a' + d / 7));
    result.push_back(std::move(one));
  }
  return result;
}

std::string written(const TemporaryFolder& folder, const std::string& name, const std::vector<Document>& documents) {
  const std::string path = folder.file(name);
  std::ofstream file(path);
  for (const Document& d : documents) {
    file << "{\"doc_label\": \"" << d.label << "\", \"text\": \"" << d.text << "\"}\n";
  }
  return path;
}

TEST(WordCollection, WordsOfSomeSamplesAreThoseOfAFileWithThem) {
  const TemporaryFolder folder;
  const std::vector<Document> all = documents();
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    for (const Index min_documents : {Index{1}, Index{3}}) {
      ReadOptions options;
      options.precision = precision;
      options.text.min_document_frequency = min_documents;
      for (const int threads : {1, 3}) {
        Context ctx({.threads = threads});
        std::vector<Index> some;
        std::vector<Document> part;
        for (std::size_t d = 0; d < all.size(); d += 3) {
          some.push_back(static_cast<Index>(d));
          part.push_back(all[d]);
        }
        const LoadedData whole = read_dataset(written(folder, "all.jsonl", all), options, ctx);
        const LoadedData alone = read_dataset(written(folder, "part.jsonl", part), options, ctx);
        const Dataset learnt = with_words_of(whole.data, some, ctx);
        ASSERT_EQ(learnt.samples(), whole.data.samples());
        EXPECT_EQ(learnt.vectorizer()->words, alone.data.vectorizer()->words);
        EXPECT_EQ(learnt.vectorizer()->document_frequency, alone.data.vectorizer()->document_frequency);
        EXPECT_EQ(learnt.vectorizer()->documents, alone.data.vectorizer()->documents);
        for (std::size_t k = 0; k < some.size(); ++k) {
          std::vector<std::pair<FeatureIndex, double>> found;
          std::vector<std::pair<FeatureIndex, double>> expected;
          learnt.for_each_value(some[k], [&](FeatureIndex f, auto v) { found.emplace_back(f, v); });
          alone.data.for_each_value(static_cast<Index>(k),
                                    [&](FeatureIndex f, auto v) { expected.emplace_back(f, v); });
          EXPECT_EQ(found, expected);
        }
        // Once more, from a part of the part: the words that were left out are not lost.
        const Dataset again =
            with_words_of(with_words_of(whole.data, std::vector<Index>{0, 2, 4, 6, 8, 10, 12, 14}, ctx), some, ctx);
        EXPECT_EQ(again.vectorizer()->words, learnt.vectorizer()->words);
      }
    }
  }
}

TEST(WordCollection, AVocabularyFromElsewhereGivesWhatReadingWithItGives) {
  const TemporaryFolder folder;
  const std::vector<Document> all = documents();
  const std::vector<Document> first(all.begin(), all.begin() + 40);
  const std::vector<Document> others(all.begin() + 40, all.end());
  Context ctx;
  const LoadedData whole = read_dataset(written(folder, "all.jsonl", all), {}, ctx);
  const LoadedData train = read_dataset(written(folder, "train.jsonl", first), {}, ctx);
  ReadOptions with_words;
  with_words.vectorizer = train.data.vectorizer();
  const LoadedData test = read_dataset(written(folder, "test.jsonl", others), with_words, ctx);
  std::vector<Index> last;
  for (Index s = 40; s < std::ssize(all); ++s) last.push_back(s);
  const auto found = with_vocabulary(whole.data.subset(last), train.data.vectorizer(), ctx);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->vectorizer(), train.data.vectorizer());
  for (Index s = 0; s < found->samples(); ++s) {
    std::vector<std::pair<FeatureIndex, double>> own;
    std::vector<std::pair<FeatureIndex, double>> expected;
    found->for_each_value(s, [&](FeatureIndex f, auto v) { own.emplace_back(f, v); });
    test.data.for_each_value(s, [&](FeatureIndex f, auto v) { expected.emplace_back(f, v); });
    EXPECT_EQ(own, expected);
  }
  // Words that were counted in another way cannot be found in it, and numbers have none.
  ReadOptions stemmed;
  stemmed.text.stem = "english";
  EXPECT_FALSE(with_vocabulary(read_dataset(folder.file("all.jsonl"), stemmed, ctx), train.data.vectorizer(), ctx));
  ReadOptions without_words;
  without_words.keep_words = false;
  EXPECT_FALSE(
      with_vocabulary(read_dataset(folder.file("all.jsonl"), without_words, ctx), train.data.vectorizer(), ctx));
}

TEST(CrossValidation, IsTrainingOnTheOtherFoldsAlone) {
  const TemporaryFolder folder;
  const std::vector<Document> all = documents();
  Context ctx;
  const LoadedData whole = read_dataset(written(folder, "all.jsonl", all), {}, ctx);
  std::vector<Index> folds;
  for (std::size_t d = 0; d < all.size(); ++d) folds.push_back(static_cast<Index>(d * d % 7 % 3));
  const Recipe recipe{.classifier = "top-down-svm", .parameters = {{"calibrate", "sigmoid"}}};
  const CrossValidation found = cross_validate(whole, recipe, folds, {}, {}, ctx);
  ASSERT_EQ(found.predictions.samples(), std::ssize(all));
  EXPECT_EQ(found.fit_seconds.size(), 3U);
  for (Index fold = 0; fold < 3; ++fold) {
    std::vector<Document> train;
    std::vector<Document> test;
    std::vector<Index> numbers;
    for (std::size_t d = 0; d < all.size(); ++d) {
      (folds[d] == fold ? test : train).push_back(all[d]);
      if (folds[d] == fold) numbers.push_back(static_cast<Index>(d));
    }
    const Model model = clade::train(read_dataset(written(folder, "train.jsonl", train), {}, ctx), recipe, ctx);
    const LoadedData unseen = read_dataset(written(folder, "test.jsonl", test), reading_for(model), ctx);
    const Predictions expected = predict(model, unseen, {}, ctx);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const auto s = static_cast<Index>(k);
      EXPECT_EQ(whole.data.taxonomy().name(found.predictions.labels_of(numbers[k])[0]),
                model.taxonomy().name(expected.labels_of(s)[0]));
      EXPECT_EQ(found.predictions.scores_of(numbers[k])[0], expected.scores_of(s)[0]);
    }
  }
}

// One node with two children and a method without random numbers: the folds can be worked out by hand.
TEST(Calibration, LearnsTheWholeRecipeWithoutTheFold) {
  const TemporaryFolder folder;
  Context ctx;
  const LoadedData whole = read_dataset(written(folder, "all.jsonl", documents()), {}, ctx);
  constexpr int kFolds = 4;
  Recipe recipe{.classifier = "top-down-logistic",
                .parameters = {{"tolerance", 1e-10}, {"prune", 0}, {"weights", "double"}}};
  // Dealt in turn, class by class; the second class begins one later.
  const NodeId second = std::max(whole.data.labels(0)[0], whole.data.labels(1)[0]);
  std::vector<int> fold;
  int next[2] = {static_cast<int>(whole.data.labels(0)[0]) % kFolds,
                 static_cast<int>(whole.data.labels(1)[0]) % kFolds};
  if (whole.data.labels(0)[0] == second) std::swap(next[0], next[1]);
  for (Index s = 0; s < whole.data.samples(); ++s) {
    int& turn = next[whole.data.labels(s)[0] == second ? 1 : 0];
    fold.push_back(turn);
    turn = (turn + 1) % kFolds;
  }
  std::vector<std::vector<double>> scores(fold.size());
  std::vector<std::int32_t> label(fold.size());
  for (int left_out = 0; left_out < kFolds; ++left_out) {
    std::vector<Index> inside;
    std::vector<Index> folds;
    for (std::size_t s = 0; s < fold.size(); ++s) folds.push_back(fold[s] == left_out ? 0 : 1);
    for (std::size_t s = 0; s < fold.size(); ++s) {
      if (fold[s] != left_out) inside.push_back(static_cast<Index>(s));
    }
    const Dataset learnt = with_words_of(whole.data, inside, ctx);
    const Model model = clade::train(learnt.subset(inside), recipe, ctx);
    const NodeClassifier& node = model.body().nodes[0];
    for (std::size_t s = 0; s < fold.size(); ++s) {
      if (fold[s] != left_out) continue;
      std::vector<double> own(node.linear.bias.begin(), node.linear.bias.end());
      learnt.for_each_value(static_cast<Index>(s), [&](FeatureIndex f, auto value) {
        const auto at = std::ranges::lower_bound(node.linear.features, f);
        if (at == node.linear.features.end() || *at != f) return;
        const auto k = static_cast<std::size_t>(at - node.linear.features.begin());
        for (auto w = node.linear.offsets[k]; w < node.linear.offsets[k + 1]; ++w) {
          const auto output = std::visit([&](auto o) { return static_cast<std::size_t>(o[w]); }, node.linear.outputs);
          own[output] += static_cast<double>(value) * std::get<1>(node.linear.weights)[w];
        }
      });
      scores[s] = own;
      label[s] = node.children[0] == whole.data.labels(static_cast<Index>(s))[0] ? 0 : 1;
    }
  }
  recipe.parameters["calibrate"] = "temperature";
  recipe.parameters["calibration-folds"] = kFolds;
  const Model calibrated = clade::train(whole, recipe, ctx);
  EXPECT_NEAR(calibrated.body().nodes[0].temperature, fit_temperature(scores, label, {}), 1e-5);
}

Dataset with_holes() {
  const std::vector<std::string> classes = {"p", "q"};
  std::vector<double> values;
  std::vector<std::vector<std::string>> labels;
  for (int s = 0; s < 24; ++s) {
    values.insert(values.end(), {s % 5 == 0 ? kNan : s % 2 + 0.1 * s, s % 7 == 3 ? kNan : 0.3 * (s % 4)});
    labels.push_back({classes[static_cast<std::size_t>(s % 2)]});
  }
  return dense_dataset(values, 2, labels, flat_taxonomy(classes));
}

TEST(Recipe, ModelsKeepTheMeansOfTheTrainingSamples) {
  Context ctx;
  const Dataset data = with_holes();
  std::vector<double> sum(2, 0);
  std::vector<double> count(2, 0);
  for (Index s = 0; s < data.samples(); ++s) {
    data.for_each_value(s, [&](FeatureIndex f, double v) {
      if (std::isnan(v)) return;
      sum[static_cast<std::size_t>(f)] += v;
      ++count[static_cast<std::size_t>(f)];
    });
  }
  const Recipe recipe{.classifier = "top-down-svm", .missing = Missing::kMean};
  const TemporaryFolder folder;
  write_model(clade::train(data, recipe, ctx), folder.file("m.clade"));
  const Model model = read_model(folder.file("m.clade"));
  ASSERT_TRUE(model.body().replacement);
  EXPECT_THAT(*model.body().replacement, ElementsAre(sum[0] / count[0], sum[1] / count[1]));
  const std::vector<double> hole = {kNan, 0.4};
  const std::vector<double> filled = {sum[0] / count[0], 0.4};
  const std::vector<std::vector<std::string>> nothing(1);
  const auto score = [&](const std::vector<double>& values) {
    return predict(model, dense_dataset(values, 2, nothing, data.taxonomy()), {}, ctx).scores_of(0)[0];
  };
  EXPECT_EQ(score(hole), score(filled));
  // Without a rule they are refused, in training as in prediction.
  EXPECT_THROW(clade::train(data, {.classifier = "top-down-svm"}, ctx), Error);
  EXPECT_THROW(clade::train(data, {.classifier = "top-down-svm", .missing = Missing::kDropSample}, ctx), Error);
}

TEST(Recipe, EqualForAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string path = written(folder, "all.jsonl", documents());
  std::optional<Predictions> first;
  for (const int threads : {1, 2, 3}) {
    Context ctx({.threads = threads});
    const LoadedData data = read_dataset(path, {}, ctx);
    const std::vector<int> dealt = stratified_folds(data, 3, 1);
    const std::vector<Index> folds(dealt.begin(), dealt.end());
    const Recipe recipe{.classifier = "top-down-svm",
                        .parameters = {{"calibrate", "isotonic"}},
                        .select = {.method = "hier-fisher"},
                        .top = "50%"};
    const Predictions found = cross_validate(data, recipe, folds, {}, {}, ctx).predictions;
    if (!first) first = found;
    EXPECT_EQ(found.labels, first->labels);
    EXPECT_EQ(found.scores, first->scores);
  }
}

TEST(Recipe, SaysWhatDoesNotFitTogether) {
  const auto refusal = [](const Recipe& recipe) -> std::string {
    try {
      check_request(recipe);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "nothing to train; expected a `classifier`");
  EXPECT_EQ(refusal({.classifier = "path-svm", .top = 3}),
            "`top` has no effect; expected `features` or `select` with it");
  EXPECT_THAT(refusal({.classifier = "path-svm", .parameters = {{"lamda", 3}}}),
              ::testing::HasSubstr("path-svm has no parameter `lamda`"));
  EXPECT_EQ(refusal({.classifier = "path-svm", .parameters = {{"c", 3}}}), "");
}

TEST(Context, NotesAreSaidOnceWhereWorkIsRepeated) {
  std::vector<std::string> said;
  Context ctx({.log = [&](LogLevel, std::string_view message) { said.emplace_back(message); }});
  {
    const Context::NotesOnce once(ctx);
    for (int k = 0; k < 3; ++k) ctx.info("one");
    ctx.info("two");
  }
  ctx.info("one");
  EXPECT_THAT(said, ElementsAre("one", "two", "one"));
}

}  // namespace
}  // namespace clade
