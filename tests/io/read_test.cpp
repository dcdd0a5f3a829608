#include <clade/io.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "data/random_data.h"
#include "io/compress.h"
#include "io/input.h"
#include "io/labels/labels.h"
#include "io/meta.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class Read : public ::testing::Test {
 protected:
  LoadedData load(const std::string& name, const std::string& content, const ReadOptions& options = kDefaults) {
    return read_dataset(folder_.write(name, content), options, ctx_);
  }
  std::vector<std::string> label_names(const Dataset& data, Index sample) {
    std::vector<std::string> names;
    for (const NodeId node : data.labels(sample)) names.push_back(data.taxonomy().name(node));
    return names;
  }

  static const ReadOptions kDefaults;
  TemporaryFolder folder_;
  Context ctx_{Context::Options{.threads = 2}};
};
const ReadOptions Read::kDefaults;

TEST_F(Read, FlatLabelsInNumericalOrByteOrder) {
  const Dataset numbers = load("n.svm", "10 1:1\n9 1:1\n-1 1:1\n").data;
  EXPECT_TRUE(numbers.taxonomy().has_virtual_root());
  EXPECT_THAT(
      std::vector<std::string>({numbers.taxonomy().name(1), numbers.taxonomy().name(2), numbers.taxonomy().name(3)}),
      ElementsAre("-1", "9", "10"));
  const Dataset names = load("w.svm", "b 1:1\nB 1:1\na 1:1\n").data;
  EXPECT_THAT(std::vector<std::string>({names.taxonomy().name(1), names.taxonomy().name(2), names.taxonomy().name(3)}),
              ElementsAre("B", "a", "b"));
}

TEST_F(Read, TheOrderOfRowsDoesNotChangeTheTaxonomy) {
  const Dataset a = load("a.csv", "x,label\n1,a/b\n2,c\n3,a/d\n").data;
  const Dataset b = load("b.csv", "x,label\n1,a/d\n2,a/b\n3,c\n").data;
  EXPECT_TRUE(a.taxonomy() == b.taxonomy());
}

TEST_F(Read, LabelsThatAnotherLabelImpliesAreDroppedAndCounted) {
  const LoadedData loaded = load("a.csv", "x,label\n1,a;a/b;a/b/c\n2,a;d\n3,a/b;a/b\n4,\n");
  EXPECT_THAT(label_names(loaded.data, 0), ElementsAre("a/b/c"));
  EXPECT_THAT(label_names(loaded.data, 1), ::testing::UnorderedElementsAre("a", "d"));
  EXPECT_THAT(label_names(loaded.data, 2), ElementsAre("a/b"));
  EXPECT_TRUE(loaded.data.labels(3).empty());
  EXPECT_THAT(loaded.report.notes, Contains(HasSubstr("2 stated labels are ancestors of another")));
  EXPECT_THAT(loaded.report.notes, Contains(HasSubstr("1 labels are stated twice")));
  EXPECT_THAT(loaded.report.notes, Contains(HasSubstr("1 sample without a label")));
}

TEST_F(Read, PathLabelsFindTheirNodeInATaxonomyOfPlainNames) {
  ReadOptions options;
  options.taxonomy = folder_.write("t.csv", "child,parent\nb,a\nc,b\nd,a\n");
  const Dataset data = load("a.csv", "x,label\n1,a/b/c\n2,a/c\n3,d\n", options).data;
  EXPECT_THAT(label_names(data, 0), ElementsAre("c"));
  EXPECT_THAT(label_names(data, 1), ElementsAre("c"));
  EXPECT_THAT(label_names(data, 2), ElementsAre("d"));
  // d is not below b: a path that contradicts the taxonomy is not silently cut to its end.
  EXPECT_THAT(failure([&] { load("b.csv", "x,label\n1,c\n2,b/d\n", options); }),
              HasSubstr("b.csv:3: label 'b/d' is not in the taxonomy; expected one of its 4 nodes"));
}

TEST_F(Read, BrokenPathsAreRefused) {
  for (const char* label : {"a//b", "/a/b", "a/b/"}) {
    EXPECT_THAT(failure([&] { load("p.csv", std::string("x,label\n1,") + label + "\n"); }),
                HasSubstr("has an empty part"));
  }
}

TEST_F(Read, DropSampleLeavesAViewThatWritesItsOwnRows) {
  ReadOptions options;
  options.missing = Missing::kDropSample;
  const LoadedData loaded = load("a.csv", "x,y,label\n1,2,a\n,3,b\n4,5,c\n", options);
  EXPECT_EQ(loaded.data.samples(), 2);
  for (const char* ending : {"csv", "svm", "arff", "mat", "npz", "mtx"}) {
    const std::string path = folder_.file(std::string("out.") + ending);
    write_dataset(loaded.data, path, {.overwrite = true}, ctx_);
    const Dataset back = read_dataset(path, kDefaults, ctx_).data;
    EXPECT_EQ(back.samples(), 2) << ending;
    EXPECT_EQ(values_of(back, 1)[1], 5) << ending;
    EXPECT_THAT(label_names(back, 1), ElementsAre("c")) << ending;
  }
}

// What a format cannot hold must come back from the file beside it, for every kind of data.
TEST_F(Read, EveryFormatBringsEverythingBack) {
  int seed = 0;
  for (const bool sparse : {false, true}) {
    for (const bool names : {false, true}) {
      for (const bool dag : {false, true}) {
        const Dataset data = random_dataset({.samples = 25,
                                             .features = 6,
                                             .nodes = 12,
                                             .dag = dag,
                                             .several_labels = true,
                                             .inner_labels = true,
                                             .sparse = sparse,
                                             .names = names,
                                             .missing = true,
                                             .seed = static_cast<std::uint64_t>(++seed)});
        for (const char* ending :
             {"svm", "csv", "tsv", "arff", "mat", "npy", "npz", "mtx", "svm.gz", "csv.xz", "npz.zst"}) {
          const std::string path = folder_.file("d." + std::to_string(seed) + "." + ending);
          write_dataset(data, path, {}, ctx_);
          ReadOptions options;
          options.missing = Missing::kKeep;
          const Dataset back = read_dataset(path, options, ctx_).data;
          EXPECT_EQ(difference(data, back), std::nullopt)
              << ending << (sparse ? " sparse" : "") << (names ? " named" : "") << (dag ? " dag" : "");
        }
      }
    }
  }
}

TEST_F(Read, MetaFilesThatDoNotFitAreRefused) {
  const Dataset data = random_dataset({.samples = 3, .features = 2, .names = true, .density = 1, .seed = 1});
  const std::string path = folder_.file("a.svm");
  write_dataset(data, path, {}, ctx_);
  const auto with_meta = [&](const std::string& content) {
    folder_.write("a.svm.meta.json", content);
    return failure([&] { read_dataset(path, kDefaults, ctx_); });
  };
  EXPECT_THAT(with_meta("[1]"), HasSubstr("not a meta file of Clade"));
  EXPECT_THAT(with_meta(R"({"clade_meta": 2, "samples": 3, "features": 2})"), HasSubstr("another version"));
  EXPECT_THAT(with_meta(R"({"clade_meta": 1, "samples": 4, "features": 2})"), HasSubstr("says 4 samples"));
  EXPECT_THAT(with_meta(R"({"clade_meta": 1, "samples": 3, "features": 1})"), HasSubstr("says 1 features"));
  EXPECT_THAT(with_meta(R"({"clade_meta": 1, "samples": 3, "features": 2, "feature_names": ["a"]})"),
              HasSubstr("has 1 feature_names; expected 2"));
  EXPECT_THAT(with_meta(R"({"clade_meta": 1, "samples": 3, "features": 99999999999})"), HasSubstr("more features"));
  const std::string tree = R"({"clade_meta": 1, "samples": 3, "features": 2, "taxonomy": {"virtual_root": false, )";
  EXPECT_THAT(with_meta(tree + R"("nodes": ["a", "a"], "edges": []}})"), HasSubstr("named twice"));
  EXPECT_THAT(with_meta(tree + R"("nodes": ["a", "b"], "edges": [[0, 2]]}})"), HasSubstr("names no node"));
  EXPECT_THAT(with_meta(tree + R"("nodes": ["a", "b"], "edges": [[0, 1], [1, 0]]}})"), HasSubstr("cycle"));
}

// A process that dies between its two renames leaves one file of each data set.
TEST_F(Read, AMetaFileIsNeverMixedWithOtherData) {
  const RandomDataOptions options{.samples = 8, .features = 3, .names = true, .seed = 1};
  RandomDataOptions other = options;
  other.seed = 2;
  for (const char* ending : {"svm", "npy", "mtx", "svm.gz", "mtx.zst"}) {
    const std::string one = folder_.file(std::string("one.") + ending);
    const std::string two = folder_.file(std::string("two.") + ending);
    write_dataset(random_dataset(options), one, {}, ctx_);
    write_dataset(random_dataset(other), two, {}, ctx_);
    std::filesystem::copy_file(two + ".meta.json", one + ".meta.json",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_THAT(failure([&] { read_dataset(one, kDefaults, ctx_); }),
                HasSubstr(one + ".meta.json: was written with other data than " + one + " now holds"));
    // Writing it again mends it.
    write_dataset(random_dataset(options), one, {.overwrite = true}, ctx_);
    EXPECT_EQ(difference(random_dataset(options), read_dataset(one, kDefaults, ctx_).data), std::nullopt);
  }
}

// Several windows of lines, one of them longer than a window.
std::string many_lines() {
  std::string text;
  for (int row = 0; text.size() < 18'000'000; ++row) {
    text += fmt::format("c{}{}", row % 7, row % 5 == 0 ? ",d" : "");
    const int values = row == 1000 ? 900'000 : row % 50;
    for (int k = 1; k <= values; ++k) text += fmt::format(" {}:{}", k, (row + k) % 10);
    text += row % 3 == 0 ? "\r\n" : "\n";
  }
  return text;
}

TEST_F(Read, CompressedLinesAreReadWhileTheyAreUnpacked) {
  const std::string text = many_lines();
  const std::string plain = folder_.write("plain.svm", text);
  const auto expected = read_dataset(plain, kDefaults, ctx_);
  for (const char* ending : {".gz", ".zst"}) {
    StringSink packed;
    const auto sink = compressing_sink(std::string("x") + ending, packed, &ctx_);
    sink->write(text);
    sink->finish();
    const std::string path = folder_.write(std::string("packed.svm") + ending, packed.text());
    for (const int threads : {1, 2, 3}) {
      Context::Options settings;
      settings.threads = threads;
      Context ctx(settings);
      for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
        ReadOptions options;
        options.precision = precision;
        const auto read = read_dataset(path, options, ctx);
        if (precision == Precision::kDouble) {
          EXPECT_EQ(difference(expected.data, read.data), std::nullopt) << ending;
        }
        EXPECT_EQ(read.data.samples(), expected.data.samples());
        EXPECT_EQ(read.report.notes, expected.report.notes);
      }
    }
  }
}

TEST_F(Read, ErrorsOfCompressedLinesAreThoseOfThePlainFile) {
  std::string text = many_lines();
  const std::size_t bad = text.find('\n', 17'000'000) + 1;
  text.insert(bad, "c1 5:1 4:1\n");
  const auto without_name = [](std::string message, const std::string& path) {
    EXPECT_THAT(message, StartsWith(path));
    return message.substr(path.size());
  };
  const std::string plain = folder_.write("plain.svm", text);
  const std::string expected = without_name(failure([&] { read_dataset(plain, kDefaults, ctx_); }), plain);
  EXPECT_THAT(expected, HasSubstr("index 4 after 5"));
  StringSink packed;
  const auto sink = compressing_sink("x.gz", packed);
  sink->write(text);
  sink->finish();
  const std::string path = folder_.write("bad.svm.gz", packed.text());
  const std::string cut = folder_.write("cut.svm.gz", packed.text().substr(0, packed.text().size() - 40));
  for (const int threads : {1, 2, 3}) {
    Context::Options settings;
    settings.threads = threads;
    Context ctx(settings);
    EXPECT_EQ(without_name(failure([&] { read_dataset(path, kDefaults, ctx); }), path), expected);
    EXPECT_THAT(failure([&] { read_dataset(cut, kDefaults, ctx); }), HasSubstr("corrupt compressed file"));
  }
}

TEST(Input, ToldByBytesNotByName) {
  const TemporaryFolder folder;
  Context ctx;
  StringSink packed;
  const auto sink = compressing_sink("x.gz", packed);
  sink->write("hello\nworld\n");
  sink->finish();
  const Input input = Input::open(folder.write("plain.txt", packed.text()), ctx);
  EXPECT_EQ(input.bytes(), "hello\nworld\n");
  EXPECT_EQ(input.line_of(6), 2);
  EXPECT_EQ(Input::from_bytes("/a/b.csv.gz", "").base_name(), "b.csv");
}

TEST(Input, TruncatedAndDamagedStreamsAreErrors) {
  const TemporaryFolder folder;
  Context ctx;
  for (const char* ending : {"gz", "xz", "zst", "bz2"}) {
    StringSink packed;
    const auto sink = compressing_sink(std::string("x.") + ending, packed);
    for (int k = 0; k < 5000; ++k) sink->write(std::to_string(k * 7919) + "\n");
    sink->finish();
    std::vector<std::string> broken{packed.text().substr(0, packed.text().size() / 2), packed.text()};
    broken.back()[broken.back().size() / 2] ^= 0x55;
    for (const std::string& content : broken) {
      const std::string path = folder.write("damaged", content);
      EXPECT_THAT(failure([&] { Input::open(path, ctx); }), HasSubstr("corrupt compressed file")) << ending;
    }
  }
}

TEST(Input, GzipMembersFollowEachOther) {
  const TemporaryFolder folder;
  Context ctx;
  std::string both;
  for (const char* part : {"hello ", "world"}) {
    StringSink packed;
    const auto sink = compressing_sink("x.gz", packed);
    sink->write(part);
    sink->finish();
    both += packed.text();
  }
  EXPECT_EQ(Input::open(folder.write("a.gz", both + std::string(3, '\0')), ctx).bytes(), "hello world");
  EXPECT_THAT(failure([&] { Input::open(folder.write("b.gz", both + "tail"), ctx); }), HasSubstr("corrupt compressed"));
}

TEST(Input, ReleasedPagesCanStillBeRead) {
  const TemporaryFolder folder;
  Context ctx;
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k) + "\n";
  const Input input = Input::open(folder.write("a.txt", text), ctx);
  input.release(0, text.size());
  EXPECT_EQ(input.bytes(), text);
}

}  // namespace
}  // namespace clade
