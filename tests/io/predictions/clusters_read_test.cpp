#include <clade/predictions.h>

#include "core/random.h"
#include "io/predictions/predictions.h"
#include "io/predictions/predictions_support.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using predictions_test::samples_of;
using ::testing::ElementsAre;

Dataset samples(Index count, std::vector<std::string> names = {}) {
  return samples_of(flat_taxonomy(std::vector<std::string>{"a"}), count, std::move(names));
}

std::vector<Index> read(std::string_view text, const Dataset& data, int threads = 2) {
  Context ctx({.threads = threads});
  return parse_clusters(Input::from_bytes("in", text), data, ctx);
}

TEST(Clusters, AreNumberedAsTheSamplesHaveThem) {
  EXPECT_THAT(read("sample,cluster\n3,left\n1,right\n0,right\n2,7\n", samples(4)), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(read("cluster\tnote\tsample\r\n\"a\tb\"\t\ty\r\n\"a\tb\"\t\tx\r\n", samples(2, {"x", "y"})),
              ElementsAre(0, 0));
  EXPECT_THAT(read("sample,cluster\n0,1\n1,01\n2, 1 \n3,\" 1\"\n", samples(4)), ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(read("sample,cluster\n", samples(0)), ElementsAre());
}

TEST(Clusters, ErrorsNameTheLine) {
  const auto bad = [](std::string_view text, Index line, std::string_view piece) {
    predictions_test::expect_error([](const Input& input, Context& ctx) { parse_clusters(input, samples(3), ctx); },
                                   text, line, piece);
  };
  bad("", 1, "empty file; expected a header such as sample,cluster");
  bad("sample,cluster\n", 1, "a header and no rows");
  bad("sample,label\n0,a\n", 1, "no column is named 'cluster', only 'sample', 'label'");
  bad("id,cluster\n0,a\n", 1, "no column is named 'sample', only 'id', 'cluster'");
  bad("sample,cluster\n0,a\n3,a\n", 3, "sample '3' is not in the data");
  bad("sample,cluster\n0,a\n1,\n", 3, "no cluster; expected the name or number of one");
  bad("sample,cluster\n0,a\n1\n", 3, "1 column; expected 2");
  bad("sample,cluster\n0,a\n1,\"b\n2,a\n", 3, "a quoted field is not closed");
  bad("sample,cluster\n0,a\n1,b\xFF\n", 3, "byte 0xFF is not UTF-8");
  bad("sample,cluster\n0,a\n1,b\n\n0,a\n", 5,
      "sample '0' has a cluster in line 2 already; expected one row per sample");
  bad("sample,cluster\n1,b\n", 2, "the file ends without a cluster of sample '0' and 1 more");
}

TEST(Clusters, LargeFilesAreTheSameForAnyNumberOfThreads) {
  constexpr Index kSamples = 100000;
  const Dataset data = samples(kSamples);
  RandomStream random(6, {kTestStream});
  std::vector<Index> order(kSamples);
  std::vector<Index> cluster(kSamples);
  for (Index s = 0; s < kSamples; ++s) {
    order[static_cast<std::size_t>(s)] = s;
    cluster[static_cast<std::size_t>(s)] = random.below(500);
  }
  random.shuffle(std::span(order));
  std::string text = "sample,cluster\n";
  for (const Index s : order) {
    text += std::to_string(s) + ",group " + std::to_string(cluster[static_cast<std::size_t>(s)]) + "\n";
  }
  std::vector<Index> number(500, -1);
  Index next = 0;
  for (Index& c : cluster) {
    Index& renumbered = number[static_cast<std::size_t>(c)];
    if (renumbered < 0) renumbered = next++;
    c = renumbered;
  }
  for (const int threads : {1, 2, 3}) EXPECT_EQ(read(text, data, threads), cluster);
}

TEST(Clusters, FilesAreReadFromTheDisk) {
  const TemporaryFolder folder;
  Context ctx({.threads = 1});
  EXPECT_THAT(read_clusters(folder.write("c.csv", "sample,cluster\n0,b\n1,a\n"), samples(2), ctx), ElementsAre(0, 1));
}

}  // namespace
}  // namespace clade
