// One file for several processes: each reads a range of its rows, and all know what one process knows.

#include <clade/io.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "comm/local_team.h"
#include "core/random.h"
#include "data/storage.h"
#include "io/compress.h"
#include "io/own_rows.h"
#include "temporary_folder.h"

namespace clade {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kSizes[] = {2, 3, 4, 7};

class StringSink : public Sink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

std::string packed(const std::string& name, const std::string& text) {
  StringSink sink;
  write_through(name, sink, [&](Sink& to) { to.write(text); });
  return sink.text;
}

std::string failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<double> values_of(const Dataset& data, Index sample) {
  std::vector<double> values(static_cast<std::size_t>(data.features()), 0);
  data.for_each_value(sample, [&](FeatureIndex f, auto value) { values[static_cast<std::size_t>(f)] = value; });
  return values;
}

void on_each(int size, const std::vector<std::string>& paths, const ReadOptions& options,
             const std::function<void(const LoadedData&, Team&)>& check) {
  LocalTeam(size).run([&](Team& team) {
    Context ctx({.threads = 1 + team.rank() % 2, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
    check(read_by_rows(paths, options, ctx), team);
  });
}

// What the processes read is what one reads, and each has the values of its own samples.
void expect_same(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  Context ctx({.threads = 2});
  const Dataset whole = read_datasets(paths, options, ctx).data;
  for (const int size : kSizes) {
    SCOPED_TRACE(fmt::format("{} processes", size));
    on_each(size, paths, options, [&](const LoadedData& loaded, Team& team) {
      const Dataset& own = loaded.data;
      ASSERT_EQ(own.samples(), whole.samples());
      ASSERT_EQ(own.features(), whole.features());
      ASSERT_TRUE(own.taxonomy() == whole.taxonomy());
      ASSERT_TRUE(std::ranges::equal(own.feature_names(), whole.feature_names()));
      ASSERT_EQ(is_sparse(own.matrix()), is_sparse(whole.matrix()));
      for (Index s = 0; s < whole.samples(); ++s) ASSERT_TRUE(std::ranges::equal(own.labels(s), whole.labels(s)));
      const RowParts& parts = *own.row_parts();
      ASSERT_EQ(parts.own, team.rank());
      ASSERT_EQ(parts.first.back(), whole.samples());
      const auto rank = static_cast<std::size_t>(team.rank());
      for (Index s = parts.first[rank]; s < parts.first[rank + 1]; ++s)
        ASSERT_EQ(values_of(own, s), values_of(whole, s));
      ASSERT_LE(row_count(own.matrix()), parts.first[rank + 1] - parts.first[rank] + 1);
    });
  }
}

class RowRanges : public ::testing::Test {
 protected:
  // As it is, and compressed.
  void expect_same_of(const std::string& name, const std::string& text, const ReadOptions& options = {}) {
    for (const std::string ending : {"", ".gz", ".xz", ".zst"}) {
      SCOPED_TRACE(name + ending);
      expect_same({folder_.write(name + ending, packed(name + ending, text))}, options);
    }
  }

  // All processes end with the line that one ends with.
  void expect_same_failure(const std::string& name, const std::string& text, std::string_view part,
                           const ReadOptions& options = {}) {
    for (const std::string ending : {"", ".gz"}) {
      const std::string path = folder_.write(name + ending, packed(name + ending, text));
      Context ctx;
      const std::string expected = failure([&] { read_dataset(path, options, ctx); });
      ASSERT_THAT(expected, HasSubstr(part));
      for (const int size : kSizes) {
        EXPECT_EQ(failure([&] { on_each(size, {path}, options, [](const LoadedData&, Team&) {}); }), expected);
      }
    }
  }

  TemporaryFolder folder_;
  RandomStream random_{1, {kTestStream}};
};

std::string libsvm_text(RandomStream& random, Index rows) {
  const std::vector<std::string> labels{"a/b", "a/c,d/e", "d/f", "d", "g/h/i"};
  std::string text;
  for (Index r = 0; r < rows; ++r) {
    if (random.below(10) == 0) text += random.below(2) == 0 ? "\n" : "# a comment\n";
    text += labels[static_cast<std::size_t>(random.below(std::min<Index>(5, 1 + r / 10)))];
    Index feature = 0;
    for (Index k = random.below(5); k > 0; --k) {
      feature += 1 + random.below(8);
      text += fmt::format(" {}:{}", feature, 1 + random.below(9));
    }
    text += random.below(20) == 0 ? "\r\n" : "\n";
  }
  text += "a/b 1:1";
  return text;
}

TEST_F(RowRanges, LibsvmWithColumnsAndLabelsOfAll) {
  for (const Index rows : {0, 1, 2, 5, 100}) expect_same_of("data.svm", libsvm_text(random_, rows));
  expect_same_of("data.svm", "\xEF\xBB\xBF" + libsvm_text(random_, 20), {.zero_based = true, .features = 99});
}

// A cell in quotes, which may take several lines.
std::string quoted(RandomStream& random, const std::string& text) {
  switch (random.below(4)) {
    case 0:
      return '"' + text + ",\n\"\"x\"\"\n\n\"";
    case 1:
      return "\"" + text + "\"";
    case 2:
      return "\"\n" + text + "\"";
    default:
      return text;
  }
}

std::string csv_text(RandomStream& random, Index rows, char delimiter, bool has_header, bool has_quotes) {
  std::string text = has_header ? fmt::format("sample{0}x{0}\"y\n\"\"z\"{0}label\n", delimiter) : "";
  for (Index r = 0; r < rows; ++r) {
    if (random.below(10) == 0) text += "\n";
    const std::string label = fmt::format("a/{}", random.below(1 + std::min<Index>(r / 5, 9)));
    const std::string name = fmt::format("row {}", r);
    if (has_header) text += (has_quotes ? quoted(random, name) : name) + delimiter;
    text += fmt::format("{}{}{}{}", random.below(100), delimiter, random.below(3), delimiter);
    text += has_quotes && random.below(2) == 0 ? '"' + label + '"' : label;
    text += '\n';
  }
  return text;
}

TEST_F(RowRanges, TablesWithQuotedLines) {
  for (const Index rows : {1, 3, 60}) {
    for (const bool has_quotes : {false, true}) {
      expect_same_of("data.csv", csv_text(random_, rows, ',', true, has_quotes));
      expect_same_of("data.csv", csv_text(random_, rows, ';', true, has_quotes));
      expect_same_of("data.tsv", csv_text(random_, rows, '\t', true, has_quotes));
      expect_same_of("data.csv", "\xEF\xBB\xBF\n\n" + csv_text(random_, rows, ',', false, has_quotes));
    }
  }
}

TEST_F(RowRanges, TablesWhoseKindTheFirstRowsTell) {
  std::string commas = "x;y;label\n";
  std::string latin1 = "x,y,label\n";
  for (Index r = 0; r < 300; ++r) {
    commas += r < 150 ? fmt::format("{},5;1.234,5;{}\n", r, r % 3) : fmt::format("{};{};{}\n", r, r, r % 3);
    latin1 += fmt::format("{},{},Caf\xE9 {}\n", r, r + 1, r / 100);
  }
  expect_same_of("commas.csv", commas);
  expect_same_of("latin1.csv", latin1, {.encoding = Encoding::kLatin1});
  ReadOptions zeros;
  zeros.missing = Missing::kZero;
  expect_same_of("gaps.csv", "x,y,label\n1,2,a\n1,,b\n?,2,c\n4,5,a\n", zeros);
  zeros.missing = Missing::kDropSample;
  expect_same_of("gaps.csv", "x,y,label\n1,2,a\n1,,b\n?,2,c\n4,5,a\n", zeros);
}

TEST_F(RowRanges, ArffWithAHierarchy) {
  std::string text =
      "% here\n@relation r\n@attribute x numeric\n@attribute y {no,yes}\n@attribute z numeric\n"
      "@attribute class hierarchical a,a/b,a/c,d\n@DATA\n";
  for (Index r = 0; r < 50; ++r) {
    if (r % 7 == 0) text += "% a comment\n";
    text += r == 33 ? "{0 5, 3 a/b}\n"
                    : fmt::format("{},{},{},{}\n", r, r % 2 == 0 ? "no" : "yes", r * r, r % 3 == 0 ? "a/b" : "d@a/c");
  }
  expect_same_of("data.arff", text);
}

TEST_F(RowRanges, SeveralFilesForMoreProcesses) {
  std::vector<std::string> tables;
  std::vector<std::string> lines;
  for (const Index rows : {50, 3}) {
    tables.push_back(folder_.write(fmt::format("t{}.csv", rows), csv_text(random_, rows, ',', true, true)));
    lines.push_back(folder_.write(fmt::format("t{}.svm", rows), libsvm_text(random_, rows)));
  }
  expect_same(tables);
  expect_same(lines);
  for (std::string& path : lines) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    path = folder_.write(std::filesystem::path(path).filename().string() + ".zst", packed("x.zst", text));
  }
  expect_same(lines);
  tables[0] = folder_.write("other.csv", "x,label\n1,a\n");
  const std::string problem = failure([&] { on_each(3, tables, {}, [](const LoadedData&, Team&) {}); });
  EXPECT_THAT(problem, HasSubstr("column 1 is 'sample'"));
}

TEST_F(RowRanges, FilesWithWhatTheyMeanBesideThem) {
  Context ctx;
  const Dataset data =
      read_dataset(folder_.write("named.csv", "sample,x,y,label\n1,2,3,a/b\n2,3,0,a/c\n3,4,0,d\n"), {}, ctx).data;
  const std::string path = folder_.file("data.svm");
  write_dataset(data, path, {}, ctx);
  expect_same({path});
  std::vector<std::string> parts = write_dataset(data, folder_.file("parts.svm"), {.parts = 2}, ctx);
  std::erase_if(parts, [](const std::string& file) { return file.ends_with(".meta.json"); });
  ASSERT_EQ(parts.size(), 2U);
  expect_same(parts);
  folder_.write("data.svm", "a/b 1:2\n");
  const std::string expected = failure([&] { read_dataset(path, {}, ctx); });
  EXPECT_THAT(expected, HasSubstr("was written with other data"));
  EXPECT_EQ(failure([&] { on_each(3, {path}, {}, [](const LoadedData&, Team&) {}); }), expected);
}

// Every process has a folder of its own, as machines without a common file system have.
TEST_F(RowRanges, OtherFilesBesideThoseOfAnotherProcessAreRefused) {
  Context alone;
  const Dataset data =
      read_dataset(folder_.write("named.csv", "sample,x,y,label\n1,2,3,a/b\n2,3,0,a/c\n3,4,0,d\n"), {}, alone).data;
  for (const char* const rank : {"0", "1"}) {
    std::filesystem::create_directory(folder_.file(rank));
    write_dataset(data, folder_.file(rank) + "/p.svm", {}, alone);
  }
  const auto said = [&] {
    return failure([&] {
      LocalTeam(2).run([&](Team& team) {
        Context ctx({.threads = 1, .team = std::shared_ptr<Team>(std::shared_ptr<Team>(), &team)});
        read_by_rows({folder_.file(std::to_string(team.rank())) + "/p.svm"}, {}, ctx);
      });
    });
  };
  EXPECT_EQ(said(), "no error");
  std::ofstream(folder_.file("1/p.svm.meta.json"), std::ios::app) << " ";
  EXPECT_THAT(said(), HasSubstr("the data differs between processes"));
  ASSERT_TRUE(std::filesystem::remove(folder_.file("1/p.svm.meta.json")));
  EXPECT_THAT(said(), HasSubstr("the number of files with a .meta.json beside them differs between processes"));
}

TEST_F(RowRanges, ErrorsNameTheLineInTheFile) {
  const std::string lines = libsvm_text(random_, 60) + "\n";
  expect_same_failure("bad.svm", lines + "a 1:1\na 2:oh\n", "bad.svm");
  expect_same_failure("bad.svm", "a 2:oh\n" + lines, ":1:");
  std::string gap = lines;
  gap += "a 2:nan\na/b 1:nan\n";
  expect_same_failure("gap.svm", gap, "missing value (2 in the file)");
  const std::string table = csv_text(random_, 60, ',', true, true);
  expect_same_failure("bad.csv", table + "n,1,2,a\nn,1,oh,a\n", "'oh' in column");
  expect_same_failure("bad.csv", table + "n,1,2,3,4\n", "5 columns");
  expect_same_failure("bad.csv", table + "\"n,1,2,3\n", "a quoted field is not closed");
  expect_same_failure("bad.csv", table + "\"n,1,2,a\n" + table, "a quoted field is not closed");
  std::string rows;
  for (int k = 0; k < 300; ++k) rows += "1,a\n";
  expect_same_failure("bad.csv", "x,label\n" + rows + "\"1,a\n" + rows, ":302:1: a quoted field is not closed");
  expect_same_failure("bad.svm", lines + "a 2:oh\n" + lines + "a 1:1 1:2\n" + lines, "'oh'");
  expect_same_failure("bad.csv", table + "n,1,2,\xFF\n", "is not UTF-8");
  ReadOptions tree;
  tree.taxonomy = folder_.write("tree.csv", "child,parent\nb,a\nc,a\ni,h\nh,g\nd,r\ne,d\nf,d\na,r\ng,r\n");
  expect_same_failure("bad.svm", lines + "a 1:1\nz 2:1\na 1:1\n", "'z'", tree);
  expect_same_failure("empty.svm", "", "empty file");
  expect_same_failure("none.arff", "@relation r\n@attribute x numeric\n", "the file ends before @data");
}

TEST_F(RowRanges, NotesOfOthersHaveTheirPlace) {
  std::string text = "x,category\n";
  for (int k = 0; k < 90; ++k) text += fmt::format("{},{}\n", k, k == 70 ? "a;;b" : "c");
  ReadOptions zeros;
  zeros.missing = Missing::kZero;
  const std::string path = folder_.write("notes.csv", text + "?,a\n");
  on_each(3, {path}, zeros, [&](const LoadedData& loaded, Team&) {
    EXPECT_THAT(loaded.report.notes, ElementsAre(HasSubstr("column 'category' is taken"),
                                                 path + " from line 64: skipped 1 empty labels between separators",
                                                 path + " from line 64: 1 missing values replaced by 0"));
  });
}

TEST_F(RowRanges, WhatDoesNotShowInSomeRowsIsRefused) {
  const auto refusal = [&](const std::string& name, const std::string& text) {
    const std::string path = folder_.write(name, text);
    return failure([&] { on_each(3, {path}, {}, [](const LoadedData&, Team&) {}); });
  };
  EXPECT_THAT(refusal("words.csv", "text,label\nsome words here,a\nothers,b\n"), HasSubstr("words are counted in all"));
  EXPECT_THAT(refusal("words.jsonl", "{\"text\": \"words\", \"label\": \"a\"}\n"),
              HasSubstr("1 file of the format json-lines for 3 processes"));
  EXPECT_THAT(refusal("wide.csv", "\xFF\xFEx"), HasSubstr("UTF-16"));
  EXPECT_THAT(
      refusal("values.arff", "@relation r\n@attribute x {a,b,c,d,e,f,g,h}\n@attribute class {u,v}\n@data\na,u\n"),
      HasSubstr("expected `storage` dense or sparse"));
}

TEST_F(RowRanges, DataWithoutContentSayWhatOneProcessSays) {
  expect_same_failure("none.svm", "# nothing\n\n", ":2: no samples");
  expect_same_failure("none.svm", "a\nb\nc\n", ":3: not one index:value pair in the file");
  const std::string path = folder_.write("head.csv", "x,y,label\n");
  for (const int size : {1, 2, 3}) {
    EXPECT_EQ(failure([&] { on_each(size, {path}, {}, [](const LoadedData&, Team&) {}); }),
              path + ": no samples; expected some");
  }
}

TEST(FilesOfProcesses, GiveProcessesToEachFileByItsSize) {
  EXPECT_THAT(file_of_each({10}, 3), ElementsAre(0, 0, 0));
  EXPECT_THAT(file_of_each({10, 30}, 4), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(file_of_each({0, 30, 0}, 4), ElementsAre(0, 1, 1, 2));
}

}  // namespace
}  // namespace clade
