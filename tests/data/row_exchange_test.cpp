#include "data/row_exchange.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "comm/local_team.h"
#include "core/random.h"
#include "data/scaling.h"
#include "data/storage.h"

namespace clade {
namespace {

constexpr Index kFeatures = 4;

// Some of the rows of a data set that is the same in every call.
Dataset some_rows(Index begin, Index end, bool has_names, bool sparse) {
  TaxonomyBuilder builder;
  for (const char* edge : {"ra", "rb"}) builder.edge(std::string_view(edge, 1), std::string_view(edge + 1, 1));
  Dataset::Parts parts;
  parts.taxonomy = builder.build();
  DenseMatrix<double> dense{end - begin, kFeatures, Buffer<double>((end - begin) * kFeatures)};
  std::vector<std::vector<double>> rows;
  for (Index s = begin; s < end; ++s) {
    RandomStream random(static_cast<std::uint64_t>(s), {kTestStream, 57});
    for (Index f = 0; f < kFeatures; ++f) {
      const double value = random.uniform() < 0.3 ? 0 : random.normal() * (f == 0 ? 30 : 1);
      // Some rows are floats, which take fewer bytes on their way.
      dense.values[(s - begin) * kFeatures + f] = s % 3 == 0 ? std::round(value) : value;
    }
    parts.labels.nodes.push_back(static_cast<NodeId>(1 + random.below(2)));
    parts.labels.offsets.push_back(std::ssize(parts.labels.nodes));
    if (has_names) parts.sample_names.push_back("s" + std::to_string(100 - s));
  }
  parts.features = std::move(dense);
  if (sparse) {
    std::vector<std::string> notes;
    Context ctx({.threads = 1});
    parts.features = stored_as(std::move(parts.features), Storage::kSparse, Precision::kDouble, notes, ctx);
  }
  return Dataset(std::move(parts));
}

std::vector<double> plain_row(const Dataset& data, Index sample) {
  std::vector<double> values(kFeatures, 0);
  data.for_each_value(sample, [&](FeatureIndex f, auto value) { values[static_cast<std::size_t>(f)] = value; });
  return values;
}

// Where the part of each process begins: one has a single sample, and another none.
std::vector<Index> parts_of(int processes, Index samples) {
  std::vector<Index> first{0};
  for (int process = 1; process < processes; ++process) first.push_back(process == 1 ? 1 : samples / 3);
  first.push_back(samples);
  return first;
}

class RowExchange : public ::testing::TestWithParam<std::tuple<bool, bool>> {};

TEST_P(RowExchange, BlocksHaveTheRowsAndNamesOfTheWhole) {
  const auto [has_names, sparse] = GetParam();
  constexpr Index kSamples = 41;
  const Dataset whole = some_rows(0, kSamples, has_names, sparse);
  Team alone(std::make_shared<Alone>());
  const EvenBlocks of_one(alone, kSamples, 5);
  for (const int processes : {2, 3, 4, 7}) {
    const std::vector<Index> first = parts_of(processes, kSamples);
    LocalTeam(processes).run([&, has_names = has_names, sparse = sparse](Team& team) {
      Context ctx({.threads = 1});
      const auto rank = static_cast<std::size_t>(team.rank());
      const Dataset data = with_labels_of_others(some_rows(first[rank], first[rank + 1], has_names, sparse),
                                                 Storage::kOfFile, team, ctx);
      ASSERT_EQ(data.samples(), kSamples);
      for (Index s = 0; s < kSamples; ++s) EXPECT_EQ(data.labels(s)[0], whole.labels(s)[0]);
      const std::vector<std::string> names = all_sample_names(data, team);
      EXPECT_EQ(std::ssize(names), team.leads() ? kSamples : 0);
      for (std::size_t s = 0; s < names.size(); ++s) EXPECT_EQ(names[s], whole.sample_name(static_cast<Index>(s)));

      const EvenBlocks blocks(team, kSamples, 5);
      const Dataset own = own_blocks(data, blocks);
      const auto [begin, end] = blocks.own_rows();
      ASSERT_EQ(own.samples(), end - begin);
      for (Index s = begin; s < end; ++s) {
        EXPECT_EQ(plain_row(own, s - begin), plain_row(whole, s));
        EXPECT_EQ(own.sample_name(s - begin), whole.sample_name(s));
        EXPECT_EQ(own.labels(s - begin)[0], whole.labels(s)[0]);
      }
      EXPECT_EQ(comparable_scale(own, blocks), comparable_scale(whole));
      for (const Scale scale : {Scale::kStandard, Scale::kMinMax, Scale::kUnit}) {
        const Dataset expected = scaled(whole, scale, false, of_one);
        const Dataset found = scaled(own, scale, false, blocks);
        for (Index s = begin; s < end; ++s) EXPECT_EQ(plain_row(found, s - begin), plain_row(expected, s));
      }
    });
  }
}

TEST(RowBytes, AreHalfAsManyForFloats) {
  const auto sent = [](double value) {
    double bytes = 0;
    LocalTeam(2).run([&](Team& team) {
      Context ctx({.threads = 1});
      Dataset::Parts parts;
      TaxonomyBuilder builder;
      builder.edge("r", "a");
      parts.taxonomy = builder.build();
      parts.features = DenseMatrix<double>{1, 1000, Buffer<double>(1000)};
      std::ranges::fill(std::get<DenseMatrix<double>>(parts.features).values, value);
      parts.labels.nodes = {1};
      parts.labels.offsets = {0, 1};
      const Dataset data = with_labels_of_others(Dataset(std::move(parts)), Storage::kOfFile, team, ctx);
      const double before = team.processes().bytes_sent();
      const Dataset both = with_rows(data, {{0, 1}, {0, 1}}, team);
      EXPECT_EQ(std::get<DenseMatrix<double>>(both.matrix()).row(0)[999], value);
      EXPECT_EQ(std::get<DenseMatrix<double>>(both.matrix()).row(1)[0], value);
      if (team.leads()) bytes = team.processes().bytes_sent() - before;
    });
    return bytes;
  };
  for (const double value : {0.0, -0.0, 0.1, -1.5, 1e300, 1e-300, 255.0}) {
    const bool is_float = std::abs(value) < 1e30 && static_cast<double>(static_cast<float>(value)) == value;
    EXPECT_NEAR(sent(value), is_float ? 4000 : 8000, 200) << value;
  }
}

TEST(RowNumbers, AreThoseOfAllFiles) {
  LocalTeam(3).run([](Team& team) {
    Context ctx({.threads = 1});
    // Every process has left out the first of its ten rows.
    std::vector<Index> rows(9);
    std::iota(rows.begin(), rows.end(), Index{1});
    const Dataset own = some_rows(0, 10, false, false).subset(rows);
    const Dataset data = with_labels_of_others(own, Storage::kOfFile, team, ctx);
    const std::vector<std::string> names = all_sample_names(data, team);
    for (std::size_t s = 0; s < names.size(); ++s) EXPECT_EQ(names[s], std::to_string(s + s / 9 + 1));
  });
}

INSTANTIATE_TEST_SUITE_P(All, RowExchange, ::testing::Combine(::testing::Bool(), ::testing::Bool()));

}  // namespace
}  // namespace clade
