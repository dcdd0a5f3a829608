// Files that are damaged, hostile or not what they seem: each is one clear error, never a crash or a great allocation.

#include <cmath>

#include "core/random.h"
#include "io/mat/mat_support.h"

namespace clade::mat_testing {
namespace {

Mat5Builder with_labels(const std::vector<double>& labels) {
  Mat5Builder builder;
  const auto rows = std::ssize(labels);
  std::vector<double> values(labels.size(), 1.0);
  values.insert(values.end(), labels.begin(), labels.end());
  builder.matrix("data_array", rows, values).matrix("tree", 4, {0, 1, 1, 3});
  return builder;
}

Dataset small_dataset(bool sparse) {
  Mat5Builder builder;
  if (sparse) {
    builder.sparse("X", 3, {2, 0, 1, 2}, {0, 1, 1, 4}, {9, 7, 8, 6});
  } else {
    builder.matrix("X", 3, {1, 2, 3, 4, 5, 6});
  }
  builder.matrix("Y", 3, {1, 1, 2}).cells("node_names", {u"a", u"bb"}).cells("sample_names", {u"s", u"", u"t"});
  return as_dataset(parse(builder));
}

TEST(MatBadInput, NotAMatlabFile) {
  expect_parse_error("", {"not a MATLAB file", "level 5"});
  expect_parse_error("1 1:0.5 2:0.25\n-1 2:1\n", {"not a MATLAB file"});
  expect_parse_error(std::string(4000, '\xFF'), {"not a MATLAB file"});
  expect_parse_error("MATLAB 5.0 MAT-file, Platform", {"level 5 file is truncated or corrupt"});
  expect_parse_error("MATLAB 7.3 MAT-file, Platform", {"no HDF5 signature"});
}

TEST(MatBadInput, LevelFourIsNamed) {
  // A level 4 matrix: type 0, 1 x 1, real, a name of two bytes.
  std::string little(20, '\0');
  little[4] = little[8] = 1;
  little[16] = 2;
  expect_parse_error(little + std::string("X\0", 2) + std::string(8, '\0'), {"level 4 files are not read", "-v7"});
  std::string big(20, '\0');
  big[2] = 3;
  big[3] = static_cast<char>(1000 - 768);
  expect_parse_error(big + "X", {"level 4 files are not read"});
}

TEST(MatBadInput, EveryTruncationIsAnError) {
  for (const bool sparse : {false, true}) {
    for (const bool mat73 : {false, true}) {
      const std::string whole = written(small_dataset(sparse), mat73);
      ASSERT_NO_THROW(parse(whole));
      for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string part = whole.substr(0, size);
        // A level 5 file cut between two variables has lost the later ones only: it must not read as the whole.
        try {
          const Dataset read = as_dataset(parse(part));
          EXPECT_FALSE(mat73) << "7.3 read from " << size << " of " << whole.size() << " bytes";
          EXPECT_TRUE(difference(read, small_dataset(sparse)).has_value()) << size;
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), Error::Kind::kInput) << error.what();
        }
      }
    }
  }
}

TEST(MatBadInput, TruncationSaysWhere) {
  const std::string whole = small_tree().file();
  expect_parse_error(whole.substr(0, 131), {"byte 128: truncated: an element needs 4 bytes, 3 are left"});
  expect_parse_error(whole.substr(0, 200), {"byte 136: truncated: an element needs 136 bytes, 64 are left"});
  const std::string packed = small_tree(false, true).file();
  Mat5Builder cut;
  cut.add_raw(Mat5Builder::kCompressed, packed.substr(136, 20));
  expect_parse_error(cut, {"byte 128: the compressed element that begins here is truncated"});
}

TEST(MatBadInput, CorruptStreams) {
  std::string file = small_tree(false, true).file();
  file[file.size() - 1] = static_cast<char>(file.back() ^ 1);  // the checksum of the last variable
  expect_parse_error(file, {"the compressed element that begins here is corrupt"});
  Mat5Builder garbage;
  garbage.add_raw(Mat5Builder::kCompressed, "not a zlib stream");
  expect_parse_error(garbage, {"byte 128: the compressed element that begins here is corrupt"});
  Mat5Builder foreign;
  foreign.add_raw(3, "abcdefgh");
  expect_parse_error(foreign, {"an element of data type 3", "14", "15"});
}

TEST(MatBadInput, DimensionsMustAgreeWithTheData) {
  Mat5Builder builder;
  builder.add(builder.header("X", Mat5Builder::kDoubleClass, {1000000000, 2}) +
              builder.numbers<double>(Mat5Builder::kDouble, {1, 2, 3}));
  builder.matrix("Y", 1, {1});
  expect_parse_error(builder, {"variable 'X' has 3 numbers; expected 1000000000 x 2"});
  for (const double size : {-1.0, 2147483647.0}) {
    Mat5Builder large;
    large.add(large.header("X", Mat5Builder::kDoubleClass, {size, size, size}) +
              large.numbers<double>(Mat5Builder::kDouble, {1, 2, 3}));
    expect_parse_error(large, {"of a variable is", "expected a sane number"});
  }
}

TEST(MatBadInput, ClaimedSizesAreNotAllocated) {
  Mat5Builder empty_columns;
  empty_columns.add(empty_columns.header("X", Mat5Builder::kDoubleClass, {2000000000, 0}) +
                    empty_columns.element(Mat5Builder::kDouble, ""));
  empty_columns.matrix("Y", 1, {1});
  expect_parse_error(empty_columns, {"2000000000 rows of X in a file of"});
  Mat5Builder sparse;
  sparse.sparse("X", 2000000000, {}, {0, 0}, {}).matrix("Y", 1, {1});
  expect_parse_error(sparse, {"2000000000 rows of X in a file of"});
  Mat5Builder cells;
  cells.matrix("X", 1, {1}).add(cells.header("Y", Mat5Builder::kCellClass, {2000000000, 1}));
  expect_parse_error(cells, {"cell array 'Y' says it has 2000000000 cells"});
  Mat5Builder tree(false, true);
  tree.matrix("data_array", 1, {1, 1}).matrix<std::uint8_t>("tree", 1000000, std::vector<double>(1000000, 0.0), 2);
  expect_parse_error(tree, {"1000000 rows of tree in a file of"});
}

TEST(MatBadInput, LabelsMustBeNodes) {
  const char* expected = "expected the row number of a node in tree, 1 to 4";
  expect_parse_error(with_labels({1, 2, 5}), {"f.mat: row 3 of data_array: label 5", expected});
  expect_parse_error(with_labels({1, 0, 5}), {"row 2 of data_array: label 0", expected});
  expect_parse_error(with_labels({-1}), {"row 1 of data_array: label -1", expected});
  expect_parse_error(with_labels({1, 1.5}), {"row 2 of data_array: label 1.5", expected});
  expect_parse_error(with_labels({1, std::nan("")}), {"row 2 of data_array: label nan", expected});
  expect_parse_error(with_labels({1e300}), {"row 1 of data_array: label 1e+300", expected});
}

TEST(MatBadInput, ClassNumbersMustBeWhole) {
  Mat5Builder fraction;
  fraction.matrix("X", 2, {1, 2}).matrix("Y", 2, {1, 2.5});
  expect_parse_error(fraction, {"row 2 of Y: class 2.5; expected a whole number"});
  Mat5Builder missing;
  missing.matrix("X", 2, {1, 2}).matrix("Y", 2, {std::nan(""), 1});
  expect_parse_error(missing, {"row 1 of Y: class nan"});
  Mat5Builder beyond;
  beyond.matrix("X", 2, {1, 2}).matrix("Y", 2, {1, 3}).cells("node_names", {u"a", u"b"});
  expect_parse_error(beyond, {"row 2 of Y: class 3; expected a position in node_names, 1 to 2"});
}

TEST(MatBadInput, CountsMustAgree) {
  Mat5Builder rows;
  rows.matrix("X", 3, {1, 2, 3}).matrix("Y", 2, {1, 2});
  expect_parse_error(rows, {"X has 3 rows, but Y has the labels of 2 samples"});
  Mat5Builder names = small_tree();
  names.cells("feature_names", {u"a"});
  expect_parse_error(names, {"variable 'feature_names' has 1 texts; expected 2, the number of features"});
  Mat5Builder nodes = small_tree();
  nodes.cells("node_names", {u"a", u"b", u"c", u"b"});
  expect_parse_error(nodes, {"row 4 of node_names: another node is named 'b' too"});
  Mat5Builder labels = small_tree();
  labels.matrix("labels", 3, {1, 0, 0});
  expect_parse_error(labels, {"variable 'labels' is 3 x 1; expected a row per sample and a column per class, 3 x 4"});
}

TEST(MatBadInput, HierarchiesMustBeSound) {
  const auto tree = [](const std::vector<double>& parents) {
    Mat5Builder builder;
    builder.matrix("data_array", 1, {5, 1}).matrix("tree", std::ssize(parents), parents);
    return builder;
  };
  expect_parse_error(tree({0, 3}), {"row 2 of tree: parent 3; expected a row number from 1 to 2, or 0"});
  expect_parse_error(tree({0, 0.5}), {"row 2 of tree: parent 0.5"});
  expect_parse_error(tree({0, -1}), {"row 2 of tree: parent -1"});
  expect_error([&] { as_dataset(parse(tree({0, 2}))); }, {"node '2' is its own parent"});
  expect_error([&] { as_dataset(parse(tree({0, 3, 2}))); }, {"the hierarchy has a cycle: '3' -> '2' -> '3'"});
  Mat5Builder twice = small_tree();
  twice.matrix("parents", 1, {4, 3});
  expect_error([&] { as_dataset(parse(twice)); }, {"edge from '3' to '4' is given twice"});
  Mat5Builder outside = small_tree();
  outside.matrix("parents", 1, {4, 5});
  expect_parse_error(outside, {"row 1 of parents: child 4, parent 5"});
  Mat5Builder root = small_tree();
  root.matrix("virtual_root", 1, {2});
  expect_parse_error(root, {"row 2 of tree has a parent and is the virtual root"});
}

TEST(MatBadInput, NoLayoutListsTheVariables) {
  Mat5Builder builder;
  builder.matrix("alpha", 2, {1, 2, 3, 4}).cells("beta", {u"x"});
  expect_parse_error(builder, {"no known layout; the variables are alpha (2 x 2 double), beta (1 x 1 cell)",
                               "expected data_array and tree, or X and Y"});
  expect_parse_error(Mat5Builder(), {"the variables are none"});
}

TEST(MatBadInput, WrongKindsOfVariables) {
  Mat5Builder complex;
  complex.add(complex.header("X", Mat5Builder::kDoubleClass, {1, 1}, 0x800) +
              complex.numbers<double>(Mat5Builder::kDouble, {1}) + complex.numbers<double>(Mat5Builder::kDouble, {1}));
  complex.matrix("Y", 1, {1});
  expect_parse_error(complex, {"variable 'X' is complex numbers; expected a matrix of real numbers"});
  Mat5Builder structure;
  structure.add(structure.header("X", Mat5Builder::kStructClass, {1, 1})).matrix("Y", 1, {1});
  expect_parse_error(structure, {"variable 'X' is 1 x 1 struct"});
  Mat5Builder text;
  text.add(text.text("X", u"words")).matrix("Y", 1, {1});
  expect_parse_error(text, {"variable 'X' is text"});
  Mat5Builder names = small_tree();
  names.matrix("feature_names", 2, {1, 2});
  expect_parse_error(names, {"variable 'feature_names' is not a list of texts"});
  Mat5Builder surrogate = small_tree();
  surrogate.cells("feature_names", {std::u16string(1, char16_t{0xD800}), u"b"});
  expect_parse_error(surrogate, {"variable 'feature_names' is not a list of texts"});
}

TEST(MatBadInput, SparseMatricesMustHoldTogether) {
  const auto sparse = [](double rows, const std::vector<double>& row_indices, const std::vector<double>& starts,
                         const std::vector<double>& values) {
    Mat5Builder builder;
    builder.sparse("X", rows, row_indices, starts, values).matrix("Y", 2, {1, 2});
    return builder;
  };
  expect_parse_error(sparse(2, {0, 2}, {0, 1, 2}, {1, 2}), {"sparse variable 'X': entry 2 is in row 3"});
  expect_parse_error(sparse(2, {0, -1}, {0, 1, 2}, {1, 2}), {"sparse variable 'X': entry 2 is in row 0"});
  expect_parse_error(sparse(2, {0, 1}, {0, 2, 1}, {1, 2}), {"sparse variable 'X': column 3 starts at 1"});
  expect_parse_error(sparse(2, {0, 1}, {1, 2, 2}, {1, 2}), {"sparse variable 'X': column 1 starts at 1"});
  expect_parse_error(sparse(2, {0, 1}, {0, 1, 9}, {1, 2}), {"sparse variable 'X': 7 entries are missing"});
  expect_parse_error(sparse(2, {0, 0}, {0, 2}, {1, 2}), {"row 1, column 1 of X: the value is stored twice"});
}

TEST(MatBadInput, FlippedBytesNeverDoHarm) {
  for (const bool mat73 : {false, true}) {
    const std::string whole = written(small_dataset(mat73), mat73);
    RandomStream random(7, {kTestStream, mat73 ? 1U : 0U});
    for (int round = 0; round < 5000; ++round) {
      std::string damaged = whole;
      for (Index flips = 1 + random.below(3); flips > 0; --flips) {
        damaged[static_cast<std::size_t>(random.below(std::ssize(damaged)))] = static_cast<char>(random.below(256));
      }
      try {
        as_dataset(parse(damaged));
      } catch (const Error& error) {
        ASSERT_EQ(error.kind(), Error::Kind::kInput) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace clade::mat_testing
