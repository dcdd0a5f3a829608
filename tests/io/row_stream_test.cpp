#include "io/row_stream.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/random.h"
#include "temporary_folder.h"

namespace clade {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

// More than two blocks of lines.
std::string many_rows(Index rows) {
  RandomStream random(1, {kTestStream});
  std::string text;
  for (Index r = 0; r < rows; ++r) {
    text += std::to_string(r % 7);
    for (Index f = 1 + random.below(5); f < 400; f += 1 + random.below(60)) {
      text += " " + std::to_string(f) + ":" + std::to_string(random.below(100000));
    }
    text += "\n";
  }
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

Taxonomy any_taxonomy() {
  TaxonomyBuilder builder;
  builder.edge("root", "leaf");
  return builder.build();
}

TEST(RowStream, BlocksHoldTheRowsOfTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data.svm");
  write_file(path, many_rows(25000));
  Context ctx({.threads = 2});
  const Dataset whole = read_dataset(path, {}, ctx).data;
  RowStream stream(path, {}, ctx, kBlockBytes);
  Index rows = 0;
  int blocks = 0;
  while (const std::optional<Dataset> block = stream.next(any_taxonomy(), ctx)) {
    ++blocks;
    for (Index r = 0; r < block->samples(); ++r, ++rows) {
      EXPECT_EQ(block->sample_name(r), std::to_string(rows));
      EXPECT_TRUE(block->labels(r).empty());
      std::vector<std::pair<FeatureIndex, double>> expected;
      whole.for_each_value(rows, [&](FeatureIndex f, auto value) { expected.emplace_back(f, value); });
      std::vector<std::pair<FeatureIndex, double>> found;
      block->for_each_value(r, [&](FeatureIndex f, auto value) { found.emplace_back(f, value); });
      ASSERT_EQ(found, expected) << "row " << rows;
    }
  }
  EXPECT_EQ(rows, whole.samples());
  EXPECT_GT(blocks, 2);
}

TEST(RowStream, OtherFormatsComeInOneBlock) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data.csv");
  write_file(path, "a,b,label\n1,2,x\n3,4,y\n");
  Context ctx;
  RowStream stream(path, {}, ctx);
  const std::optional<Dataset> block = stream.next(any_taxonomy(), ctx);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->samples(), 2);
  EXPECT_EQ(block->feature_name(1), "b");
  EXPECT_FALSE(stream.next(any_taxonomy(), ctx));
}

TEST(RowStream, ALaterBlockSaysWhereItIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder.file("data.svm");
  write_file(path, many_rows(25000) + "1 nonsense\n");
  Context ctx;
  RowStream stream(path, {}, ctx, kBlockBytes);
  try {
    while (stream.next(any_taxonomy(), ctx)) {
    }
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("(lines from "), std::string::npos) << error.what();
  }
}

TEST(RowStream, RefusesWhatWouldMakeRowsDependOnEachOther) {
  Context ctx;
  EXPECT_THROW(RowStream("-", {}, ctx), Error);
  ReadOptions options;
  options.missing = Missing::kMean;
  EXPECT_THROW(RowStream("data.svm", options, ctx), Error);
}

}  // namespace
}  // namespace clade
