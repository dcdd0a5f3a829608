#include <gmock/gmock.h>

#include <cstring>

#include "io/array_test_support.h"
#include "io/numpy/npy.h"
#include "io/numpy/npz_archive.h"

namespace clade {
namespace {

using testing::DataShape;
using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::IsEmpty;
using testing::labels_of;
using testing::rows_of;
using Rows = std::vector<std::vector<double>>;

Context& context() {
  static Context ctx(Context::Options{.threads = 1});
  return ctx;
}

// Builds .npz files array by array.
class NpzBuilder {
 public:
  template <class T>
  NpzBuilder& array(const std::string& name, const std::string& descr, const std::vector<Index>& shape,
                    const std::vector<T>& elements) {
    writer_->begin(name, descr, sizeof(T), shape);
    writer_->write(std::span<const T>(elements));
    return *this;
  }
  NpzBuilder& doubles(const std::string& name, const std::vector<Index>& shape, const std::vector<double>& elements) {
    return array(name, "<f8", shape, elements);
  }
  NpzBuilder& integers(const std::string& name, const std::vector<std::int32_t>& elements) {
    return array(name, "<i4", {std::ssize(elements)}, elements);
  }
  // Strings of at most four bytes.
  NpzBuilder& strings(const std::string& name, const std::vector<std::string>& texts) {
    std::vector<char> bytes;
    for (const auto& text : texts) {
      for (std::size_t k = 0; k < 4; ++k) bytes.push_back(k < text.size() ? text[k] : '\0');
    }
    writer_->begin(name, "|S4", 4, {std::ssize(texts)});
    writer_->write(bytes.data(), bytes.size());
    return *this;
  }
  NpzBuilder& text(const std::string& name, const std::string& content) {
    writer_->begin(name, "|S" + std::to_string(content.size()), std::ssize(content), {});
    writer_->write(content.data(), content.size());
    return *this;
  }
  NpzBuilder& raw(const std::string& name, const std::string& descr, Index item_size, const std::vector<Index>& shape,
                  const std::string& bytes) {
    writer_->begin(name, descr, item_size, shape);
    writer_->write(bytes.data(), bytes.size());
    return *this;
  }
  std::string bytes() {
    writer_->close();
    return sink_->text();
  }

 private:
  std::unique_ptr<StringSink> sink_ = std::make_unique<StringSink>();
  std::unique_ptr<NpzWriter> writer_ = std::make_unique<NpzWriter>(*sink_);
};

ParsedData read(const std::string& bytes, const ReadOptions& options = ReadOptions()) {
  return read_npz(Input::from_bytes("x.npz", bytes), options, context());
}

std::string written(const Dataset& data) {
  StringSink sink;
  write_npz(data, {}, sink, context());
  return sink.text();
}

NpzBuilder sparse_file(const std::string& format) {
  // 1 0 2 / 0 0 3
  NpzBuilder file;
  file.text("format", format).integers("shape", {2, 3}).doubles("data", {3}, {1, 2, 3});
  return file;
}

TEST(Npz, EverythingSurvivesTheRoundTrip) {
  std::uint64_t seed = 100;
  for (const DataShape& shape : testing::all_data_shapes()) {
    const Dataset data = testing::random_dataset(shape, 29, 7, ++seed);
    const ReadOptions options = shape.single ? testing::single_precision() : ReadOptions();
    const std::string file = written(data);
    for (const int threads : {1, 2, 3}) {
      Context ctx(Context::Options{.threads = threads});
      ParsedData parsed = read_npz(Input::from_bytes("x.npz", file), options, ctx);
      EXPECT_TRUE(parsed.labels_are_names);
      EXPECT_THAT(parsed.notes, IsEmpty());
      EXPECT_EQ(is_sparse(parsed.features), shape.sparse);
      const Dataset back = testing::as_dataset(std::move(parsed));
      ASSERT_EQ(difference(data, back), std::nullopt) << seed;
      for (NodeId node = 0; node < data.taxonomy().size(); ++node) {
        EXPECT_EQ(data.taxonomy().input_position(node), back.taxonomy().input_position(node));
      }
    }
  }
}

TEST(Npz, TheSameDataGivesTheSameBytes) {
  const Dataset data = testing::random_dataset({.sparse = true, .names = true}, 29, 7, 5);
  EXPECT_EQ(written(data), written(data));
}

TEST(Npz, ALabelAtAVirtualRootSurvives) {
  const std::vector<std::string> classes{"(root)", "b"};  // a class that takes the root's usual name
  LabelSets labels;
  labels.nodes = {0, 1};
  labels.offsets = {0, 1, 2};
  DenseMatrix<double> matrix{.rows = 2, .columns = 0, .values = {}};
  const Dataset data = testing::unlabelled(std::move(matrix)).relabelled(flat_taxonomy(classes), labels);
  EXPECT_EQ(data.taxonomy().name(0), "(root)'");
  EXPECT_EQ(difference(data, testing::as_dataset(read(written(data)))), std::nullopt);
}

TEST(Npz, OneClassUnderAVirtualRootStaysTwoNodes) {
  const std::vector<std::string> classes{"only"};
  DenseMatrix<double> matrix{.rows = 0, .columns = 3, .values = {}};
  LabelSets none;
  const Dataset data = testing::unlabelled(std::move(matrix)).relabelled(flat_taxonomy(classes), none);
  const Dataset back = testing::as_dataset(read(written(data)));
  EXPECT_EQ(back.taxonomy().size(), 2);
  EXPECT_EQ(difference(data, back), std::nullopt);
}

TEST(Npz, MiscellaneousLeavesAreFoldedAway) {
  TaxonomyBuilder builder;
  builder.edge("top", "below");
  LabelSets labels;
  labels.nodes = {0, 1};
  labels.offsets = {0, 1, 2};
  DenseMatrix<double> matrix{.rows = 2, .columns = 0, .values = {}};
  const Dataset data = testing::unlabelled(std::move(matrix)).relabelled(builder.build(), labels);
  const Dataset leaves = with_leaf_labels(data);
  ASSERT_EQ(leaves.taxonomy().size(), 3);
  EXPECT_EQ(difference(data, testing::as_dataset(read(written(leaves)))), std::nullopt);
}

TEST(Npz, WritesTheRowsOfAView) {
  const Dataset data = testing::random_dataset({.sparse = true, .names = true, .several_labels = true}, 9, 5, 8);
  const Dataset view = data.subset({7, 0, 7, 3});
  EXPECT_EQ(difference(view, testing::as_dataset(read(written(view)))), std::nullopt);
}

TEST(Npz, NamesThatStringsCannotHoldAreErrors) {
  DenseMatrix<double> matrix{.rows = 1, .columns = 1, .values = Buffer<double>(1)};
  matrix.values[0] = 1;
  LabelSets labels;
  labels.offsets = {0, 0};
  for (const auto& [name, message] : {std::pair(std::string("a\0", 2), "NUL"), {std::string("\xff"), "not UTF-8"}}) {
    DenseMatrix<double> copy{.rows = 1, .columns = 1, .values = Buffer<double>(1)};
    copy.values[0] = 1;
    const Dataset data({.features = std::move(copy),
                        .labels = labels,
                        .taxonomy = flat_taxonomy({}),
                        .feature_names = {name},
                        .sample_names = {},
                        .vectorizer = nullptr});
    expect_input_error(0, message, [&] { written(data); });
  }
}

class FullDisk : public Sink {
 public:
  void write(std::string_view bytes) override {
    room_ -= std::ssize(bytes);
    if (room_ < 0) throw system_error("x.npz", "cannot write", ENOSPC);
  }

 private:
  Index room_ = 100;
};

TEST(Npz, AFailingSinkIsReported) {
  const Dataset data = testing::random_dataset({}, 29, 7, 9);
  FullDisk sink;
  try {
    write_npz(data, {}, sink, context());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kSystem);
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
}

TEST(Npz, ReadsFeaturesAndLabelsUnderTheirUsualNames) {
  for (const std::string features : {"X", "data", "features", "arr_0"}) {
    for (const std::string labels : {"y", "Y", "labels", "target", "arr_1"}) {
      const auto data = read(NpzBuilder().doubles(features, {2, 2}, {1, 2, 3, 4}).integers(labels, {7, -3}).bytes());
      EXPECT_EQ(rows_of(data.features), (Rows{{1, 2}, {3, 4}}));
      EXPECT_THAT(labels_of(data.labels), ElementsAre("7", "-3"));
      EXPECT_FALSE(data.labels_are_names);
    }
  }
}

TEST(Npz, ReadsLabelsOfEveryKind) {
  const auto with = [](auto add) {
    NpzBuilder file;
    file.doubles("X", {2, 1}, {1, 2});
    add(file);
    return labels_of(read(file.bytes()).labels);
  };
  EXPECT_THAT(with([](auto& f) { f.strings("y", {"cat", "a;b"}); }), ElementsAre("cat", "a+b"));
  EXPECT_THAT(with([](auto& f) { f.strings("y", {"", "b"}); }), ElementsAre("", "b"));
  EXPECT_THAT(with([](auto& f) { f.doubles("y", {2}, {3, -0.0}); }), ElementsAre("3", "0"));
  EXPECT_THAT(with([](auto& f) { f.doubles("y", {2, 1}, {3, 1}); }), ElementsAre("3", "1"));
  EXPECT_THAT(with([](auto& f) { f.doubles("y", {2, 3}, {0, 1, 1, 0, 0, 0}); }), ElementsAre("1+2", ""));
  EXPECT_THAT(with([](auto& f) { f.template array<std::uint32_t>("y", "<U1", {2}, {0xE9, 'b'}); }),
              ElementsAre("é", "b"));
  EXPECT_THAT(with([](auto& f) { f.template array<std::uint8_t>("y", "|b1", {2}, {1, 0}); }), ElementsAre("1", "0"));
}

TEST(Npz, BadLabelsAreErrors) {
  const auto with = [](auto add) {
    NpzBuilder file;
    file.doubles("X", {2, 1}, {1, 2});
    add(file);
    const std::string bytes = file.bytes();
    read(bytes);
  };
  expect_input_error(0, "array y: labels for 3 samples; expected 2",
                     [&] { with([](auto& f) { f.integers("y", {1, 2, 3}); }); });
  expect_input_error(0, "array y: row 2: label 0.5", [&] { with([](auto& f) { f.doubles("y", {2}, {1, 0.5}); }); });
  expect_input_error(0, "row 2: label nan", [&] { with([](auto& f) { f.doubles("y", {2}, {1, std::nan("")}); }); });
  expect_input_error(0, "row 2: value 2 in column 1",
                     [&] { with([](auto& f) { f.doubles("y", {2, 2}, {1, 0, 2, 0}); }); });
  expect_input_error(0, "row 1: an empty label", [&] { with([](auto& f) { f.strings("y", {"a;", "b"}); }); });
  expect_input_error(0, "labels of shape (2, 1, 1)", [&] { with([](auto& f) { f.doubles("y", {2, 1, 1}, {1, 0}); }); });
  expect_input_error(0, "0xd800 is no Unicode character",
                     [&] { with([](auto& f) { f.template array<std::uint32_t>("y", "<U1", {2}, {0xD800, 'b'}); }); });
  expect_input_error(0, "string 2 is not UTF-8", [&] { with([](auto& f) { f.strings("y", {"a", "\xE9"}); }); });
  expect_input_error(0, "is too large",
                     [&] { with([](auto& f) { f.template array<std::uint64_t>("y", "<u8", {2}, {1, ~0ULL}); }); });
}

TEST(Npz, ReadsSparseMatricesOfScipy) {
  const Rows expected{{1, 0, 2}, {0, 0, 3}};
  EXPECT_EQ(
      rows_of(read(sparse_file("csr").integers("indices", {0, 2, 2}).integers("indptr", {0, 2, 3}).bytes()).features),
      expected);
  EXPECT_EQ(rows_of(read(sparse_file("coo").integers("row", {0, 0, 1}).integers("col", {0, 2, 2}).bytes()).features),
            expected);
  NpzBuilder by_columns = sparse_file("csc");
  by_columns.integers("indices", {0, 0, 1}).integers("indptr", {0, 1, 1, 3});
  EXPECT_EQ(rows_of(read(by_columns.bytes()).features), expected);
}

TEST(Npz, SortsTheColumnsOfARow) {
  const auto data = read(sparse_file("csr").integers("indices", {2, 0, 2}).integers("indptr", {0, 2, 3}).bytes());
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  EXPECT_THAT(matrix.row_indices(0), ElementsAre(0, 2));
  EXPECT_THAT(matrix.row_values(0), ElementsAre(2, 1));
}

TEST(Npz, BadSparseMatricesAreErrors) {
  const auto csr = [](const std::vector<std::int32_t>& indices, const std::vector<std::int32_t>& indptr) {
    read(sparse_file("csr").integers("indices", indices).integers("indptr", indptr).bytes());
  };
  expect_input_error(0, "row 1 has two values for column 3", [&] { csr({2, 2, 2}, {0, 2, 3}); });
  expect_input_error(0, "array indices: index 3 in element 2; expected 0 to 2", [&] { csr({0, 3, 2}, {0, 2, 3}); });
  expect_input_error(0, "index -1 in element 1", [&] { csr({-1, 2, 2}, {0, 2, 3}); });
  expect_input_error(0, "array indices: 2 indices; expected 3", [&] { csr({0, 2}, {0, 1, 2}); });
  expect_input_error(0, "array indptr: 2 offsets; expected one more than 2", [&] { csr({0, 2, 2}, {0, 3}); });
  expect_input_error(0, "offsets from 0 to 4; expected from 0 to 3", [&] { csr({0, 2, 2}, {0, 2, 4}); });
  expect_input_error(0, "the offset falls after element 2", [&] { csr({0, 2, 2}, {0, 4, 3}); });
  expect_input_error(0, "no array named indices", [&] { read(sparse_file("csr").bytes()); });
  expect_input_error(0, "format bsr", [&] { read(sparse_file("bsr").bytes()); });
  expect_input_error(0, "no array named shape", [&] { read(NpzBuilder().text("format", "csr").bytes()); });
  expect_input_error(0, "not the shape of a data matrix", [&] {
    read(NpzBuilder().text("format", "csr").integers("shape", {2}).doubles("data", {1}, {1}).bytes());
  });
  expect_input_error(0, "row 1 has two values for column 1",
                     [&] { read(sparse_file("coo").integers("row", {0, 0, 0}).integers("col", {0, 2, 0}).bytes()); });
  expect_input_error(0, "array col: index 3",
                     [&] { read(sparse_file("coo").integers("row", {0, 0, 0}).integers("col", {0, 2, 3}).bytes()); });
  expect_input_error(0, "row 1, column 1: infinite", [&] {
    read(NpzBuilder()
             .text("format", "coo")
             .integers("shape", {1, 1})
             .doubles("data", {1}, {HUGE_VAL})
             .integers("row", {0})
             .integers("col", {0})
             .bytes());
  });
}

TEST(Npz, ClaimedRowsAreNotAllocated) {
  const auto coo = [](std::int32_t rows, std::int32_t columns) {
    NpzBuilder file;
    file.text("format", "coo").integers("shape", {rows, columns}).doubles("data", {1}, {5});
    return file.integers("row", {0}).integers("col", {0}).bytes();
  };
  expect_input_error(0, "1000000000 samples in a file of", [&] { read(coo(1000000000, 1)); });
  EXPECT_EQ(column_count(read(coo(1, 1000000000)).features), 1000000000);
}

TEST(Npz, MissingValuesOfASparseMatrixAreFound) {
  NpzBuilder file;
  file.text("format", "csr").integers("shape", {2, 3}).doubles("data", {2}, {1, std::nan("")});
  const auto data = read(file.integers("indices", {0, 1}).integers("indptr", {0, 1, 2}).bytes());
  EXPECT_EQ(data.missing_values, 1);
  EXPECT_EQ(data.first_missing.line, 2);
  EXPECT_EQ(data.first_missing.column, 2);
}

TEST(Npz, BadNamesAndNodesAreErrors) {
  const auto with = [](auto add) {
    NpzBuilder file;
    file.doubles("X", {2, 1}, {1, 2});
    add(file);
    ParsedData data = read(file.bytes());
    if (data.hierarchy) data.hierarchy->build();
  };
  expect_input_error(0, "array feature_names: 2 names; expected 1",
                     [&] { with([](auto& f) { f.strings("feature_names", {"a", "b"}); }); });
  expect_input_error(0, "array sample_names: 1 names; expected 2",
                     [&] { with([](auto& f) { f.strings("sample_names", {"a"}); }); });
  expect_input_error(0, "expected strings in one dimension",
                     [&] { with([](auto& f) { f.integers("sample_names", {1, 2}); }); });
  expect_input_error(0, "node 'a' twice", [&] { with([](auto& f) { f.strings("node_names", {"a", "a"}); }); });
  const auto tree = [&](std::vector<std::int32_t> edges, bool virtual_root) {
    with([&](auto& f) {
      f.strings("node_names", {"a", "b", "r"});
      f.template array<std::int32_t>("edges", "<i4", {std::ssize(edges) / 2, 2}, edges);
      f.template array<std::uint8_t>("virtual_root", "|b1", {}, {static_cast<std::uint8_t>(virtual_root)});
    });
  };
  tree({2, 0, 0, 1}, true);
  expect_input_error(0, "row 1: node 3; expected 0 to 2", [&] { tree({3, 0}, false); });
  expect_input_error(0, "cycle", [&] { tree({0, 1, 1, 0}, false); });
  expect_input_error(0, "its own parent", [&] { tree({0, 0}, false); });
  expect_input_error(0, "twice", [&] { tree({0, 1, 0, 1}, false); });
  expect_input_error(0, "the virtual root is not above node 1", [&] { tree({2, 0}, true); });
  expect_input_error(0, "the virtual root is above node 1", [&] { tree({2, 0, 2, 1, 0, 1}, true); });
  expect_input_error(0, "the virtual root has a parent", [&] { tree({2, 0, 2, 1, 0, 2}, true); });
  const auto labels = [&](std::vector<std::int32_t> indices, std::vector<std::int32_t> indptr) {
    with([&](auto& f) {
      f.strings("node_names", {"a", "b"}).integers("label_indices", indices).integers("label_indptr", indptr);
    });
  };
  expect_input_error(0, "array label_indices: node 2 for sample 2; expected 0 to 1",
                     [&] { labels({0, 2}, {0, 1, 2}); });
  expect_input_error(0, "labels for 1 samples; expected 2", [&] { labels({0, 1}, {0, 2}); });
  expect_input_error(0, "offsets that do not fit", [&] { labels({0, 1}, {0, 3, 2}); });
}

TEST(Npz, ArraysThatAreNotUsedAreSaid) {
  const auto data =
      read(NpzBuilder().doubles("X", {1, 1}, {1}).doubles("data", {1, 1}, {1}).integers("seed", {3}).bytes());
  EXPECT_THAT(data.notes, ElementsAre("arrays not used: data, seed"));
}

TEST(Npz, OtherFilesAreErrors) {
  expect_input_error(0, "not a .npz file", [] { read("hello"); });
  expect_input_error(0, "not a .npz file", [] { read(""); });
  expect_input_error(0, "corrupt archive", [] { read("PK\x03\x04 and nothing else"); });
  expect_input_error(0, "no features among the arrays (y)", [] { read(NpzBuilder().integers("y", {1}).bytes()); });
  expect_input_error(0, "two arrays named X",
                     [] { read(NpzBuilder().doubles("X", {1, 1}, {1}).doubles("X", {1, 1}, {2}).bytes()); });
  expect_input_error(0, "array X: the array holds Python objects",
                     [] { read(NpzBuilder().raw("X", "|O", 8, {1}, "12345678").bytes()); });
}

TEST(Npz, DamagedArchivesAreErrors) {
  RandomStream random(4, {kTestStream});
  std::vector<double> values(200);
  for (double& value : values) value = random.normal();
  const std::string whole = NpzBuilder().doubles("X", {20, 10}, values).bytes();
  ASSERT_EQ(row_count(read(whole).features), 20);
  for (std::size_t size = 0; size < whole.size(); size += 17) EXPECT_THROW(read(whole.substr(0, size)), Error) << size;
  // A flipped bit anywhere in the packed bytes is caught by the checksum at the latest.
  const std::size_t packed = whole.find("X.npy") + 60;
  for (std::size_t at = packed; at < packed + 1000; at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    EXPECT_THROW(read(damaged), Error) << at;
  }
}

// Numbers with random digits are not packed; the checksum of several pieces is computed by several threads.
TEST(Npz, ArraysThatDoNotShrinkAreStored) {
  RandomStream random(5, {kTestStream});
  constexpr Index kRows = 3000;
  constexpr Index kColumns = 101;
  std::vector<double> values(static_cast<std::size_t>(kRows * kColumns));
  for (double& value : values) value = random.normal();
  const std::string whole =
      NpzBuilder().doubles("X", {kRows, kColumns}, values).doubles("y", {kRows}, std::vector<double>(kRows, 1)).bytes();
  EXPECT_GT(whole.size(), values.size() * sizeof(double));
  const std::string_view content(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  const std::size_t place = whole.find(content.substr(0, 64));
  ASSERT_NE(place, std::string::npos);
  EXPECT_EQ(std::string_view(whole).substr(place, content.size()), content);
  for (const int threads : {1, 2, 3}) {
    Context ctx(Context::Options{.threads = threads});
    const ParsedData data = read_npz(Input::from_bytes("x.npz", whole), ReadOptions(), ctx);
    const auto& matrix = std::get<DenseMatrix<double>>(data.features);
    EXPECT_TRUE(std::ranges::equal(matrix.values, values));
    for (const std::size_t at : {place, place + content.size() / 2, place + content.size() - 1}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      EXPECT_THROW(read_npz(Input::from_bytes("x.npz", damaged), ReadOptions(), ctx), Error) << at;
    }
  }
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 100) {
    EXPECT_THROW(read(whole.substr(0, size)), Error) << size;
  }
  // A damaged directory is no reason to crash: what it says is checked, or left to libarchive.
  for (std::size_t at = whole.size() - 200; at < whole.size(); ++at) {
    for (const int bit : {1, 16, 128}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      try {
        const ParsedData data = read(damaged);
        if (const auto* matrix = std::get_if<DenseMatrix<double>>(&data.features); matrix->columns == kColumns) {
          EXPECT_TRUE(std::ranges::equal(matrix->values, values)) << at;
        }
      } catch (const Error&) {
        continue;
      }
    }
  }
}

TEST(Npz, AMemberThatUnpacksToMoreThanItsShapeIsCutOff) {
  // A shape of one value, then a hundred megabytes of zeros that pack to a hundred kilobytes.
  StringSink sink;
  NpzWriter writer(sink);
  const std::vector<char> zeros(1 << 20, '\0');
  writer.begin("X", "|S8", 100 << 20, {1});
  for (int k = 0; k < 100; ++k) writer.write(zeros.data(), zeros.size());
  writer.close();
  expect_input_error(0, "array X: more bytes than its shape says", [&] { read(sink.text()); });
}

}  // namespace
}  // namespace clade
