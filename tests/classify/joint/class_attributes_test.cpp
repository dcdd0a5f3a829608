#include "classify/joint/class_attributes.h"

#include <clade/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "classify/joint/joint_cases.h"
#include "core/random.h"

namespace clade {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::full_problem;
using testing::FullProblem;
using ::testing::HasSubstr;
using testing::is_learnable;
using testing::joint_case;
using testing::joint_data_of;
using testing::JointCase;

using Rows = std::vector<std::vector<double>>;

// r -> (a -> (a1, a2), b), c: classes at depths 2, 2, 1 and 1.
Taxonomy small_tree() {
  TaxonomyBuilder builder;
  for (const auto& [parent, child] : {std::pair{"r", "a"}, {"r", "b"}, {"r", "c"}, {"a", "a1"}, {"a", "a2"}}) {
    builder.edge(builder.node(parent), builder.node(child));
  }
  return builder.build();
}

std::vector<NodeId> nodes(const Taxonomy& taxonomy, std::initializer_list<const char*> names) {
  std::vector<NodeId> ids;
  for (const char* const name : names) ids.push_back(*taxonomy.find(name));
  return ids;
}

std::string refusal(const Rows& matrix) {
  try {
    attributes_of_similarity(matrix);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kInput);
    return error.what();
  }
  return "no error";
}

// Attributes as full rows.
Rows full(const ClassAttributes& attributes) {
  Rows rows;
  for (Index y = 0; y < attributes.classes(); ++y) {
    auto& row = rows.emplace_back(static_cast<std::size_t>(attributes.count), 0.0);
    const auto index = attributes.index_of(y);
    for (std::size_t k = 0; k < index.size(); ++k) {
      EXPECT_TRUE(k == 0 || index[k - 1] < index[k]);
      EXPECT_NE(attributes.value_of(y)[k], 0);
      row[static_cast<std::size_t>(index[k])] = attributes.value_of(y)[k];
    }
  }
  return rows;
}

TEST(ClassAttributes, OfAPathByHand) {
  const Taxonomy taxonomy = small_tree();
  const std::vector<NodeId> classes = nodes(taxonomy, {"b", "c", "a1", "a2"});
  const double half = 1 / std::sqrt(2.0);
  const ClassAttributes path = path_attributes(taxonomy, classes, false);
  // The root is above all and does not count: four classes and a.
  EXPECT_THAT(path.nodes, ElementsAre(classes[0], classes[1], classes[2], classes[3], *taxonomy.find("a")));
  const auto near_half = DoubleNear(half, 1e-15);
  EXPECT_THAT(full(path),
              ElementsAre(ElementsAre(near_half, 0, 0, 0, 0), ElementsAre(0, near_half, 0, 0, 0),
                          ElementsAre(0, 0, near_half, 0, near_half), ElementsAre(0, 0, 0, near_half, near_half)));
  const ClassAttributes normalised = path_attributes(taxonomy, classes, true);
  EXPECT_THAT(full(normalised),
              ElementsAre(ElementsAre(1, 0, 0, 0, 0), ElementsAre(0, 1, 0, 0, 0),
                          ElementsAre(0, 0, near_half, 0, near_half), ElementsAre(0, 0, 0, near_half, near_half)));
  EXPECT_NEAR(similarity(path, 2, 3), 0.5, 1e-15);
  EXPECT_NEAR(similarity(path, 0, 0), 0.5, 1e-15);
  EXPECT_EQ(similarity(path, 0, 3), 0);
  for (Index y = 0; y < 4; ++y) EXPECT_NEAR(similarity(normalised, y, y), 1, 1e-15);
}

TEST(ClassAttributes, WhatAllClassesThatOccurShareIsLeftOut) {
  const Taxonomy taxonomy = small_tree();
  // Only classes below a: a is above all of them.
  const ClassAttributes path = path_attributes(taxonomy, nodes(taxonomy, {"a1", "a2"}), false);
  EXPECT_EQ(path.count, 2);
  EXPECT_EQ(similarity(path, 0, 1), 0);
  EXPECT_NEAR(similarity(path, 0, 0), 0.5, 1e-15);
}

TEST(ClassAttributes, FlatAndGiven) {
  const std::vector<NodeId> classes{3, 5, 8};
  const ClassAttributes flat = flat_attributes(classes);
  EXPECT_THAT(full(flat), ElementsAre(ElementsAre(1, 0, 0), ElementsAre(0, 1, 0), ElementsAre(0, 0, 1)));
  EXPECT_EQ(flat.nodes, classes);
  const Rows rows{{0.5, 0, -2}, {0, 0, 0}, {1, 3, 0}};
  const ClassAttributes given = given_attributes(rows);
  EXPECT_EQ(full(given), rows);
  EXPECT_EQ(given.nodes, std::vector<NodeId>(3, kNoNode));
  EXPECT_TRUE(given.index_of(1).empty());
}

TEST(ClassAttributes, OfTreesAndDagsByDefinition) {
  int problems = 0;
  for (int k = 0; k < 120; ++k) {
    const JointCase c = joint_case(k);
    const FullProblem expected = full_problem(c);
    if (!is_learnable(expected)) continue;
    ++problems;
    Context ctx({.threads = 1});
    const ClassAttributes found = joint_data_of(c, ctx).problem.attributes;
    ASSERT_EQ(found.classes(), std::ssize(expected.classes));
    Rows by_node(expected.classes.size(), std::vector<double>(expected.attributes[0].size(), 0));
    const Rows rows = full(found);
    for (std::size_t y = 0; y < rows.size(); ++y) {
      for (std::size_t z = 0; z < rows[y].size(); ++z) {
        by_node[y][static_cast<std::size_t>(found.nodes[z])] += rows[y][z];
      }
      for (std::size_t z = 0; z < by_node[y].size(); ++z) {
        EXPECT_NEAR(by_node[y][z], expected.attributes[y][z], 1e-15) << c.name;
      }
    }
  }
  EXPECT_GT(problems, 60);
}

TEST(ClassAttributes, OfASimilarityHaveItForInnerProducts) {
  RandomStream random(5, {kTestStream, 11});
  for (int k = 0; k < 40; ++k) {
    const auto q = static_cast<std::size_t>(2 + k % 7);
    const auto rank = static_cast<std::size_t>(1 + k % 5);
    const double size = std::vector{1.0, 1e-6, 1e6}[static_cast<std::size_t>(k % 3)];
    Rows vectors(q, std::vector<double>(rank));
    for (auto& row : vectors) {
      for (double& v : row) v = size * random.normal();
    }
    Rows matrix(q, std::vector<double>(q, 0));
    double largest = 0;
    for (std::size_t a = 0; a < q; ++a) {
      for (std::size_t b = 0; b < q; ++b) {
        for (std::size_t d = 0; d < rank; ++d) matrix[a][b] += vectors[a][d] * vectors[b][d];
        largest = std::max(largest, std::abs(matrix[a][b]));
      }
    }
    const ClassAttributes found = attributes_of_similarity(matrix);
    EXPECT_LE(found.count, static_cast<Index>(std::min(q, rank)));
    for (std::size_t a = 0; a < q; ++a) {
      for (std::size_t b = 0; b < q; ++b) {
        EXPECT_NEAR(similarity(found, static_cast<Index>(a), static_cast<Index>(b)), matrix[a][b], 1e-8 * largest);
      }
    }
  }
}

TEST(ClassAttributes, OfASimilarityThatIsNone) {
  EXPECT_THAT(refusal({{1, 0.5}, {0.4, 1}}), HasSubstr("the class similarity is not symmetric"));
  EXPECT_THAT(refusal({{1, 2}, {2, 1}}), HasSubstr("the class similarity has the eigenvalue -1; expected a positive"));
  EXPECT_THAT(refusal({{-1, 0}, {0, -2}}), HasSubstr("eigenvalue -2"));
  EXPECT_THAT(refusal({{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}), HasSubstr("eigenvalue -1"));
  EXPECT_EQ(refusal({{1, 1}, {1, 1}}), "no error");
}

TEST(ClassAttributes, ThatSayNothingAreRefused) {
  EXPECT_THAT(refusal({{0, 0}, {0, 0}}), HasSubstr("all similarities are 0"));
  EXPECT_THROW(given_attributes({{}, {}}), Error);
  EXPECT_THROW(given_attributes({{0, 0}, {0, 0}}), Error);
}

TEST(ClassScorer, SumsTheOutputsOfAttributes) {
  RandomStream random(6, {kTestStream, 12});
  for (int k = 0; k < 20; ++k) {
    Rows rows(static_cast<std::size_t>(1 + k % 6), std::vector<double>(static_cast<std::size_t>(1 + k % 4)));
    for (auto& row : rows) {
      for (double& v : row) v = random.uniform() < 0.4 ? 0 : random.normal();
    }
    rows[0][0] = 1;
    std::vector<float> outputs(rows[0].size());
    for (float& v : outputs) v = static_cast<float>(random.normal());
    std::vector<double> scores(rows.size());
    ClassScorer(given_attributes(rows)).scores(outputs.data(), scores.data());
    for (std::size_t y = 0; y < rows.size(); ++y) {
      double sum = 0;
      for (std::size_t z = 0; z < outputs.size(); ++z) sum += rows[y][z] * static_cast<double>(outputs[z]);
      EXPECT_NEAR(scores[y], sum, 1e-12);
    }
  }
}

TEST(ClassScorer, SharesSumsWhereClassesHaveManyAncestors) {
  int shared = 0;
  for (std::uint64_t k = 0; k < 24; ++k) {
    RandomStream random(k, {kTestStream, 13});
    const Taxonomy taxonomy = random_taxonomy(150, k % 4 != 0, k + 3);
    std::vector<NodeId> classes(taxonomy.leaves().begin(), taxonomy.leaves().end());
    // Some classes may be missing, so that a node is above the same classes as its child.
    if (k % 3 == 0) std::erase_if(classes, [&](NodeId) { return random.uniform() < 0.7; });
    if (classes.size() < 2) continue;
    const ClassAttributes attributes = path_attributes(taxonomy, classes, k % 2 == 0);
    const ClassScorer scorer(attributes);
    shared += scorer.uses_sums() ? 1 : 0;
    std::vector<double> outputs(static_cast<std::size_t>(attributes.count));
    for (double& v : outputs) v = random.normal();
    std::vector<double> scores(classes.size());
    scorer.scores(outputs.data(), scores.data());
    const Rows rows = full(attributes);
    for (std::size_t y = 0; y < rows.size(); ++y) {
      double sum = 0;
      for (std::size_t z = 0; z < outputs.size(); ++z) sum += rows[y][z] * outputs[z];
      EXPECT_NEAR(scores[y], sum, 1e-12);
    }
  }
  EXPECT_GT(shared, 10);
}

}  // namespace
}  // namespace clade
