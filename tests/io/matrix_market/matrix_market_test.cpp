#include "io/matrix_market/matrix_market.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "io/array_test_support.h"
#include "real_data.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::labels_of;
using testing::rows_of;
using Rows = std::vector<std::vector<double>>;

ParsedData read(const std::string& text, const ReadOptions& options = ReadOptions(), int threads = 1) {
  Context ctx(Context::Options{.threads = threads});
  return read_matrix_market(Input::from_bytes("no/such/folder/m.mtx", text), options, ctx);
}

ReadOptions transposing() {
  ReadOptions options;
  options.transpose = true;
  return options;
}

std::string written(const Dataset& data) {
  Context ctx(Context::Options{.threads = 1});
  StringSink sink;
  write_matrix_market(data, {}, sink, ctx);
  return sink.text();
}

// The first line of most files here.
std::string real_file(const std::string& rest) {
  return "%%MatrixMarket matrix coordinate real general\n" + rest;
}

TEST(MatrixMarket, ReadsCoordinatesInAnyOrder) {
  const auto data = read(real_file("% a comment\n\n 2 3  4 \n2 3 4.5\n1\t1\t-1e2\n\n%more\n1 3 +3\n2 1 .5\n"));
  EXPECT_TRUE(is_sparse(data.features));
  EXPECT_EQ(rows_of(data.features), (Rows{{-100, 0, 3}, {0.5, 0, 4.5}}));
  EXPECT_EQ(data.labels.samples(), 2);
  EXPECT_THAT(data.notes, IsEmpty());
  EXPECT_TRUE(data.feature_names.empty());
}

TEST(MatrixMarket, TransposesOnRequest) {
  EXPECT_EQ(rows_of(read(real_file("2 3 2\n2 3 4\n1 2 5\n"), transposing()).features), (Rows{{0, 0}, {5, 0}, {0, 4}}));
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n", transposing()).features),
            (Rows{{1, 2}, {3, 4}, {5, 6}}));
}

TEST(MatrixMarket, ReadsCrlfAndMissingLastLineEnd) {
  EXPECT_EQ(
      rows_of(read("%%MatrixMarket matrix coordinate real general\r\n%c\r\n2 2 2\r\n1 1 5\r\n\r\n2 2 6").features),
      (Rows{{5, 0}, {0, 6}}));
}

TEST(MatrixMarket, TheBannerMayBeInAnyCase) {
  EXPECT_EQ(rows_of(read("%%matrixmarket MATRIX Coordinate Integer GENERAL\n1 1 1\n1 1 -7\n").features), (Rows{{-7}}));
}

TEST(MatrixMarket, ReadsPatterns) {
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n").features),
            (Rows{{0, 1}, {1, 0}}));
}

TEST(MatrixMarket, ReadsSymmetricMatrices) {
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n2 3 4\n").features),
            (Rows{{1, 0, 2}, {0, 0, 4}, {2, 4, 0}}));
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n").features),
            (Rows{{0, -3}, {3, 0}}));
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n").features),
            (Rows{{0, 1}, {1, 0}}));
}

TEST(MatrixMarket, ReadsArraysByColumns) {
  const auto data = read("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n\n4\n% x\n5\n6\n");
  EXPECT_FALSE(is_sparse(data.features));
  EXPECT_EQ(rows_of(data.features), (Rows{{1, 3, 5}, {2, 4, 6}}));
}

TEST(MatrixMarket, ReadsSymmetricArrays) {
  const std::string values = "1\n2\n3\n4\n5\n6\n";
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix array real symmetric\n3 3\n" + values).features),
            (Rows{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}));
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n").features),
            (Rows{{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}));
  EXPECT_EQ(rows_of(read("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").features), (Rows{{0}}));
}

TEST(MatrixMarket, MatricesWithoutEntries) {
  EXPECT_EQ(rows_of(read(real_file("2 2 0\n")).features), (Rows{{0, 0}, {0, 0}}));
  EXPECT_EQ(row_count(read(real_file("0 5 0")).features), 0);
  EXPECT_EQ(row_count(read("%%MatrixMarket matrix array real general\n3 0\n").features), 3);
}

TEST(MatrixMarket, MissingValuesAreCountedAndFound) {
  const auto data = read(real_file("2 2 3\n1 1 1\n2 1 nan\n2 2 NaN\n"));
  EXPECT_EQ(data.missing_values, 2);
  EXPECT_EQ(data.first_missing.line, 4);
  EXPECT_EQ(data.first_missing.column, 5);
  EXPECT_TRUE(std::isnan(rows_of(data.features)[1][0]));
}

TEST(MatrixMarket, RoundedIntegersAreSaid) {
  const auto data = read(
      "%%MatrixMarket matrix coordinate integer general\n1 3 3\n1 1 -9007199254740993\n1 2 4611686018427387904\n1 3 "
      "99999999999999999999\n");
  EXPECT_THAT(data.notes, ElementsAre("2 integers are too long for a double and were rounded"));
}

struct BadFile {
  const char* text;
  Index line;
  Index column;
  const char* message;
};

TEST(MatrixMarket, BadHeadersAreErrors) {
  const BadFile cases[] = {
      {"", 0, 0, "empty file"},
      {"1 2 3\n", 1, 0, "not a Matrix Market file"},
      {"%%MatrixMarket matrix coordinate real\n", 1, 0, "not a Matrix Market file"},
      {"%%MatrixMarket vector coordinate real general\n", 1, 0, "not a Matrix Market file"},
      {"%%MatrixMarket matrix sparse real general\n", 1, 0, "layout 'sparse'"},
      {"%%MatrixMarket matrix coordinate complex general\n", 1, 0, "'complex'; expected real, integer or pattern"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", 1, 0, "symmetry 'hermitian'"},
      {"%%MatrixMarket matrix array pattern general\n", 1, 0, "a pattern cannot be array"},
      {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", 1, 0, "cannot be skew-symmetric"},
      {"%%MatrixMarket matrix coordinate real general\n% only\n", 2, 0, "the file ends before its sizes"},
      {"%%MatrixMarket matrix coordinate real general\n", 1, 0, "the file ends before its sizes"},
      {"%%MatrixMarket matrix coordinate real general\n%\n2 2\n", 3, 0, "expected rows, columns and entries"},
      {"%%MatrixMarket matrix coordinate real general\n2 -2 1\n", 2, 0, "no sizes"},
      {"%%MatrixMarket matrix coordinate real general\n2 2.0 1\n", 2, 0, "no sizes"},
      {"%%MatrixMarket matrix coordinate real general\n2 99999999999999999999 1\n", 2, 0, "no sizes"},
      {"%%MatrixMarket matrix array real general\n2 2 4\n", 2, 0, "expected rows and columns"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", 2, 0, "symmetric matrix of 2 x 3"},
      {"%%MatrixMarket matrix array real general\n9000000000000000000 9\n", 2, 0, "expected less than 2^63"},
      {"%%MatrixMarket matrix coordinate real general\n1 2147483648 0\n", 2, 0, "2147483648 features"},
  };
  for (const auto& bad : cases) expect_input_error(bad.line, bad.message, [&] { read(bad.text); });
}

TEST(MatrixMarket, BadEntriesAreErrorsWithLineAndColumn) {
  const BadFile cases[] = {
      {"2 2 1\n0 1 5\n", 3, 1, "row 0; expected 1 to 2"},
      {"2 2 1\n3 1 5\n", 3, 1, "row 3; expected 1 to 2"},
      {"2 2 1\n\n 1 -1 5\n", 4, 4, "column -1; expected 1 to 2"},
      {"2 2 1\n1 1000000000 5\n", 3, 3, "column 1000000000"},
      {"2 2 1\n1 99999999999999999999 5\n", 3, 3, "column 99999999999999999999"},
      {"2 2 1\n1.5 1 5\n", 3, 1, "no row"},
      {"2 2 1\nx\n", 3, 1, "no row"},
      {"2 2 1\n1\n", 3, 2, "no column"},
      {"2 2 1\n1 2\n", 3, 4, "no value"},
      {"2 2 1\n1 2 x\n", 3, 5, "not a number"},
      {"2 2 1\n1 2 5 6\n", 3, 5, "not a number"},
      {"2 2 1\n1 2 5x\n", 3, 5, "not a number"},
      {"2 2 1\n1 2 inf\n", 3, 5, "infinite"},
      {"2 2 1\n1 2 1e999\n", 3, 5, "too large"},
      {"2 2 2\n1 2 1\n\n1 2 2\n", 5, 1, "row 1, column 2 was given in line 3 already"},
      {"2 2 2\n1 2 1\n", 3, 0, "1 entries; expected 2, by the sizes in line 2"},
      {"2 2 1\n1 2 1\n%\n2 2 1\n2 1 1\n", 5, 0, "3 entries; expected 1, by the sizes in line 2"},
      {"2 2 1\n", 2, 0, "0 entries; expected 1"},
  };
  for (const auto& bad : cases) {
    try {
      read(real_file(bad.text));
      ADD_FAILURE() << "no error for " << bad.text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kInput);
      EXPECT_EQ(error.where().line, bad.line) << error.what();
      EXPECT_EQ(error.where().column, bad.column) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(bad.message));
    }
  }
}

TEST(MatrixMarket, BadEntriesOfOtherKinds) {
  expect_input_error(3, "not an integer",
                     [] { read("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"); });
  expect_input_error(3, "a value in a pattern",
                     [] { read("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n"); });
  expect_input_error(3, "diagonal",
                     [] { read("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 1\n"); });
  expect_input_error(4, "row 1, column 2 was given in line 3",
                     [] { read("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n"); });
  expect_input_error(4, "1 entries; expected 4", [] { read("%%MatrixMarket matrix array real general\n2 2\n1\n\n"); });
  expect_input_error(4, "2 entries; expected 1", [] { read("%%MatrixMarket matrix array real general\n1 1\n1\n2\n"); });
  expect_input_error(3, "not a number", [] { read("%%MatrixMarket matrix array real general\n1 2\n1 2\n3\n"); });
  expect_input_error(3, "too large", [] {
    read("%%MatrixMarket matrix array real general\n1 1\n1e39\n", testing::single_precision());
  });
}

TEST(MatrixMarket, ClaimedSizesAreNotAllocated) {
  expect_input_error(2, "1000000000 samples in a file of", [] { read(real_file("1000000000 1 1\n1 1 1\n")); });
  expect_input_error(2, "1000000000 samples", [] { read(real_file("1 1000000000 1\n1 1 1\n"), transposing()); });
  const auto wide = read(real_file("1 1000000000 1\n1 1000000000 7\n"));
  EXPECT_EQ(column_count(wide.features), 1000000000);
  EXPECT_EQ(std::get<SparseMatrix<double>>(wide.features).row_indices(0)[0], 999999999);
  expect_input_error(2, "0 entries; expected 1000000000", [] { read(real_file("5 5 1000000000\n")); });
  expect_input_error(2, "0 entries; expected 100000000000",
                     [] { read("%%MatrixMarket matrix array real general\n100000 1000000\n"); });
}

// A file of several chunks whose entries are in random order.
std::string shuffled_file(Index rows, Index columns, bool array) {
  RandomStream random(11, {kTestStream});
  std::vector<std::string> lines;
  for (Index c = 1; c <= columns; ++c) {
    for (Index r = 1; r <= rows; ++r) {
      if (!array && random.below(3) != 0) continue;
      const std::string value = random.below(100) == 0 ? "nan" : std::to_string(random.normal());
      lines.push_back((array ? "" : std::to_string(r) + " " + std::to_string(c) + " ") + value + "\n");
    }
  }
  if (!array) random.shuffle(std::span(lines));
  std::string text = "%%MatrixMarket matrix " + std::string(array ? "array" : "coordinate") + " real general\n";
  text += std::to_string(rows) + " " + std::to_string(columns);
  text += array ? "\n" : " " + std::to_string(lines.size()) + "\n";
  for (const auto& line : lines) text += line;
  return text;
}

TEST(MatrixMarket, AnyNumberOfThreadsGivesTheSame) {
  for (const bool array : {false, true}) {
    const std::string text = shuffled_file(2000, 200, array);
    ASSERT_GT(text.size(), 2U << 20U);
    for (const bool transpose : {false, true}) {
      const ReadOptions options = transpose ? transposing() : ReadOptions();
      auto one = read(text, options, 1);
      for (const int threads : {2, 3}) {
        auto more = read(text, options, threads);
        EXPECT_EQ(more.missing_values, one.missing_values);
        EXPECT_EQ(more.first_missing.line, one.first_missing.line);
        auto again = read(text, options, 1);
        EXPECT_EQ(
            difference(testing::unlabelled(std::move(again.features)), testing::unlabelled(std::move(more.features))),
            std::nullopt);
      }
    }
  }
}

TEST(MatrixMarket, AnErrorFarIntoTheFileHasItsLineWithAnyNumberOfThreads) {
  std::string text = shuffled_file(2000, 200, false);
  const std::size_t at = text.rfind('\n', text.size() - 1000) + 1;
  text.insert(at, "1 201 5\n");
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  for (const int threads : {1, 2, 3}) {
    expect_input_error(line, "column 201", [&] { read(text, ReadOptions(), threads); });
  }
}

TEST(MatrixMarket, RoundTripIsExact) {
  std::uint64_t seed = 50;
  for (const bool sparse : {false, true}) {
    for (const bool single : {false, true}) {
      const Dataset data = testing::random_dataset({.sparse = sparse, .single = single}, 37, 11, ++seed);
      const ReadOptions options = single ? testing::single_precision() : ReadOptions();
      ParsedData parsed = read(written(data), options);
      EXPECT_EQ(is_sparse(parsed.features), sparse);
      LabelSets none;
      none.offsets.assign(38, 0);
      EXPECT_EQ(difference(data.relabelled(flat_taxonomy({}), none), testing::as_dataset(std::move(parsed))),
                std::nullopt);
    }
  }
}

TEST(MatrixMarket, WritesTheRowsOfAView) {
  DenseMatrix<double> matrix{.rows = 2, .columns = 2, .values = Buffer<double>(4)};
  const double values[] = {1, 2.5, std::nan(""), -4};
  std::copy(std::begin(values), std::end(values), matrix.values.begin());
  const Dataset view = testing::unlabelled(std::move(matrix)).subset({1, 0});
  EXPECT_EQ(written(view), "%%MatrixMarket matrix array real general\n2 2\nnan\n1\n-4\n2.5\n");
  const auto parsed = read(real_file("2 2 2\n1 2 0.1\n2 1 3\n"));
  const Dataset sparse = testing::as_dataset(read(real_file("2 2 2\n1 2 0.1\n2 1 3\n"))).subset({1, 1});
  EXPECT_EQ(written(sparse), real_file("2 2 2\n1 1 3\n2 1 3\n"));
}

// Files beside the matrix.
class MatrixMarketFiles : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) { folder_.write(name, text); }
  ParsedData load(const std::string& name, const ReadOptions& options = ReadOptions()) {
    Context ctx(Context::Options{.threads = 1});
    return read_matrix_market(Input::open(folder_.file(name), ctx), options, ctx);
  }
  std::string path(const std::string& name) const { return folder_.file(name); }

 private:
  TemporaryFolder folder_;
};

TEST_F(MatrixMarketFiles, TermsByDocumentsIsTransposed) {
  put("news_x.mtx", real_file("3 2 2\n3 1 5\n1 2 6\n"));
  put("news_x.terms", "alpha\nbeta\r\ngamma");
  put("news_x.docs", "d1\nd2\n");
  const auto data = load("news_x.mtx");
  EXPECT_EQ(rows_of(data.features), (Rows{{0, 0, 5}, {6, 0, 0}}));
  EXPECT_THAT(data.feature_names, ElementsAre("alpha", "beta", "gamma"));
  EXPECT_THAT(data.sample_names, ElementsAre("d1", "d2"));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("transposed")));
  EXPECT_EQ(rows_of(load("news_x.mtx", transposing()).features), (Rows{{0, 0, 5}, {6, 0, 0}}));
}

TEST_F(MatrixMarketFiles, DocumentsByTermsIsNot) {
  put("m.mtx", real_file("2 3 1\n1 3 5\n"));
  put("m.terms", "a\nb\nc\n");
  put("m.docs", "d1\nd2\n");
  const auto data = load("m.mtx");
  EXPECT_EQ(rows_of(data.features), (Rows{{0, 0, 5}, {0, 0, 0}}));
  EXPECT_THAT(data.sample_names, ElementsAre("d1", "d2"));
  EXPECT_THAT(data.notes, ElementsAre("names from the .terms and .docs files beside the matrix"));
}

TEST_F(MatrixMarketFiles, NamesThatDoNotFitAreLeftOutAndSaid) {
  put("m.mtx", real_file("2 3 1\n1 3 5\n"));
  put("m.terms", "a\nb\n");
  put("m.docs", "d1\nd2\n");
  const auto data = load("m.mtx");
  EXPECT_TRUE(data.sample_names.empty());
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("2 terms and 2 documents do not fit 2 x 3")));
}

TEST_F(MatrixMarketFiles, ClassListsAreFoundByName) {
  put("news_x.mtx", real_file("1 2 1\n1 2 6\n"));
  put("news_x.terms", "alpha\n");
  put("news_x.docs", "d1\nd2\n");
  put("other.disjoint.clist", "no, d1\n");
  put("news.a.clist", "a, d1\n");
  EXPECT_THAT(labels_of(load("news_x.mtx").labels), ElementsAre("a", ""));
  put("news.disjoint.clist", "b, d1\nc, d2\n");
  const auto data = load("news_x.mtx");
  EXPECT_THAT(labels_of(data.labels), ElementsAre("b", "c"));
  EXPECT_THAT(data.notes, ::testing::Contains("labels from news.disjoint.clist"));
  EXPECT_EQ(data.labels_file, path("news.disjoint.clist"));
  put("mine.txt", "x\ny\n");
  EXPECT_THAT(labels_of(load("news_x.mtx", testing::labels_in(path("mine.txt"))).labels), ElementsAre("x", "y"));
  put("short.txt", "x\n");
  expect_input_error(1, "labels for 1 samples; expected 2",
                     [&] { load("news_x.mtx", testing::labels_in(path("short.txt"))); });
}

TEST(MatrixMarket, ThreeSources) {
  const std::string folder = real_data_folder().string();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder << "; set CLADE_DATA";
  struct View {
    const char* name;
    Index samples;
    Index features;
    Index nonzeros;
  };
  Context ctx;
  for (const auto& [name, samples, features, nonzeros] :
       {View{"bbc", 352, 3560, 48226}, View{"guardian", 302, 3631, 47055}, View{"reuters", 294, 3068, 36744}}) {
    const std::string stem = folder + "/3sources/3sources";
    const auto data = read_matrix_market(Input::open(stem + "_" + name + ".mtx", ctx), ReadOptions(), ctx);
    EXPECT_EQ(row_count(data.features), samples);
    EXPECT_EQ(column_count(data.features), features);
    EXPECT_EQ(std::get<SparseMatrix<double>>(data.features).nonzeros(), nonzeros);
    EXPECT_EQ(std::ssize(data.sample_names), samples);
    EXPECT_EQ(std::ssize(data.feature_names), features);
    EXPECT_EQ(data.labels.names().size(), 6U);
    for (Index s = 0; s < samples; ++s) EXPECT_EQ(data.labels.of(s).size(), 1U) << s;
    const auto overlap = read_matrix_market(Input::open(stem + "_" + name + ".mtx", ctx),
                                            testing::labels_in(stem + ".overlap.clist"), ctx);
    Index several = 0;
    for (Index s = 0; s < samples; ++s) several += overlap.labels.of(s).size() > 1 ? 1 : 0;
    EXPECT_EQ(overlap.labels.names().size(), 6U);
    EXPECT_GT(several, 10);
  }
}

}  // namespace
}  // namespace clade
