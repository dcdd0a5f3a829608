#include <cstdlib>
#include <filesystem>

#include "io/arff/arff.h"
#include "io/table_support.h"
#include "real_data.h"

// The public ARFF data sets, where they are at hand: CLADE_DATA names their folder; by default it is shared/data beside
// the source tree, looked for upwards from where the tests run.

namespace clade {
namespace {

using namespace table_test;

struct KnownSet {
  const char* folder;
  std::vector<const char*> files;
  Index samples;
  Index features;
  Index missing;
  NodeId nodes;
  Index internal;
  Index leaves;
  int longest_path;
  bool tree;
};

class ArffData : public ::testing::TestWithParam<KnownSet> {};

TEST_P(ArffData, HasItsKnownCounts) {
  const KnownSet& known = GetParam();
  const std::filesystem::path folder = real_data_folder() / known.folder;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder.string() << "; set CLADE_DATA";
  Index samples = 0;
  Index missing = 0;
  Context ctx({.threads = 2});
  for (const char* file : known.files) {
    const std::string path = (folder / file).string();
    ParsedData parsed = read_arff(Input::open(path, ctx), default_options(), ctx);
    samples += row_count(parsed.features);
    missing += parsed.missing_values;
    EXPECT_EQ(column_count(parsed.features), known.features) << path;
    const Dataset data = to_dataset(std::move(parsed));
    const Taxonomy& taxonomy = data.taxonomy();
    EXPECT_EQ(taxonomy.size(), known.nodes) << path;
    EXPECT_EQ(std::ssize(taxonomy.internal_nodes()), known.internal) << path;
    EXPECT_EQ(std::ssize(taxonomy.leaves()), known.leaves) << path;
    EXPECT_EQ(taxonomy.longest_path(), known.longest_path) << path;
    EXPECT_EQ(taxonomy.is_tree(), known.tree) << path;

    const std::string text = written(write_arff, data);
    EXPECT_EQ(difference(data, to_dataset(read_text(read_arff, text))), std::nullopt) << path;
  }
  EXPECT_EQ(samples, known.samples);
  EXPECT_EQ(missing, known.missing);
}

std::vector<const char*> parts(const char* train, const char* valid, const char* test) {
  return {train, valid, test};
}

INSTANTIATE_TEST_SUITE_P(
    Sets, ArffData,
    ::testing::Values(
        KnownSet{"ImCLEF07A", {"ImCLEF07A_Train.arff", "ImCLEF07A_Test.arff"}, 11006, 80, 0, 97, 34, 63, 3, true},
        KnownSet{"Diatoms", {"Diatoms_train.arff", "Diatoms_test.arff"}, 3119, 371, 0, 399, 88, 311, 3, true},
        KnownSet{"Enron", {"Enron_corr_trainvalid.arff", "Enron_corr_test.arff"}, 1648, 1001, 0, 57, 5, 52, 3, true},
        KnownSet{"cellcycle_GO", parts("cellcycle_GO.train.arff", "cellcycle_GO.valid.arff", "cellcycle_GO.test.arff"),
                 3751, 77, 16136, 4126, 2085, 2041, 14, false},
        KnownSet{"eisen_GO", parts("eisen_GO.train.arff", "eisen_GO.valid.arff", "eisen_GO.test.arff"), 2418, 79, 3686,
                 3574, 1867, 1707, 14, false},
        KnownSet{"gasch1_GO", parts("gasch1_GO.train.arff", "gasch1_GO.valid.arff", "gasch1_GO.test.arff"), 3758, 173,
                 18067, 4126, 2085, 2041, 14, false},
        KnownSet{"gasch2_GO", parts("gasch2_GO.train.arff", "gasch2_GO.valid.arff", "gasch2_GO.test.arff"), 3773, 52,
                 6975, 4132, 2089, 2043, 14, false},
        KnownSet{"cellcycle_FUN",
                 parts("cellcycle_FUN.train.arff", "cellcycle_FUN.valid.arff", "cellcycle_FUN.test.arff"), 3757, 77,
                 16122, 500, 176, 324, 6, true},
        KnownSet{"eisen_FUN", parts("eisen_FUN.train.arff", "eisen_FUN.valid.arff", "eisen_FUN.test.arff"), 2424, 79,
                 3697, 462, 166, 296, 6, true},
        KnownSet{"gasch1_FUN", parts("gasch1_FUN.train.arff", "gasch1_FUN.valid.arff", "gasch1_FUN.test.arff"), 3764,
                 173, 18064, 500, 176, 324, 6, true},
        KnownSet{"gasch2_FUN", parts("gasch2_FUN.train.arff", "gasch2_FUN.valid.arff", "gasch2_FUN.test.arff"), 3779,
                 52, 6972, 500, 176, 324, 6, true}),
    [](const ::testing::TestParamInfo<KnownSet>& set) { return std::string(set.param.folder); });

}  // namespace
}  // namespace clade
