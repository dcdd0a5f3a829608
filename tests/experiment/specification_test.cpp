// Experiment files: what they mean, and where wrong ones are refused.

#include "experiment/specification.h"

#include <clade/error.h>
#include <gmock/gmock.h>

#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::HasSubstr;

class Specification : public ::testing::Test {
 protected:
  Specification() {
    folder_.write("a.csv", "x,label\n1,p\n2,q\n");
    folder_.write("b.csv", "x,label\n1,p\n2,q\n");
  }

  Experiment parse(const std::string& text) const {
    const std::string path = folder_.file("study.toml");
    return parse_experiment(parse_toml(text, path), path, 1);
  }

  // The line of the error, and what it says.
  void expect_refused(const std::string& text, Index line, const std::string& problem) const {
    try {
      parse(text);
      ADD_FAILURE() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput) << text;
      EXPECT_EQ(error.where().line, line) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(problem)) << text;
    }
  }

  TemporaryFolder folder_;
};

const std::string kData = "[[data]]\nname = \"a\"\nfile = \"a.csv\"\nfolds = 2\n";          // 4 lines
const std::string kRecipe = "[[recipe]]\nname = \"svm\"\nclassifier = \"top-down-svm\"\n";  // 3 lines
const std::string kTuned = kRecipe +
                           "tune = { parameters = { c = [0.1, 1, 10] }, top = [1, 2] }\n"
                           "select = \"fisher\"\n";

TEST_F(Specification, UnknownNamesAreRefusedAtTheirLineWithTheNearest) {
  expect_refused(kData + "[[recipe]]\nname = \"r\"\nclassifier = \"top-down-smv\"\n", 7,
                 "did you mean 'top-down-svm'?");
  expect_refused(kData + kRecipe + "select = \"hier-fischer\"\n", 8, "did you mean 'hier-fisher'?");
  expect_refused(kData + kRecipe + "parameter = { c = 1 }\n", 8, "did you mean 'parameters'?");
  expect_refused(kData + kRecipe + "parameters = { los = \"hinge\" }\n", 8, "did you mean 'loss'?");
  expect_refused("measure = [\"accuracy\"]\n" + kData + kRecipe, 1, "did you mean 'measures'?");
  expect_refused("measures = [\"hierarchical_f2\"]\n" + kData + kRecipe, 1, "did you mean 'hierarchical_f1'?");
  expect_refused("[tune]\nhalvin = true\n" + kData + kRecipe, 2, "did you mean 'halving'?");
  expect_refused("[tune]\nmeasure = \"acuracy\"\n" + kData + kRecipe, 2, "did you mean 'accuracy'?");
  expect_refused(kData + "without-duplicate = true\n" + kRecipe, 5, "did you mean 'without-duplicates'?");
  expect_refused(kData + kRecipe + "data = \"b\"\n", 8, "no 'b' in this experiment");
}

TEST_F(Specification, AParameterOfAnotherMethodIsSaidToBeItsOwn) {
  expect_refused(kData + kRecipe + "parameters = { epochs = 3 }\n", 8, "it is a parameter of");
  expect_refused(kData + kRecipe + "select = \"fisher\"\nselect-parameters = { neighbours = 3 }\n", 9,
                 "fisher has no parameter 'neighbours'");
}

TEST_F(Specification, WrongTypesAreRefused) {
  expect_refused(kData + kRecipe + "parameters = { c = \"much\" }\n", 8, "expected a number");
  expect_refused(kData + kRecipe + "parameters = 3\n", 8, "parameters is no table");
  expect_refused(kData + kRecipe + "parameters = { c = { x = 1 } }\n", 8, "c is a table");
  expect_refused(kData + kRecipe + "orders = \"all\"\n", 8, "expected a whole number");
  expect_refused("data = 3\n" + kRecipe, 1, "data is not a list of tables");
  expect_refused("predictions = \"yes\"\n" + kData + kRecipe, 1, "expected true, false or \"ranked\"");
  expect_refused("predictions = [true]\n" + kData + kRecipe, 1, "predictions is a list");
  expect_refused("seed = -1\n" + kData + kRecipe, 1, "seed: '-1'");
  expect_refused("[[data]]\nname = \"a\"\nfile = \"a.csv\"\nholdout = 1.5\n" + kRecipe, 4, "holdout: '1.5'");
}

TEST_F(Specification, WhatIsNoTomlIsRefused) {
  expect_refused("[\n", 1, "expected TOML");
  expect_refused("[[\n", 1, "expected TOML");
  expect_refused("seed = 1\n[data\n", 2, "expected TOML");
  expect_refused("seed = \xff\n", 1, "expected TOML");
  expect_refused("s\xca\x9a\x65\x64 = 1\n", 1, "expected TOML");
}

TEST_F(Specification, MissingFilesAreRefused) {
  expect_refused("[[data]]\nname = \"a\"\nfile = \"c.csv\"\nfolds = 2\n" + kRecipe, 3, "there is no file");
  expect_refused(kData + "taxonomy = \"t.csv\"\n" + kRecipe, 5, "there is no file");
  expect_refused("[[data]]\nname = \"a\"\nfile = \"a.csv\"\nfold-file = \"f.txt\"\n" + kRecipe, 4, "there is no file");
}

TEST_F(Specification, NamesAreGivenOnce) {
  expect_refused(kData + kRecipe + kRecipe, 9, "a second recipe 'svm'");
  expect_refused(kData + kData + kRecipe, 6, "a second data set 'a'");
  expect_refused(
      kData + "[[taxonomy]]\nname = \"t\"\nkind = \"flat\"\n[[taxonomy]]\nname = \"t\"\nkind = \"given\"\n" + kRecipe,
      9, "a second taxonomy 't'");
}

TEST_F(Specification, ABillionCellsAreRefusedBeforeTheyTakeMemory) {
  std::string many = "[1";
  for (int k = 2; k <= 1000; ++k) many += "," + std::to_string(k);
  many += "]";
  expect_refused(
      kData + kRecipe + "parameters = { c = " + many + ", iterations = " + many + ", bias = " + many + " }\n", 5,
      "1e+09 combinations of parameters");
  expect_refused(kData + kRecipe + "tune = { parameters = { c = " + many + ", iterations = " + many +
                     ", bias = " + many + " } }\n",
                 5, "1e+09 combinations of parameters");
  expect_refused(kData + "repeats = 100000\n" + kRecipe + "orders = 10000\n", 1, "the experiment has 1e+09 cells");
}

TEST_F(Specification, AGridBeyondTheBudgetIsRefusedUnlessItIsHalved) {
  expect_refused("[tune]\nbudget = 5\n" + kData + kTuned, 10, "6 combinations to tune, and the budget is 5");
  EXPECT_EQ(parse("[tune]\nbudget = 6\n" + kData + kTuned).cells.size(), 1U);
  EXPECT_EQ(parse("[tune]\nbudget = 2\nhalving = true\n" + kData + kTuned).tune.budget, 2);
  expect_refused("[tune]\nbudget = -1\n" + kData + kTuned, 2, "budget: '-1'");
}

TEST_F(Specification, PredictionsAreKeptByDefaultOrByRecipe) {
  const std::string other = "[[recipe]]\nname = \"other\"\nclassifier = \"prior\"\npredictions = \"ranked\"\n";
  const std::string none = "[[recipe]]\nname = \"none\"\nclassifier = \"prior\"\npredictions = false\n";
  const Experiment kept = parse("predictions = true\n" + kData + kRecipe + other + none);
  EXPECT_EQ(kept.recipes[0].predictions, KeptPredictions::kSets);
  EXPECT_EQ(kept.recipes[1].predictions, KeptPredictions::kRanked);
  EXPECT_EQ(kept.recipes[2].predictions, KeptPredictions::kNone);
  EXPECT_EQ(parse(kData + kRecipe).recipes[0].predictions, KeptPredictions::kNone);
}

TEST_F(Specification, TestFilesHaveTheClassesOfTheTrainingFile) {
  expect_refused("[[data]]\nname = \"a\"\ntrain = \"a.csv\"\ntest = \"b.csv\"\nmerge-below = 3\n" + kRecipe, 5,
                 "merge-below would merge other classes");
}

TEST_F(Specification, WhatDoesNotMatterIsNoPartOfTheExperiment) {
  const Experiment one = parse(kData + kRecipe + "parameters = { c = 1, loss = \"hinge\" }\n");
  const Experiment same = parse("# a comment\n" + kRecipe + "parameters = { loss = \"hinge\", c = 1 }\n" + kData);
  const Experiment other = parse(kData + kRecipe + "parameters = { c = 2, loss = \"hinge\" }\n");
  EXPECT_EQ(one.parts, same.parts);
  EXPECT_NE(one.parts, other.parts);
}

}  // namespace
}  // namespace clade
