// What read_mat makes of level 5 files that were put together byte by byte.

#include <cmath>

#include "io/mat/mat_support.h"

namespace clade::mat_testing {
namespace {

using Strings = std::vector<std::string>;
using Numbers = std::vector<double>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Mat, ReadsTheTreeLayoutInEitherByteOrderPackedOrNot) {
  for (const bool big_endian : {false, true}) {
    for (const bool packed : {false, true}) {
      const ParsedData parsed = parse(small_tree(big_endian, packed));
      EXPECT_EQ(values_of(parsed.features), (Numbers{0.5, 10, 1.5, 20, -2.5, 30}));
      EXPECT_FALSE(is_sparse(parsed.features));
      EXPECT_EQ(labels_of(parsed.labels), (Strings{"2", "4", "2"}));
      EXPECT_TRUE(parsed.labels_are_names);
      EXPECT_TRUE(parsed.notes.empty());
      EXPECT_EQ(parsed.missing_values, 0);
    }
  }
}

TEST(Mat, NodesKeepTheOrderOfTheRowsAndDepthsComeFromTheParents) {
  Mat5Builder builder;
  // The root is row 2; column 2 states depths that are wrong.
  builder.matrix("tree", 4, {2, 0, 2, 1, 7, 7, 7, 7});
  builder.matrix("data_array", 1, {5, 4});
  const Taxonomy taxonomy = as_dataset(parse(builder)).taxonomy();
  EXPECT_EQ(taxonomy.size(), 4);
  EXPECT_EQ(taxonomy.name(taxonomy.root()), "2");
  EXPECT_FALSE(taxonomy.has_virtual_root());
  for (const auto& [name, depth] : {std::pair("1", 1), {"2", 0}, {"3", 1}, {"4", 2}}) {
    const NodeId node = taxonomy.find(name).value_or(kNoNode);
    EXPECT_EQ(taxonomy.depth(node), depth) << name;
    EXPECT_EQ(taxonomy.input_position(node), std::stoi(name) - 1);
  }
}

TEST(Mat, SeveralRootsGetAVirtualOne) {
  Mat5Builder builder;
  builder.matrix("tree", 3, {0, 0, 1}).matrix("data_array", 1, {5, 3});
  const Taxonomy taxonomy = as_dataset(parse(builder)).taxonomy();
  EXPECT_TRUE(taxonomy.has_virtual_root());
  EXPECT_EQ(taxonomy.size(), 4);
}

TEST(Mat, EveryStorageTypeGivesTheSameNumbers) {
  const Numbers stored{1, 2, 3, 100, 101, 102};
  const Numbers rows{1, 100, 2, 101, 3, 102};
  for (const bool big_endian : {false, true}) {
    const auto check = [&](auto zero, std::uint32_t type) {
      using T = decltype(zero);
      Mat5Builder builder(big_endian, true);
      builder.matrix<T>("X", 3, stored, type);
      builder.matrix<T>("Y", 3, {7, 9, 7}, type);
      const ParsedData parsed = parse(builder);
      EXPECT_EQ(values_of(parsed.features), rows) << type;
      EXPECT_EQ(labels_of(parsed.labels), (Strings{"7", "9", "7"})) << type;
    };
    check(std::int8_t{}, Mat5Builder::kInt8);
    check(std::uint8_t{}, Mat5Builder::kUInt8);
    check(std::int16_t{}, Mat5Builder::kInt16);
    check(std::uint16_t{}, Mat5Builder::kUInt16);
    check(std::int32_t{}, Mat5Builder::kInt32);
    check(std::uint32_t{}, Mat5Builder::kUInt32);
    check(std::int64_t{}, Mat5Builder::kInt64);
    check(std::uint64_t{}, Mat5Builder::kUInt64);
    check(float{}, Mat5Builder::kSingle);
    check(double{}, Mat5Builder::kDouble);
  }
}

TEST(Mat, IntegersBeyondDoublesAreCountedAndNoted) {
  Mat5Builder builder;
  const std::string content = builder.header("X", 14, {2, 1}) +
                              builder.element(Mat5Builder::kInt64, builder.number((std::int64_t{1} << 53) + 1) +
                                                                       builder.number(std::int64_t{-5}));
  builder.add(content).matrix("Y", 2, {1, 2});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(values_of(parsed.features), (Numbers{9007199254740992.0, -5}));
  EXPECT_EQ(parsed.notes, (Strings{"1 integers of X beyond 2^53: rounded to the nearest double"}));
}

TEST(Mat, SinglePrecisionOnRequest) {
  ReadOptions options;
  options.precision = Precision::kFloat;
  const ParsedData parsed = parse(small_tree(), options);
  EXPECT_TRUE(is_single_precision(parsed.features));
  EXPECT_EQ(values_of(parsed.features), (Numbers{0.5, 10, 1.5, 20, -2.5, 30}));
  Mat5Builder large;
  large.matrix("X", 1, {1e39}).matrix("Y", 1, {1});
  EXPECT_EQ(values_of(parse(large).features), (Numbers{1e39}));
  expect_error([&] { parse(large, options); }, {"row 1, column 1 of X", "too large for single precision"});
}

TEST(Mat, ClassLayoutTakesColumnsRowsAndOtherNames) {
  for (const auto& [features, labels] :
       {std::pair("X", "Y"), {"x", "y"}, {"fea", "gnd"}, {"data", "labels"}, {"DATA", "Label"}}) {
    Mat5Builder column;
    column.matrix(features, 2, {1, 2, 3, 4}).matrix(labels, 2, {5, -1});
    EXPECT_EQ(labels_of(parse(column).labels), (Strings{"5", "-1"})) << features;
    Mat5Builder row;
    row.matrix(labels, 1, {5, -1}).matrix(features, 2, {1, 2, 3, 4});
    const ParsedData parsed = parse(row);
    EXPECT_EQ(labels_of(parsed.labels), (Strings{"5", "-1"})) << features;
    EXPECT_EQ(values_of(parsed.features), (Numbers{1, 3, 2, 4}));
    EXPECT_FALSE(parsed.hierarchy.has_value());
    EXPECT_TRUE(parsed.labels_are_names);
  }
}

TEST(Mat, ExactLettersComeBeforeOthers) {
  Mat5Builder builder;
  builder.matrix("x", 1, {1}).matrix("X", 1, {2}).matrix("y", 1, {3}).matrix("Y", 1, {4});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(values_of(parsed.features), (Numbers{2}));
  EXPECT_EQ(labels_of(parsed.labels), (Strings{"4"}));
  EXPECT_EQ(parsed.notes, (Strings{"variables not used: x (1 x 1 double), y (1 x 1 double)"}));
}

TEST(Mat, LabelMatrixGivesSeveralLabels) {
  Mat5Builder builder;
  builder.matrix("X", 3, {1, 2, 3}).matrix<std::uint8_t>("Y", 3, {1, 0, 1, 0, 0, 1}, Mat5Builder::kUInt8);
  EXPECT_EQ(labels_of(parse(builder).labels), (Strings{"1", "", "1+2"}));
  Mat5Builder one_sample;
  one_sample.matrix("X", 1, {1, 2}).matrix("Y", 1, {1, 0, 1});
  EXPECT_EQ(labels_of(parse(one_sample).labels), (Strings{"1+3"}));
  Mat5Builder bad;
  bad.matrix("X", 2, {1, 2}).matrix("Y", 2, {1, 0, 0, 3});
  expect_parse_error(bad, {"row 2, column 2 of Y: 3; expected 0 or 1"});
}

TEST(Mat, LabelsMayBeTexts) {
  Mat5Builder builder;
  builder.matrix("X", 2, {1, 2}).cells("Y", {u"Kühe/rot", u""});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(labels_of(parsed.labels), (Strings{"Kühe/rot", ""}));
  EXPECT_EQ(parsed.labels.names(), (Strings{"Kühe/rot"}));  // an empty text is no label
  EXPECT_FALSE(parsed.labels_are_names);
}

TEST(Mat, ReadsSparseMatrices) {
  for (const bool big_endian : {false, true}) {
    Mat5Builder builder(big_endian, true);
    builder.sparse("X", 3, {2, 0, 1, 2}, {0, 1, 1, 4}, {9, 7, 8, 6}).matrix("Y", 3, {1, 1, 2});
    const ParsedData parsed = parse(builder);
    ASSERT_TRUE(is_sparse(parsed.features));
    EXPECT_EQ(values_of(parsed.features), (Numbers{0, 0, 7, 0, 0, 8, 9, 0, 6}));
    EXPECT_EQ(std::get<SparseMatrix<double>>(parsed.features).nonzeros(), 4);
  }
}

TEST(Mat, SparseTreeLayoutTakesTheLabelsFromTheLastColumn) {
  Mat5Builder builder;
  builder.sparse("data_array", 2, {1, 0, 1}, {0, 1, 3}, {0.5, 1, 2}).matrix("tree", 2, {0, 1});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(values_of(parsed.features), (Numbers{0, 0.5}));
  EXPECT_EQ(labels_of(parsed.labels), (Strings{"1", "2"}));
}

TEST(Mat, ReadsNamesOfEverything) {
  Mat5Builder builder = small_tree();
  builder.cells("node_names", {u"all", u"a b ", u"\u65E5\u672C", u"\U0001F600"});
  builder.cells("feature_names", {u"f", u""}).cells("sample_names", {u"s1", u"s2", u"s3"});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(labels_of(parsed.labels), (Strings{"a b ", "\xF0\x9F\x98\x80", "a b "}));
  EXPECT_EQ(parsed.feature_names, (Strings{"f", ""}));
  EXPECT_EQ(parsed.sample_names, (Strings{"s1", "s2", "s3"}));
  EXPECT_TRUE(as_dataset(parse(builder)).taxonomy().find("\xE6\x97\xA5\xE6\x9C\xAC").has_value());
}

TEST(Mat, CharacterMatricesAreNamesPaddedWithBlanks) {
  Mat5Builder builder = small_tree();
  // Rows "ab " and "cde", column after column.
  builder.add(builder.header("feature_names", Mat5Builder::kCharClass, {2, 3}) +
              builder.element(Mat5Builder::kUInt8, "acbd e"));
  EXPECT_EQ(parse(builder).feature_names, (Strings{"ab", "cde"}));
}

TEST(Mat, Utf8TextCountsItsBytesAsItLikes) {
  Mat5Builder builder;
  builder.matrix("X", 1, {1}).matrix("Y", 1, {1});
  const std::string name = "Größe";
  const std::string cell =
      builder.header("", Mat5Builder::kCharClass, {1, 5}) + builder.element(Mat5Builder::kUtf8, name);
  builder.add(builder.header("feature_names", Mat5Builder::kCellClass, {1, 1}) +
              builder.number(std::uint32_t{Mat5Builder::kMatrix}) +
              builder.number(static_cast<std::uint32_t>(cell.size())) + cell);
  EXPECT_EQ(parse(builder).feature_names, (Strings{name}));
}

TEST(Mat, FurtherParentsAndSeveralLabels) {
  Mat5Builder builder = small_tree();
  builder.matrix("parents", 1, {4, 2});
  builder.sparse("labels", 3, {0, 2, 0}, {0, 0, 1, 2, 3}, {1, 1, 1});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(labels_of(parsed.labels), (Strings{"2+4", "", "3"}));
  const Taxonomy taxonomy = as_dataset(parse(builder)).taxonomy();
  EXPECT_FALSE(taxonomy.is_tree());
  EXPECT_EQ(taxonomy.parents(taxonomy.find("4").value_or(kNoNode)).size(), 2U);
}

TEST(Mat, OtherVariablesAreSkippedAndSaid) {
  Mat5Builder builder = small_tree();
  builder.add(builder.header("notes", Mat5Builder::kStructClass, {1, 1}) +
              builder.element(Mat5Builder::kInt32, "abcd"));
  builder.add(builder.header("cube", Mat5Builder::kDoubleClass, {2, 1, 2}) +
              builder.numbers<double>(Mat5Builder::kDouble, {1, 2, 3, 4}));
  builder.add(builder.element(Mat5Builder::kUInt32, builder.number(std::uint32_t{17}) + builder.number(0U)));
  EXPECT_EQ(parse(builder).notes,
            (Strings{"variables not used: notes (1 x 1 struct), cube (2 x 1 x 2 double), (no name) (opaque object)"}));
}

TEST(Mat, MissingValuesAreCountedAndPlaced) {
  Mat5Builder builder;
  // Row-major order decides which is first: row 2, column 1.
  builder.matrix("X", 3, {1, kNaN, 3, 4, 5, kNaN}).matrix("Y", 3, {1, 2, 3});
  const ParsedData parsed = parse(builder);
  EXPECT_EQ(parsed.missing_values, 2);
  EXPECT_EQ(parsed.first_missing.file, "f.mat: row 2, column 1 of X");
  Mat5Builder sparse;
  sparse.sparse("X", 2, {1, 0}, {0, 1, 2}, {kNaN, kNaN}).matrix("Y", 2, {1, 2});
  EXPECT_EQ(parse(sparse).missing_values, 2);
  EXPECT_EQ(parse(sparse).first_missing.file, "f.mat: row 1, column 2 of X");
}

TEST(Mat, InfinitiesAreErrors) {
  Mat5Builder dense;
  dense.matrix("X", 2, {1, 2, 3, kInfinity, -kInfinity, 6}).matrix("Y", 2, {1, 2});
  expect_parse_error(dense, {"f.mat: row 1, column 3 of X: the value is infinite; expected a finite number"});
  Mat5Builder sparse;
  sparse.sparse("X", 2, {1}, {0, 1}, {-kInfinity}).matrix("Y", 2, {1, 2});
  expect_parse_error(sparse, {"row 2, column 1 of X: the value is infinite"});
}

TEST(Mat, NoSamplesAndNoFeaturesAreLegal) {
  Mat5Builder none;
  none.add(none.header("X", Mat5Builder::kDoubleClass, {0, 5}) + none.element(Mat5Builder::kDouble, ""));
  none.add(none.header("Y", Mat5Builder::kDoubleClass, {0, 1}) + none.element(Mat5Builder::kDouble, ""));
  const ParsedData empty = parse(none);
  EXPECT_EQ(row_count(empty.features), 0);
  EXPECT_EQ(column_count(empty.features), 5);
  Mat5Builder labels_only;
  labels_only.matrix("data_array", 2, {1, 2}).matrix("tree", 2, {0, 1});
  const ParsedData narrow = parse(labels_only);
  EXPECT_EQ(column_count(narrow.features), 0);
  EXPECT_EQ(labels_of(narrow.labels), (Strings{"1", "2"}));
}

TEST(Mat, LargeMatricesAreTheSameForAnyNumberOfThreads) {
  constexpr Index kRows = 333;
  constexpr Index kColumns = 77;
  Numbers values;
  for (Index k = 0; k < kRows * kColumns; ++k) values.push_back(static_cast<double>(k) + 0.25);
  values[static_cast<std::size_t>(kRows * 3 + 200)] = kNaN;
  values[static_cast<std::size_t>(kRows * 9 + 70)] = kNaN;
  Mat5Builder builder(false, true);
  builder.matrix("X", kRows, values).matrix("Y", kRows, Numbers(static_cast<std::size_t>(kRows), 1.0));
  for (const int threads : {1, 2, 3}) {
    const ParsedData parsed = parse(builder.file(), {}, threads);
    EXPECT_EQ(parsed.missing_values, 2);
    EXPECT_EQ(parsed.first_missing.file, "f.mat: row 71, column 10 of X");
    const auto& matrix = std::get<DenseMatrix<double>>(parsed.features);
    for (Index r = 0; r < kRows; ++r) {
      for (Index c = 0; c < kColumns; ++c) {
        const double expected = values[static_cast<std::size_t>(c * kRows + r)];
        if (std::isnan(expected)) continue;
        ASSERT_EQ(matrix.row(r)[static_cast<std::size_t>(c)], expected);
      }
    }
  }
}

}  // namespace
}  // namespace clade::mat_testing
