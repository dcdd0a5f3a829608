#include "classify/joint/class_loss.h"

#include <clade/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "classify/joint/joint_cases.h"

namespace clade {
namespace {

using testing::full_problem;
using testing::FullProblem;
using ::testing::HasSubstr;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;
using testing::with_ancestors;

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

void expect_consistent(const ClassLoss& loss) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  std::vector<double> scratch;
  for (Index y = 0; y < loss.classes(); ++y) {
    const double* const row = loss.row(y, scratch);
    for (Index r = 0; r < loss.classes(); ++r) {
      EXPECT_EQ(loss.of(y, r), row[r]);
      if (r == y) {
        EXPECT_EQ(row[r], 0);
        continue;
      }
      EXPECT_GT(row[r], 0);
      largest = std::max(largest, row[r]);
      smallest = std::min(smallest, row[r]);
    }
  }
  EXPECT_EQ(loss.largest(), largest);
  EXPECT_EQ(loss.smallest(), smallest);
}

TEST(ClassLoss, OfTreesAndDagsByDefinition) {
  int problems = 0;
  for (int k = 0; k < 160; ++k) {
    const JointCase c = joint_case(k);
    const FullProblem expected = full_problem(c);
    if (!is_learnable(expected)) continue;
    ++problems;
    Context ctx({.threads = 1});
    const JointData data = joint_data_of(c, ctx);
    const ClassLoss& loss = data.problem.loss;
    expect_consistent(loss);
    for (std::size_t y = 0; y < expected.classes.size(); ++y) {
      for (std::size_t r = 0; r < expected.classes.size(); ++r) {
        EXPECT_NEAR(loss.of(static_cast<Index>(y), static_cast<Index>(r)), expected.loss[y][r], 1e-12) << c.name;
      }
    }
  }
  EXPECT_GT(problems, 80);
}

TEST(ClassLoss, WeightedByVolumesAndCosts) {
  RandomStream random(3, {kTestStream, 21});
  for (int k = 0; k < 40; ++k) {
    const Taxonomy taxonomy = random_taxonomy(6 + k % 8, k % 2 == 1, static_cast<std::uint64_t>(k));
    const std::vector<NodeId> classes(taxonomy.leaves().begin(), taxonomy.leaves().end());
    if (classes.size() < 2) continue;
    std::vector<double> volume(static_cast<std::size_t>(taxonomy.size()));
    for (double& v : volume) v = 0.1 + random.uniform();
    const ClassLoss loss = ClassLoss::weighted(taxonomy, classes, volume, 2, 0.25);
    expect_consistent(loss);
    for (std::size_t y = 0; y < classes.size(); ++y) {
      for (std::size_t r = 0; r < classes.size(); ++r) {
        const std::set<NodeId> above_y = with_ancestors(taxonomy, classes[y]);
        const std::set<NodeId> above_r = with_ancestors(taxonomy, classes[r]);
        double expected = 0;
        for (const NodeId z : above_y) expected += above_r.contains(z) ? 0 : 2 * volume[static_cast<std::size_t>(z)];
        for (const NodeId z : above_r) expected += above_y.contains(z) ? 0 : 0.25 * volume[static_cast<std::size_t>(z)];
        EXPECT_NEAR(loss.of(static_cast<Index>(y), static_cast<Index>(r)), expected, 1e-12);
      }
    }
  }
}

TEST(ClassLoss, WeightedMustKeepClassesApart) {
  TaxonomyBuilder builder;
  builder.path("a/x", "/");
  builder.path("a/y", "/");
  builder.path("b", "/");
  builder.imply_root();
  const Taxonomy tree = builder.build();
  const std::vector<NodeId> classes(tree.leaves().begin(), tree.leaves().end());
  std::vector<double> volume(static_cast<std::size_t>(tree.size()), 1);
  EXPECT_EQ(refusal([&] { ClassLoss::weighted(tree, classes, volume, 1, 0); }), "no error");
  EXPECT_THAT(refusal([&] { ClassLoss::weighted(tree, classes, volume, 0, 0); }), HasSubstr("is 0; expected volumes"));
  for (const char* const name : {"a/x", "a/y"}) volume[static_cast<std::size_t>(*tree.find(name))] = 0;
  EXPECT_THAT(refusal([&] { ClassLoss::weighted(tree, classes, volume, 1, 1); }),
              HasSubstr("the loss of taking 'a/x' for 'a/y' is 0"));
}

TEST(ClassLoss, Given) {
  const ClassLoss loss = ClassLoss::given({{0, 1, 2}, {3, 0, 0.5}, {1, 1, 0}});
  expect_consistent(loss);
  EXPECT_EQ(loss.of(1, 0), 3);
  EXPECT_EQ(loss.largest(), 3);
  EXPECT_EQ(loss.smallest(), 0.5);
  EXPECT_EQ(refusal([] { ClassLoss::given({{0, 1}, {1, 0.1}}); }),
            "row 2, column 2 of the loss matrix is 0.1; expected 0 on the diagonal");
  EXPECT_EQ(refusal([] { ClassLoss::given({{0, -1}, {1, 0}}); }),
            "row 1, column 2 of the loss matrix is -1; expected a positive loss between different classes");
  EXPECT_THAT(refusal([] { ClassLoss::given({{0, 0}, {1, 0}}); }),
              HasSubstr("row 1, column 2 of the loss matrix is 0"));
}

// Of more classes than are kept, rows are worked out when they are asked for.
TEST(ClassLoss, OfManyClassesIsThatOfFew) {
  const Taxonomy taxonomy = random_taxonomy(12000, true, 17);
  const std::vector<NodeId> many(taxonomy.leaves().begin(), taxonomy.leaves().end());
  ASSERT_GT(many.size(), 4096U);
  const std::vector<double> volume(static_cast<std::size_t>(taxonomy.size()), 1.5);
  // Every third class, so that these are few enough to be kept.
  std::vector<NodeId> few;
  for (std::size_t y = 0; y < many.size(); y += 3) few.push_back(many[y]);
  const auto compare = [&](const ClassLoss& of_many, const ClassLoss& of_few) {
    std::vector<double> scratch_many;
    std::vector<double> scratch_few;
    for (Index y = 0; y < of_few.classes(); y += 97) {
      const double* const row = of_many.row(3 * y, scratch_many);
      const double* const kept = of_few.row(y, scratch_few);
      EXPECT_EQ(row, scratch_many.data());
      EXPECT_NE(kept, scratch_few.data());
      for (Index r = 0; r < of_few.classes(); ++r) ASSERT_EQ(row[3 * r], kept[r]);
    }
  };
  compare(ClassLoss::zero_one(std::ssize(many)), ClassLoss::zero_one(std::ssize(few)));
  compare(ClassLoss::tree(taxonomy, many), ClassLoss::tree(taxonomy, few));
  compare(ClassLoss::tree_normalised(taxonomy, many), ClassLoss::tree_normalised(taxonomy, few));
  compare(ClassLoss::weighted(taxonomy, many, volume, 1, 2), ClassLoss::weighted(taxonomy, few, volume, 1, 2));
}

}  // namespace
}  // namespace clade
