#include "io/numpy/npy.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "io/array_test_support.h"
#include "io/numpy/npy_array.h"
#include "io/numpy/npy_header.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using testing::rows_of;
using Rows = std::vector<std::vector<double>>;

// A .npy file of a version, with the literal as it is.
std::string npy_file(int version, const std::string& literal, const std::string& elements) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (unsigned k = 0; k < (version == 1 ? 2U : 4U); ++k) bytes += static_cast<char>(literal.size() >> (8 * k));
  return bytes + literal + elements;
}

template <class T>
std::string bytes_of(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (big_endian) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

std::string literal(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

ParsedData read(const std::string& bytes, const ReadOptions& options = ReadOptions(), int threads = 1) {
  Context ctx(Context::Options{.threads = threads});
  return read_npy(Input::from_bytes("x.npy", bytes), options, ctx);
}

template <class T>
void expect_reads(const std::string& code, const std::vector<T>& values) {
  Rows expected{{}, {}};
  for (std::size_t k = 0; k < values.size(); ++k) expected[k % 2].push_back(static_cast<double>(values[k]));
  const std::string shape = "(2, " + std::to_string(values.size() / 2) + ")";
  // Stored down the columns: with fortran_order the file's order is that of `values`.
  for (const bool big : {false, true}) {
    const std::string descr = (sizeof(T) == 1 ? "|" : big ? ">" : "<") + code;
    EXPECT_EQ(rows_of(read(npy_file(1, literal(descr, shape, true), bytes_of(values, big))).features), expected)
        << descr;
  }
}

TEST(Npy, ReadsEveryNumberType) {
  expect_reads<std::int8_t>("i1", {-128, 127, 0, 1});
  expect_reads<std::int16_t>("i2", {-32768, 32767, 0, 258});
  expect_reads<std::int32_t>("i4", {std::numeric_limits<std::int32_t>::min(), 16909060, 0, -1});
  expect_reads<std::int64_t>("i8", {-9007199254740992, 9007199254740992, 72057594037927936, -1});
  expect_reads<std::uint8_t>("u1", {255, 128, 0, 1});
  expect_reads<std::uint16_t>("u2", {65535, 258});
  expect_reads<std::uint32_t>("u4", {4294967295U, 16909060});
  expect_reads<std::uint64_t>("u8", {9007199254740992ULL, 1});
  expect_reads<float>("f4", {-1.5F, 3.4e38F, 1e-45F, 0.1F});
  expect_reads<double>("f8", {-1.5, 1.7e308, 5e-324, 0.1});
  expect_reads<std::uint8_t>("b1", {0, 1});
}

TEST(Npy, ReadsHalfPrecision) {
  // 1, -2, the largest, the smallest, the largest below normal, minus zero
  const std::vector<std::uint16_t> bits{0x3C00, 0xC000, 0x7BFF, 0x0001, 0x03FF, 0x8000};
  const Rows rows = rows_of(read(npy_file(1, literal("<f2", "(1, 6)"), bytes_of(bits))).features);
  EXPECT_THAT(rows[0], ElementsAre(1.0, -2.0, 65504.0, 0x1p-24, 0x1.ff8p-15, 0.0));
  expect_input_error(0, "row 1, column 1: infinite",
                     [] { read(npy_file(1, literal("<f2", "(1, 1)"), bytes_of<std::uint16_t>({0x7C00}))); });
  EXPECT_EQ(read(npy_file(1, literal("<f2", "(1, 1)"), bytes_of<std::uint16_t>({0x7E00}))).missing_values, 1);
}

TEST(Npy, ReadsRowsInCOrder) {
  const auto data = read(npy_file(1, literal("<f8", "(2, 3)"), bytes_of<double>({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(rows_of(data.features), (Rows{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(data.labels.samples(), 2);
  EXPECT_TRUE(data.labels.names().empty());
}

TEST(Npy, ReadsAllVersionsAndSpellingsOfTheHeader) {
  const std::string elements = bytes_of<double>({7});
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(rows_of(read(npy_file(version, literal("<f8", "(1, 1)"), elements)).features), (Rows{{7}})) << version;
  }
  for (const char* text : {"{'shape': (1L, 1L), 'fortran_order': False, 'descr': '<f8'}",
                           "{\"descr\":\"=f8\",\"fortran_order\":True,\"shape\":(1,1,)}   \n",
                           " { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 1 , 1 ) } "}) {
    EXPECT_EQ(rows_of(read(npy_file(1, text, elements)).features), (Rows{{7}})) << text;
  }
}

TEST(Npy, MissingValuesAreCountedAndFound) {
  const double nan = std::nan("");
  const auto data = read(npy_file(1, literal("<f8", "(2, 2)"), bytes_of<double>({1, 2, 3, nan})));
  EXPECT_EQ(data.missing_values, 1);
  EXPECT_EQ(data.first_missing.line, 2);
  EXPECT_EQ(data.first_missing.column, 2);
}

TEST(Npy, InfiniteAndTooLargeValuesAreErrorsWithTheirPlace) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_input_error(0, "x.npy: row 2, column 1: infinite",
                     [&] { read(npy_file(1, literal("<f8", "(2, 2)"), bytes_of<double>({1, 2, -inf, inf}))); });
  const std::string large = npy_file(1, literal("<f8", "(1, 2)"), bytes_of<double>({1, 1e39}));
  EXPECT_EQ(rows_of(read(large).features), (Rows{{1, 1e39}}));
  expect_input_error(0, "row 1, column 2: infinite or too large for single precision",
                     [&] { read(large, testing::single_precision()); });
}

TEST(Npy, RoundedIntegersAreSaid) {
  const auto data = read(
      npy_file(1, literal("<i8", "(1, 3)"), bytes_of<std::int64_t>({9007199254740993, -9007199254740993, 1LL << 60U})));
  EXPECT_THAT(data.notes, ElementsAre("2 integers are too long for a double and were rounded"));
}

TEST(Npy, FloatsStayFloatsOnRequest) {
  const auto data = read(npy_file(1, literal("<f4", "(1, 1)"), bytes_of<float>({0.1F})), testing::single_precision());
  EXPECT_EQ(std::get<DenseMatrix<float>>(data.features).values[0], 0.1F);
}

struct BadHeader {
  const char* text;
  const char* message;
};

TEST(Npy, BadHeadersAreErrors) {
  const BadHeader cases[] = {
      {"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}", "Python objects"},
      {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1)}", "records"},
      {"{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1)}", "'<c16' cannot be read"},
      {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1, 1)}", "unknown element type"},
      {"{'descr': '<f16', 'fortran_order': False, 'shape': (1, 1)}", "'<f16' cannot be read"},
      {"{'descr': '|f8', 'fortran_order': False, 'shape': (1, 1)}", "no byte order"},
      {"{'descr': '<U0', 'fortran_order': False, 'shape': (1, 1)}", "cannot be read"},
      {"{'descr': '<U99999999999', 'fortran_order': False, 'shape': (1, 1)}", "unknown element type"},
      {"{'descr': 'f8', 'fortran_order': False, 'shape': (1, 1)}", "unknown element type"},
      {"{'descr': '<f8', 'fortran_order': False}", "expected the keys"},
      {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", "once each"},
      {"{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1)}", "True or False"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1)}", "',' after the only length"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 1)}", "expected a length"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999999999999999)}", "beyond 2^63"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "too large"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}", "too large"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 1)}", "too large"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} os.system", "expected the end of the header"},
      {"{'descr': '<f\\x38', 'fortran_order': False, 'shape': (1, 1)}", "backslash"},
      {"{'descr': '<f8", "closing quote"},
      {"[1]", "expected '{'"},
      {"", "expected '{'"},
  };
  for (const auto& [text, message] : cases) {
    expect_input_error(0, message, [&] { read(npy_file(1, text, bytes_of<double>({1}))); });
  }
}

TEST(Npy, ABadHeaderSaysWhichByte) {
  expect_input_error(0, "x.npy: unexpected text at byte 1 of the array's header; expected a quoted string",
                     [] { read(npy_file(1, "{descr}", "")); });
}

TEST(Npy, OtherFilesAreErrors) {
  expect_input_error(0, "x.npy: the file ends inside the array's header", [] { read(""); });
  expect_input_error(0, "the file ends inside", [] { read("\x93NUM"); });
  expect_input_error(0, "not a NumPy array", [] { read("1,2,3\n"); });
  expect_input_error(0, "a Python pickle", [] { read("\x80\x04\x95 some pickle"); });
  expect_input_error(0, "version 9.0", [] { read(npy_file(9, literal("<f8", "(1, 1)"), bytes_of<double>({1}))); });
  const std::string whole = npy_file(1, literal("<f8", "(1, 1)"), bytes_of<double>({1}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(read(whole.substr(0, size)), Error) << size;
  }
  expect_input_error(0, "7 bytes of elements; expected 8 bytes for the shape (1, 1)",
                     [&] { read(whole.substr(0, whole.size() - 1)); });
  expect_input_error(0, "9 bytes of elements; expected 8", [&] { read(whole + "x"); });
}

TEST(Npy, OtherShapesAreErrors) {
  expect_input_error(0, "the array has the shape (2,); expected two dimensions",
                     [] { read(npy_file(1, literal("<f8", "(2,)"), bytes_of<double>({1, 2}))); });
  expect_input_error(0, "the shape ()", [] { read(npy_file(1, literal("<f8", "()"), bytes_of<double>({1}))); });
  expect_input_error(0, "the shape (1, 1, 1)",
                     [] { read(npy_file(1, literal("<f8", "(1, 1, 1)"), bytes_of<double>({1}))); });
  expect_input_error(0, "holds strings", [] { read(npy_file(1, literal("|S1", "(1, 1)"), "a")); });
}

TEST(Npy, ClaimedSizesAreNotAllocated) {
  expect_input_error(0, "expected 8000000000 bytes",
                     [] { read(npy_file(1, literal("<f8", "(1, 1000000000)"), bytes_of<double>({1}))); });
  expect_input_error(0, "1000000000000 samples in a file of",
                     [] { read(npy_file(1, literal("<f8", "(1000000000000, 0)"), "")); });
  expect_input_error(0, "3000000000 columns", [] { read(npy_file(1, literal("<f8", "(0, 3000000000)"), "")); });
  EXPECT_EQ(row_count(read(npy_file(1, literal("<f8", "(3, 0)"), "")).features), 3);
}

TEST(Npy, AnyNumberOfThreadsGivesTheSame) {
  RandomStream random(3, {kTestStream});
  std::vector<double> values(9100);
  for (double& value : values) value = random.below(50) == 0 ? std::nan("") : random.normal();
  for (const bool fortran : {false, true}) {
    const std::string file = npy_file(1, literal("<f8", "(700, 13)", fortran), bytes_of(values));
    const auto one = read(file, ReadOptions(), 1);
    for (const int threads : {2, 3}) {
      const auto more = read(file, ReadOptions(), threads);
      EXPECT_EQ(difference(testing::unlabelled(read(file, ReadOptions(), threads).features),
                           testing::unlabelled(read(file, ReadOptions(), 1).features)),
                std::nullopt);
      EXPECT_EQ(more.missing_values, one.missing_values);
      EXPECT_EQ(more.first_missing.line, one.first_missing.line);
      EXPECT_EQ(more.first_missing.column, one.first_missing.column);
    }
  }
}

std::string written(const Dataset& data) {
  Context ctx(Context::Options{.threads = 1});
  StringSink sink;
  write_npy(data, {}, sink, ctx);
  return sink.text();
}

TEST(Npy, WritesWhatNumpyWrites) {
  DenseMatrix<double> matrix{.rows = 1, .columns = 2, .values = Buffer<double>(2)};
  matrix.values[0] = 1.5;
  matrix.values[1] = -2;
  const std::string text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
  const std::string expected =
      npy_file(1, text + std::string(117 - text.size(), ' ') + "\n", bytes_of<double>({1.5, -2}));
  EXPECT_EQ(written(testing::unlabelled(std::move(matrix))), expected);
}

TEST(Npy, RoundTripIsExact) {
  std::uint64_t seed = 0;
  for (const bool sparse : {false, true}) {
    for (const bool single : {false, true}) {
      const Dataset data = testing::random_dataset({.sparse = sparse, .single = single}, 37, 11, ++seed);
      const ReadOptions options = single ? testing::single_precision() : ReadOptions();
      const Dataset back = testing::as_dataset(read(written(data), options));
      LabelSets none;
      none.offsets.assign(38, 0);
      EXPECT_EQ(difference(data.relabelled(flat_taxonomy({}), none), back), std::nullopt);
    }
  }
}

TEST(Npy, WritesTheRowsOfAView) {
  DenseMatrix<double> matrix{.rows = 3, .columns = 1, .values = Buffer<double>(3)};
  for (Index k = 0; k < 3; ++k) matrix.values[k] = static_cast<double>(k);
  const Dataset view = testing::unlabelled(std::move(matrix)).subset({2, 0, 2});
  EXPECT_EQ(rows_of(read(written(view)).features), (Rows{{2}, {0}, {2}}));
}

TEST(Npy, RefusesSparseDataTooLargeToBeDense) {
  SparseMatrix<double> matrix{
      .rows = 3, .columns = kMaxFeatures, .offsets = Buffer<Index>(4), .indices = {}, .values = {}};
  std::fill(matrix.offsets.begin(), matrix.offsets.end(), 0);
  const Dataset data = testing::unlabelled(std::move(matrix));
  expect_input_error(0, ".npz", [&] { written(data); });
}

TEST(Npy, LabelsComeFromAFileOfTheirOwn) {
  const TemporaryFolder folder;
  const std::string path = folder.write("labels.txt", "b\na;b\n");
  const auto data = read(npy_file(1, literal("<f8", "(2, 1)"), bytes_of<double>({1, 2})), testing::labels_in(path));
  EXPECT_THAT(testing::labels_of(data.labels), ElementsAre("b", "a+b"));
}

}  // namespace
}  // namespace clade
