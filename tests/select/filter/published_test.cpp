#include <clade/io.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "real_data.h"
#include "select/filter/filter_cases.h"

namespace clade {
namespace {

using namespace testing;

struct Published {
  const char* name;
  MakeFilter make;
  Settings settings;
};

// The best 40 features of every node of DD, against dd_top40.json: rankings by independent NumPy programs, which
// published_protocol.py turns into the published hierarchical F1 to six digits (0.774135, 0.854608, 0.852395, 0.846794,
// 0.846794 in the order of the file).
TEST(PublishedFilters, SelectTheSameFeaturesOnDD) {
  const auto file = real_data_folder() / "DD" / "DDTrain.mat";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << file << " is not there; set CLADE_DATA to the folder of data sets";
  Context ctx;
  const Dataset data = read_dataset(file.string(), {}, ctx).data;
  const auto expected = nlohmann::json::parse(
      std::ifstream(std::filesystem::path(CLADE_SOURCE_DIR) / "tests" / "select" / "filter" / "dd_top40.json"));
  const std::vector<Published> filters = {
      {"hier-fisher", make_fisher, {}},
      {"hier-fsnm", make_fsnm, {}},
      {"hier-fsnm-as-published", make_fsnm, {{"as-published", "true"}}},
      {"hier-mrmr-round-mid", make_mrmr, {{"discretise", "round"}}},
      {"hier-mrmr-round-miq", make_mrmr, {{"discretise", "round"}, {"criterion", "miq"}}},
  };
  for (const auto& filter : filters) {
    SCOPED_TRACE(filter.name);
    const auto result = run_filter(filter.make, data, false, filter.settings, 2, 40);
    const auto& nodes = expected.at(filter.name);
    ASSERT_EQ(result.nodes.size(), nodes.size());
    for (const NodeRanking& node : result.nodes) {
      std::vector<FeatureIndex> best(node.ranking.begin(), node.ranking.begin() + 40);
      std::ranges::sort(best);
      EXPECT_EQ(best, nodes.at(data.taxonomy().name(node.node)).get<std::vector<FeatureIndex>>());
    }
  }
}

}  // namespace
}  // namespace clade
