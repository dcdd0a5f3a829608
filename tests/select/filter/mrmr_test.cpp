#include <gmock/gmock.h>

#include <map>
#include <set>

#include "select/filter/discrete.h"
#include "select/filter/filter_cases.h"
#include "select/filter/level_tiles.h"
#include "select/filter/mutual_information.h"

namespace clade {
namespace {

using namespace testing;

// A level per sample, by any name.
using Symbols = std::vector<double>;

Symbols rounded(const Eigen::VectorXd& values) {
  Symbols result;
  for (const double v : values) result.push_back(v < 0 ? -std::floor(-v + 0.5) + 0.0 : std::floor(v + 0.5));
  return result;
}

Symbols equal_frequency(const Eigen::VectorXd& values, int bins) {
  Symbols result;
  for (const double v : values) {
    Index below = 0;
    for (const double u : values) below += u < v ? 1 : 0;
    result.push_back(std::floor(static_cast<double>(below * bins) / static_cast<double>(values.size())));
  }
  return result;
}

double information_by_definition(const Symbols& a, const Symbols& b) {
  std::map<std::pair<double, double>, double> joint;
  std::map<double, double> of_a;
  std::map<double, double> of_b;
  const double share = 1.0 / static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    joint[{a[i], b[i]}] += share;
    of_a[a[i]] += share;
    of_b[b[i]] += share;
  }
  double sum = 0;
  for (const auto& [pair, p] : joint) sum += p * std::log2(p / (of_a[pair.first] * of_b[pair.second]));
  return sum;
}

Symbols class_symbols(const PlainTable& table) {
  std::map<std::vector<double>, double> number;
  Symbols result;
  for (Index r = 0; r < table.y.rows(); ++r) {
    std::vector<double> row(static_cast<std::size_t>(table.y.cols()));
    for (Index c = 0; c < table.y.cols(); ++c) row[static_cast<std::size_t>(c)] = table.y(r, c);
    result.push_back(number.try_emplace(row, static_cast<double>(number.size())).first->second);
  }
  return result;
}

struct Variant {
  Settings settings;
  bool round;
  int bins;
  bool quotient;
};

std::vector<Variant> variants() {
  return {
      {{}, false, 10, false},
      {{{"criterion", "miq"}, {"bins", "3"}}, false, 3, true},
      {{{"discretise", "round"}}, true, 0, false},
      {{{"discretise", "round"}, {"criterion", "miq"}}, true, 0, true},
  };
}

// Follows the ranking step by step: what was taken must be best among what was left, by criteria from the definition.
// Which of two values that differ by rounding alone is larger is nobody's business.
void check_greedy(const Variant& variant, Index top, const PlainTable& table, const NodeRanking& node) {
  const auto p = static_cast<std::size_t>(table.x.cols());
  std::vector<Symbols> columns;
  for (Index j = 0; j < table.x.cols(); ++j) {
    columns.push_back(variant.round ? rounded(table.x.col(j)) : equal_frequency(table.x.col(j), variant.bins));
  }
  const Symbols classes = class_symbols(table);
  std::vector<double> relevance;
  for (const auto& column : columns) relevance.push_back(information_by_definition(column, classes));
  std::vector<double> redundancy(p, 0.0);
  std::set<std::size_t> left;
  for (std::size_t j = 0; j < p; ++j) left.insert(j);
  const std::size_t taken = top == 0 ? p : std::min(p, static_cast<std::size_t>(top));
  for (std::size_t k = 0; k < taken; ++k) {
    const auto value = [&](std::size_t j) {
      const double mean = k == 0 ? 0 : redundancy[j] / static_cast<double>(k);
      return variant.quotient ? relevance[j] / (mean + 0.01) : relevance[j] - mean;
    };
    const auto chosen = static_cast<std::size_t>(node.ranking[k]);
    ASSERT_NEAR(node.weight[k], value(chosen), 1e-8 * std::abs(value(chosen)) + 1e-9);
    for (const std::size_t j : left) {
      ASSERT_LE(value(j), value(chosen) + 1e-8) << "feature " << j << " at step " << k;
      ASSERT_TRUE(j >= chosen || columns[j] != columns[chosen]) << "a repeated feature came first";
    }
    left.erase(chosen);
    for (const std::size_t j : left) redundancy[j] += information_by_definition(columns[j], columns[chosen]);
  }
  for (std::size_t k = taken; k < p; ++k) {
    ASSERT_EQ(node.weight[k], 0);
    if (k > taken) {
      ASSERT_GE(relevance[static_cast<std::size_t>(node.ranking[k - 1])] + 1e-9,
                relevance[static_cast<std::size_t>(node.ranking[k])]);
    }
  }
}

TEST(Mrmr, EveryStepIsBestByTheDefinition) {
  for (const Variant& variant : variants()) {
    for_each_filter_result(make_mrmr, variant.settings, 0,
                           [&](const Dataset&, const PlainTable& table, const NodeRanking& node) {
                             check_greedy(variant, 0, table, node);
                           });
  }
}

TEST(Mrmr, TopStopsEarlyAndTheRestFollowsByRelevance) {
  for (const Variant& variant : variants()) {
    for_each_filter_result(make_mrmr, variant.settings, 4,
                           [&](const Dataset&, const PlainTable& table, const NodeRanking& node) {
                             check_greedy(variant, 4, table, node);
                           });
  }
}

// What splits the samples alike is tied, whatever its values are called: the smaller index comes first.
TEST(Mrmr, AFeatureAndItsNegativeAreTiedExactly) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    auto parts = random_parts({.samples = 47, .features = 6, .nodes = 7, .density = 1, .seed = seed});
    auto& m = std::get<DenseMatrix<double>>(parts.features);
    for (Index r = 0; r < m.rows; ++r) {
      for (Index j = 0; j < 6; j += 2) {
        double& value = m.values[r * 6 + j];
        value = std::round(3 * value);
        m.values[r * 6 + j + 1] = -value;
      }
    }
    const auto node = run_filter(make_mrmr, Dataset(std::move(parts)), true, {{"discretise", "round"}}).nodes[0];
    std::vector<std::size_t> place(6);
    for (std::size_t k = 0; k < 6; ++k) place[static_cast<std::size_t>(node.ranking[k])] = k;
    for (std::size_t j = 0; j < 6; j += 2) EXPECT_LT(place[j], place[j + 1]);
  }
}

// Mutual information in every form of counting: few and many levels, listed columns and full ones.
TEST(Mrmr, InformationMatchesTheDefinitionForManyLevels) {
  RandomStream random(12, {kTestStream});
  for (const Index samples : {1, 2, 50, 3000}) {
    const MutualInformation information(samples);
    for (const Index range : {1, 2, 9, 300, 40000}) {
      const Index middle = range / 2;
      for (const double share : {1.0, 0.3, 0.05}) {
        std::vector<ColumnEntry> a;
        std::vector<ColumnEntry> b;
        Symbols all_a(static_cast<std::size_t>(samples), 0.0);
        Symbols all_b(static_cast<std::size_t>(samples), 0.0);
        for (std::size_t r = 0; r < all_a.size(); ++r) {
          if (random.uniform() < share) {
            all_a[r] = static_cast<double>(random.below(range) - middle);
            a.push_back({static_cast<std::uint32_t>(r), all_a[r]});
          }
          all_b[r] = all_a[r] / 2 + static_cast<double>(random.below(range));
          all_b[r] = std::round(all_b[r]);
          b.push_back({static_cast<std::uint32_t>(r), all_b[r]});
        }
        const auto column_a = discretise(a, samples, Discretise::kRound, 0, "a");
        const auto column_b = discretise(b, samples, Discretise::kRound, 0, "b");
        const double expected = information_by_definition(all_a, all_b);
        MutualInformation::Scratch scratch;
        const double ab =
            information(information.reference(column_a), column_b, information.level_sum(column_b), scratch);
        const double ba =
            information(information.reference(column_b), column_a, information.level_sum(column_a), scratch);
        EXPECT_NEAR(ab, expected, 1e-9);
        EXPECT_EQ(ab, ba);
      }
    }
  }
}

// All pairs of many columns from tiles, in several blocks of samples, against counting one pair at a time.
TEST(Mrmr, TilesCountLikePairs) {
  RandomStream random(5, {kTestStream});
  for (const Index samples : {20, 40, 700, 17000}) {
    std::vector<DiscreteColumn> columns;
    std::vector<std::size_t> suitable;
    for (Index j = 0; j < 70; ++j) {
      std::vector<ColumnEntry> entries;
      const Index range = 1 + j % 20;
      for (Index r = 0; r < samples; ++r) {
        const auto row = static_cast<std::uint32_t>(r);
        // Some columns repeat the one before, so that tables have empty cells.
        const bool repeats = j % 5 == 4 && !columns.back().listed;
        const Index level = repeats ? columns.back().narrow[row] : random.below(range);
        entries.push_back({row, static_cast<double>(level)});
      }
      columns.push_back(discretise(entries, samples, Discretise::kRound, 0, "f"));
      if (LevelTiles::takes(columns.back())) suitable.push_back(columns.size() - 1);
    }
    ASSERT_GT(suitable.size(), 20U);
    ASSERT_LT(suitable.size(), columns.size());
    Context ctx({.threads = 2});
    const LevelTiles tiles(columns, suitable, samples, ctx);
    const MutualInformation information(samples);
    MutualInformation::Scratch scratch;
    for (Index first = 0; first < tiles.size(); first += LevelTiles::kReferences) {
      const Index count = std::min(LevelTiles::kReferences, tiles.size() - first);
      for (Index tile = 0; tile < tiles.tiles(); ++tile) {
        std::vector<LevelTiles::Sums> joint(static_cast<std::size_t>(count));
        tiles.joint_sums(first, count, tile, information.table(), joint);
        for (Index k = 0; k < count; ++k) {
          const DiscreteColumn& a = columns[tiles.number(first + k)];
          for (Index c = 0; c < LevelTiles::kColumns && tile * LevelTiles::kColumns + c < tiles.size(); ++c) {
            const DiscreteColumn& b = columns[tiles.number(tile * LevelTiles::kColumns + c)];
            const std::int64_t sum = information.level_sum(b);
            ASSERT_EQ(information.from_sums(joint[static_cast<std::size_t>(k)][static_cast<std::size_t>(c)],
                                            information.level_sum(a), sum),
                      information(information.reference(a), b, sum, scratch));
          }
        }
      }
    }
  }
}

// Dense columns get their bins by selection, others by sorting: the same bins.
TEST(Mrmr, SelectionGivesTheBinsOfSorting) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomDataOptions options{.samples = seed % 4 == 0 ? 7 : 300, .features = 40, .density = 0.7, .seed = seed};
    options.missing = seed % 5 == 0;
    auto parts = random_parts(options);
    for (double& value : std::get<DenseMatrix<double>>(parts.features).values) {
      if (seed % 2 == 0) value = std::round(4 * value) / 4;  // many equal values
    }
    const Dataset data(std::move(parts));
    Context ctx({.threads = 2});
    const NodeTable table = flat_table(data);
    for (const int bins : {2, 3, 10, 40, 256}) {
      const auto columns = discretise(data, table, Discretise::kEqualFrequency, bins, ctx);
      for (std::size_t j = 0; j < columns.size(); ++j) {
        std::vector<ColumnEntry> entries;
        for (std::size_t r = 0; r < table.rows.size(); ++r) {
          data.for_each_value(table.rows[r], [&](FeatureIndex f, auto value) {
            if (f == static_cast<FeatureIndex>(j)) entries.push_back({static_cast<std::uint32_t>(r), double{value}});
          });
        }
        const DiscreteColumn expected = discretise(entries, table.samples(), Discretise::kEqualFrequency, bins, "f");
        ASSERT_EQ(columns[j].levels, expected.levels);
        ASSERT_EQ(columns[j].listed, expected.listed);
        ASSERT_EQ(columns[j].narrow, expected.narrow);
        ASSERT_EQ(columns[j].rows, expected.rows);
      }
    }
  }
}

// sklearn.metrics.mutual_info_score(a, b) / log(2) of scikit-learn 1.2.1, for a[i] = i i mod 7 and
// b[i] = (i i + floor(i / 10)) mod 9, i = 0 .. n - 1.
TEST(Mrmr, InformationMatchesScikitLearn) {
  const std::map<Index, double> expected = {
      {3, 1.5849625007211561}, {10, 0.77095059445466896}, {97, 0.11341860662430699}, {1000, 0.00084300922333704984}};
  for (const auto& [n, value] : expected) {
    std::vector<ColumnEntry> a;
    std::vector<ColumnEntry> b;
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::uint32_t>(i);
      const Index level_a = i * i % 7;
      const Index level_b = (i * i + i / 10) % 9;
      if (level_a != 0) a.push_back({row, static_cast<double>(level_a)});
      if (level_b != 0) b.push_back({row, static_cast<double>(level_b)});
    }
    const auto column_a = discretise(a, n, Discretise::kRound, 0, "a");
    const auto column_b = discretise(b, n, Discretise::kRound, 0, "b");
    const MutualInformation information(n);
    MutualInformation::Scratch scratch;
    EXPECT_NEAR(information(information.reference(column_a), column_b, information.level_sum(column_b), scratch), value,
                1e-12);
  }
}

TEST(Mrmr, MissingValuesAreALevelOfTheirOwn) {
  const double nan = std::nan("");
  std::vector<ColumnEntry> entries{{0, nan}, {1, -2}, {3, nan}, {4, 5}};
  const auto column = discretise(entries, 6, Discretise::kRound, 0, "f");
  EXPECT_EQ(column.levels, 4U);
  EXPECT_THAT(column.narrow, ::testing::ElementsAre(3, 0, 1, 3, 2, 1));
}

TEST(Mrmr, EqualValuesShareTheBinOfTheFirst) {
  // Below: 0, 1, 1, 1, 4, 5 of 6 values: bins 0, 0, 0, 0, 2, 2 of 3; the empty one is no level.
  std::vector<ColumnEntry> entries{{0, -1}, {4, 2}, {5, 3}};
  const auto column = discretise(entries, 6, Discretise::kEqualFrequency, 3, "f");
  EXPECT_EQ(column.levels, 2U);
  EXPECT_THAT(column.narrow, ::testing::ElementsAre(0, 0, 0, 0, 1, 1));
}

TEST(Mrmr, TooManyLevelsAreRefusedByName) {
  std::vector<ColumnEntry> entries;
  for (std::uint32_t r = 0; r < 70000; ++r) entries.push_back({r, r + 1.0});
  try {
    discretise(entries, 70000, Discretise::kRound, 0, "elevation");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("elevation has 70000"));
  }
}

TEST(Mrmr, IsTheSameForAnyNumberOfThreads) {
  expect_same_for_any_number_of_threads(make_mrmr, {}, 6);
  expect_same_for_any_number_of_threads(make_mrmr, {{"discretise", "round"}, {"criterion", "miq"}}, 6);
}

}  // namespace
}  // namespace clade
