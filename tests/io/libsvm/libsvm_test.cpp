#include "io/libsvm/libsvm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "io/libsvm/libsvm_scan.h"
#include "io/number.h"

namespace clade {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kWholeFile = 1U << 30U;
const ReadOptions kDefaults;

struct Row {
  std::vector<std::string> labels;
  std::vector<FeatureIndex> columns;
  std::vector<double> values;

  friend bool operator==(const Row& a, const Row& b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return a.labels == b.labels && a.columns == b.columns &&
           std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same);
  }
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << testing::PrintToString(row.labels) << testing::PrintToString(row.columns)
       << testing::PrintToString(row.values);
}

std::vector<Row> rows_of(const ParsedData& data) {
  std::vector<Row> rows(static_cast<std::size_t>(row_count(data.features)));
  EXPECT_EQ(data.labels.samples(), row_count(data.features));
  std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.indices; }) {
          for (Index r = 0; r < m.rows; ++r) {
            Row& row = rows[static_cast<std::size_t>(r)];
            for (const std::int32_t label : data.labels.of(r)) {
              row.labels.push_back(data.labels.names()[static_cast<std::size_t>(label)]);
            }
            row.columns.assign(m.row_indices(r).begin(), m.row_indices(r).end());
            row.values.assign(m.row_values(r).begin(), m.row_values(r).end());
          }
        } else {
          ADD_FAILURE() << "expected sparse rows";
        }
      },
      data.features);
  return rows;
}

Context context_with(int threads) {
  Context::Options options;
  options.threads = threads;
  return Context(options);
}

ParsedData parse(std::string_view text, const ReadOptions& options = kDefaults, std::size_t chunk_bytes = kWholeFile,
                 int threads = 1) {
  Context ctx = context_with(threads);
  return read_libsvm_in_chunks(Input::from_bytes("train.svm", text), options, ctx, chunk_bytes);
}

std::vector<Row> parse_rows(std::string_view text, const ReadOptions& options = kDefaults) {
  return rows_of(parse(text, options));
}

// The message of the error that a text must give; every chunk size and every number of threads must give the same.
std::string error_of(std::string_view text, const ReadOptions& options = kDefaults) {
  std::set<std::string> messages;
  for (const std::size_t chunk_bytes : {kWholeFile, std::size_t{1}, std::size_t{7}, std::size_t{50}}) {
    for (const int threads : {1, 3}) {
      try {
        parse(text, options, chunk_bytes, threads);
        messages.insert("no error");
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), Error::Kind::kInput);
        messages.insert(e.what());
      }
    }
  }
  EXPECT_EQ(messages.size(), 1U) << testing::PrintToString(messages);
  return *messages.begin();
}

TEST(Libsvm, ReadsLabelsIndicesAndValues) {
  const ParsedData data = parse("cat 1:0.5 3:-2\ndog 2:1e-3 4:7\n");
  EXPECT_EQ(column_count(data.features), 4);
  EXPECT_FALSE(is_single_precision(data.features));
  EXPECT_THAT(rows_of(data), ElementsAre(Row{{"cat"}, {0, 2}, {0.5, -2}}, Row{{"dog"}, {1, 3}, {0.001, 7}}));
  EXPECT_THAT(data.notes, IsEmpty());
  EXPECT_EQ(data.missing_values, 0);
  EXPECT_FALSE(data.hierarchy.has_value());
}

TEST(Libsvm, SeveralLabelsAreSeparatedByCommas) {
  EXPECT_THAT(parse_rows("3,7 1:1\n7 1:2\nä/b,+1,c.d 1:3\n"),
              ElementsAre(Row{{"3", "7"}, {0}, {1}}, Row{{"7"}, {0}, {2}}, Row{{"ä/b", "+1", "c.d"}, {0}, {3}}));
}

TEST(Libsvm, LabelsAreNumberedInOrderOfAppearanceWithTheirFirstLine) {
  for (const std::size_t chunk_bytes : {std::size_t{1}, kWholeFile}) {
    const ParsedData data = parse("b 1:1\n# c\na 1:1\nb,c 1:1\n", kDefaults, chunk_bytes);
    EXPECT_THAT(data.labels.names(), ElementsAre("b", "a", "c"));
    EXPECT_EQ(data.labels.first_line(0), 1);
    EXPECT_EQ(data.labels.first_line(1), 3);
    EXPECT_EQ(data.labels.first_line(2), 4);
  }
}

TEST(Libsvm, ALineThatStartsWithAPairOrABlankHasNoLabel) {
  EXPECT_THAT(parse_rows("1:5 2:6\n 1:7\n\t2:8\nqid:3 1:9\na\n"),
              ElementsAre(Row{{}, {0, 1}, {5, 6}}, Row{{}, {0}, {7}}, Row{{}, {1}, {8}}, Row{{}, {0}, {9}},
                          Row{{"a"}, {}, {}}));
}

TEST(Libsvm, BlankLinesAndCommentsAreSkipped) {
  EXPECT_THAT(parse_rows("# head\n\na 1:1 # behind 5:5\n   \n\t# indented\nb 2:2#close\nc#only\n\n"),
              ElementsAre(Row{{"a"}, {0}, {1}}, Row{{"b"}, {1}, {2}}, Row{{"c"}, {}, {}}));
}

TEST(Libsvm, CrLfTabsAndRunsOfBlanks) {
  EXPECT_THAT(parse_rows("a\t1:1  \t 2:2 \r\n\r\n \r\nb 3:3\r\nc\r\n# x\r\nd 1:4\r"),
              ElementsAre(Row{{"a"}, {0, 1}, {1, 2}}, Row{{"b"}, {2}, {3}}, Row{{"c"}, {}, {}}, Row{{"d"}, {0}, {4}}));
}

TEST(Libsvm, TheLastLineNeedsNoEnd) {
  for (const std::string& end : {""s, " "s, "\t "s, "#"s, " # x"s, "\r"s, "\n"s, "\r\n"s, "\n\n"s}) {
    EXPECT_THAT(parse_rows("a 1:1\nb 20:0.25" + end), ElementsAre(Row{{"a"}, {0}, {1}}, Row{{"b"}, {19}, {0.25}}));
  }
}

TEST(Libsvm, AByteOrderMarkIsSkippedAndSaid) {
  const ParsedData data = parse(
      "\xEF\xBB\xBF"
      "a 1:1\n");
  EXPECT_THAT(rows_of(data), ElementsAre(Row{{"a"}, {0}, {1}}));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("byte order mark")));
}

TEST(Libsvm, QueryIdsAreSkippedAndCounted) {
  for (const std::size_t chunk_bytes : {std::size_t{1}, kWholeFile}) {
    const ParsedData data = parse("a qid:1 1:1\nb  qid:22\nqid 1:3\n", kDefaults, chunk_bytes);
    EXPECT_THAT(rows_of(data), ElementsAre(Row{{"a"}, {0}, {1}}, Row{{"b"}, {}, {}}, Row{{"qid"}, {0}, {3}}));
    EXPECT_THAT(data.notes, ElementsAre(HasSubstr("2 query ids")));
  }
  EXPECT_THAT(error_of("a 1:1\nb qid:x 1:1\n"), HasSubstr("train.svm:2:3: query id 'qid:x'"));
  EXPECT_THAT(error_of("b qid: 1:1\n"), HasSubstr("train.svm:1:3: query id 'qid:'"));
  EXPECT_THAT(error_of("b 1:1 qid:3\n"), HasSubstr("train.svm:1:7: feature index 'qid'"));
}

TEST(Libsvm, ZeroBased) {
  ReadOptions options;
  options.zero_based = true;
  const ParsedData data = parse("a 0:1 9:2\n", options);
  EXPECT_EQ(column_count(data.features), 10);
  EXPECT_THAT(rows_of(data), ElementsAre(Row{{"a"}, {0, 9}, {1, 2}}));
  EXPECT_EQ(error_of("a 1:1\na 0:1\n"), "train.svm:2:3: index 0; indices start at 1 (use `zero-based`)");
  EXPECT_THAT(error_of("a 1:1\na 000:1\n"), HasSubstr("train.svm:2:3: index 0"));
}

TEST(Libsvm, LeadingZerosOfAnIndexMeanNothing) {
  EXPECT_THAT(parse_rows("a 001:1 00000000000000000002:2\n"), ElementsAre(Row{{"a"}, {0, 1}, {1, 2}}));
}

TEST(Libsvm, HugeIndicesAllocateNoColumns) {
  const ParsedData data = parse("a 1:1 1000000000:2 2147483646:3\n");
  EXPECT_EQ(column_count(data.features), 2147483646);
  EXPECT_THAT(rows_of(data), ElementsAre(Row{{"a"}, {0, 999999999, 2147483645}, {1, 2, 3}}));
  ReadOptions zero;
  zero.zero_based = true;
  EXPECT_EQ(column_count(parse("a 2147483646:3\n", zero).features), kMaxFeatures);
  for (const std::string& index : {"2147483647"s, "2147483648"s, "4294967297"s, "9223372036854775808"s,
                                   "18446744073709551617"s, "1"s + std::string(100, '0')}) {
    const std::string shown = index.substr(0, 40) + "; expected at most 2147483646";
    EXPECT_EQ(error_of("a 1:1\nb 2:1 " + index + ":1\n"), "train.svm:2:7: index " + shown);
    EXPECT_THAT(error_of("b " + index + ":1\n", zero), HasSubstr("; expected at most 2147483646"));
  }
}

TEST(Libsvm, FeaturesIsTheLeastNumberOfColumnsAndALimit) {
  ReadOptions options;
  options.features = 10;
  EXPECT_EQ(column_count(parse("a 3:1\n", options).features), 10);
  EXPECT_EQ(column_count(parse("a 10:1\n", options).features), 10);
  EXPECT_EQ(column_count(parse("a\n", options).features), 10);
  EXPECT_EQ(error_of("a 3:1\nb 11:1\n", options), "train.svm:2:3: index 11; expected at most 10 (`feature-count`)");
  options.zero_based = true;
  EXPECT_EQ(error_of("a 3:1\nb 10:1\n", options), "train.svm:2:3: index 10; expected at most 9 (`feature-count`)");
  options.features = Index{kMaxFeatures} + 1;
  EXPECT_THROW(parse("a 3:1\n", options), Error);
}

TEST(Libsvm, IndicesMustAscend) {
  EXPECT_EQ(error_of("a 1:1\nb 3:1 7:1 5:1\n"),
            "train.svm:2:11: index 5 after 7; expected ascending indices (use `sort-features`)");
  EXPECT_EQ(error_of("b 3:1 7:1\t7:1\n"), "train.svm:1:11: index 7 twice in one row; expected each index once");
  EXPECT_THAT(error_of("b 1000000000:1 1000000000:1\n"), HasSubstr("train.svm:1:16: index 1000000000 twice"));
}

TEST(Libsvm, SortFeatures) {
  ReadOptions options;
  options.sort_features = true;
  const ParsedData data = parse("a 3:30 1:10 2:20\nb 1:1\nc 900000000:9 5:5\n", options);
  EXPECT_THAT(rows_of(data), ElementsAre(Row{{"a"}, {0, 1, 2}, {10, 20, 30}}, Row{{"b"}, {0}, {1}},
                                         Row{{"c"}, {4, 899999999}, {5, 9}}));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("2 rows")));
  EXPECT_EQ(column_count(data.features), 900000000);
  EXPECT_EQ(error_of("a 1:1\nb 5:1 3:1 4:1 3:1 5:1\n", options),
            "train.svm:2:15: index 3 twice in one row; expected each index once");
  EXPECT_THAT(error_of("b 5:1 3:1 3:1\n", options), HasSubstr("train.svm:1:11: index 3 twice in one row"));
}

TEST(Libsvm, MissingValuesAreKeptAndCounted) {
  for (const std::size_t chunk_bytes : {std::size_t{1}, kWholeFile}) {
    const ParsedData data = parse("a 1:1\nb 1:2 3:nan\nc 2:NaN 3:3 4:-nan\n", kDefaults, chunk_bytes);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(rows_of(data),
                ElementsAre(Row{{"a"}, {0}, {1}}, Row{{"b"}, {0, 2}, {2, nan}}, Row{{"c"}, {1, 2, 3}, {nan, 3, nan}}));
    EXPECT_EQ(data.missing_values, 3);
    EXPECT_EQ(data.first_missing.file, "train.svm");
    EXPECT_EQ(data.first_missing.line, 2);
    EXPECT_EQ(data.first_missing.column, 9);
  }
}

TEST(Libsvm, ValuesThatAreNotFiniteNumbers) {
  EXPECT_EQ(error_of("a 1:1\nb 2:inf\n"), "train.svm:2:5: value 'inf' at index 2; expected a finite number");
  EXPECT_THAT(error_of("b 2:-Infinity\n"), HasSubstr("train.svm:1:5: value '-Infinity' at index 2"));
  EXPECT_THAT(error_of("b 2:1e999\n"), HasSubstr("train.svm:1:5: value '1e999' at index 2; expected a finite"));
  EXPECT_EQ(error_of("b 2:abc 3:1\n"), "train.svm:1:5: value 'abc' at index 2; expected a number");
  EXPECT_EQ(error_of("b 2:\n"), "train.svm:1:5: no value at index 2; expected a number");
  EXPECT_EQ(error_of("b 2: 3:1\n"), "train.svm:1:5: no value at index 2; expected a number");
  EXPECT_EQ(error_of("b 2:"), "train.svm:1:5: no value at index 2; expected a number");
  for (const std::string& value : {"1.5x"s, "1,5"s, "1:2"s, "0x10"s, "1e"s, "--1"s, "1-"s, "\xff"s, "1\0"s, "?"s}) {
    EXPECT_THAT(error_of("b 12:1 345:" + value + " 1000:1 1001:2 1002:3 1003:4 1004:5\n"),
                HasSubstr("train.svm:1:12: value '"))
        << value;
  }
  ReadOptions options;
  options.precision = Precision::kFloat;
  EXPECT_THAT(error_of("b 2:1e39\n", options), HasSubstr("train.svm:1:5: value '1e39'"));
}

TEST(Libsvm, SmallNumbersAreNoError) {
  EXPECT_THAT(parse_rows("a 1:1e-999 2:-5e-324 3:+3\n"), ElementsAre(Row{{"a"}, {0, 1, 2}, {0, -5e-324, 3}}));
}

TEST(Libsvm, TokensThatAreNoPairs) {
  EXPECT_EQ(error_of("a 1:1\nb 2\n"), "train.svm:2:3: '2' is no index:value pair; expected for instance 3:0.5");
  EXPECT_THAT(error_of("b 1:1 2 3:1\n"), HasSubstr("train.svm:1:7: '2' is no index:value pair"));
  EXPECT_THAT(error_of(" 3 1:1\n"), HasSubstr("train.svm:1:2: '3' is no index:value pair"));
  EXPECT_EQ(error_of("b x:1\n"), "train.svm:1:3: feature index 'x'; expected a whole number");
  EXPECT_THAT(error_of("b -1:1\n"), HasSubstr("train.svm:1:3: feature index '-1'"));
  EXPECT_THAT(error_of("b 1.0:1\n"), HasSubstr("train.svm:1:3: feature index '1.0'"));
  EXPECT_THAT(error_of("b :1\n"), HasSubstr("train.svm:1:3: feature index ''"));
  EXPECT_THAT(error_of(":1\n"), HasSubstr("train.svm:1:1: feature index ''"));
  EXPECT_EQ(error_of("GO:12 1:1\n"),
            "train.svm:1:1: feature index 'GO'; expected a whole number (a label has no colon)");
}

TEST(Libsvm, BadLabels) {
  EXPECT_EQ(error_of("a 1:1\nb,,c 1:1\n"),
            "train.svm:2:3: empty label; expected names with single commas between them");
  EXPECT_THAT(error_of(",b 1:1\n"), HasSubstr("train.svm:1:1: empty label"));
  EXPECT_THAT(error_of("b, 1:1\n"), HasSubstr("train.svm:1:3: empty label"));
  EXPECT_EQ(error_of("a 1:1\nca\xe9 1:1\n"), "train.svm:2:3: label 'ca\\xe9' is not UTF-8; expected UTF-8 text");
  EXPECT_THAT(error_of("b\x01 1:1\n"), HasSubstr("train.svm:1:2: control character in label 'b\\x01'"));
  EXPECT_THAT(error_of("b\0 1:1\n"s), HasSubstr("train.svm:1:2: control character"));
}

TEST(Libsvm, ACarriageReturnInsideALine) {
  EXPECT_THAT(error_of("a 1:1\nb 1:1\r2:2\n"), HasSubstr("train.svm:2:6: carriage return inside a line"));
  EXPECT_THAT(error_of("a\rb 1:1\n"), HasSubstr("train.svm:1:2: carriage return inside a line"));
  EXPECT_THAT(error_of("\ra 1:1\n"), HasSubstr("train.svm:1:1: carriage return inside a line"));
}

TEST(Libsvm, NothingToRead) {
  EXPECT_THAT(error_of(""), HasSubstr("train.svm:1: no samples"));
  EXPECT_THAT(error_of("\n\n# only a comment\n"), HasSubstr("train.svm:3: no samples"));
  EXPECT_THAT(error_of("\xEF\xBB\xBF"), HasSubstr("train.svm:1: no samples"));
}

TEST(Libsvm, FilesOfOtherFormats) {
  EXPECT_THAT(error_of("@relation iris\n@attribute a numeric\n"), HasSubstr("train.svm:1:11: 'iris' is no index"));
  EXPECT_THAT(error_of("5.1,3.5,setosa\n4.9,3.0,setosa\n"), HasSubstr("train.svm:2: not one index:value pair"));
  EXPECT_THAT(error_of("%%MatrixMarket matrix coordinate real general\n"), HasSubstr("train.svm:1:16: 'matrix'"));
  EXPECT_THAT(error_of("\x93NUMPY\x01\x00v\x00{'descr': '<f8'}\n"s), HasSubstr("train.svm:1:1: feature index"));
  EXPECT_THAT(error_of("{\"text\": \"x\"}\n"), HasSubstr("train.svm:1:1: feature index"));
}

TEST(Libsvm, ATruncatedFileIsAnErrorWhereItCanBeSeen) {
  EXPECT_THAT(error_of("a 1:1 2:2\nb 1:1 2:"), HasSubstr("train.svm:2:9: no value"));
  EXPECT_THAT(error_of("a 1:1 2:2\nb 1:1 2"), HasSubstr("train.svm:2:7: '2' is no index:value pair"));
  EXPECT_THAT(error_of("a 1:1 2:2\nb 1:1 2:1e"), HasSubstr("train.svm:2:9: value '1e'"));
}

// A colon counts as a value in the first pass: bytes that look like many values must not ask for much memory.
TEST(Libsvm, ColonsAloneDoNotAllocate) {
  const std::string colons(1000, ':');
  EXPECT_LE(scan_libsvm(colons).values, 250);
  EXPECT_LE(scan_libsvm_lines(' ' + colons).values, 250);
  EXPECT_THAT(error_of("a 1:1\nb " + colons), HasSubstr("train.svm:2:3: feature index"));
  EXPECT_THAT(error_of("a 1:1\n" + colons), HasSubstr("train.svm:2:1: feature index"));
}

TEST(Libsvm, TheFirstErrorIsReportedWhateverTheThreads) {
  std::string text;
  for (int k = 0; k < 200; ++k) text += "a 1:1 2:2 3:3\n";
  text += "first 1:x\n";
  for (int k = 0; k < 200; ++k) text += k % 3 == 0 ? "a 1:1 0:5\n" : "a\n";
  for (int repeat = 0; repeat < 50; ++repeat) EXPECT_THAT(error_of(text), HasSubstr("train.svm:201:9: value 'x'"));
}

TEST(Libsvm, SinglePrecision) {
  ReadOptions options;
  options.precision = Precision::kFloat;
  const ParsedData data = parse("a 1:0.1 2:1.00000005960464477540 3:0.1234567890123456789 4:nan\n", options);
  ASSERT_TRUE(is_single_precision(data.features));
  const auto& values = std::get<SparseMatrix<float>>(data.features).values;
  EXPECT_EQ(values[0], 0.1F);
  EXPECT_EQ(values[1], 1.00000011920928955F);  // a hair above the middle of two floats; by way of a double it is 1
  EXPECT_EQ(values[2], 0.1234567890123456789F);
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_EQ(data.missing_values, 1);
}

TEST(Libsvm, CancellingStopsTheReader) {
  Context::Options options;
  options.cancel = std::make_shared<CancelToken>();
  options.cancel->cancel();
  Context ctx(options);
  try {
    read_libsvm(Input::from_bytes("train.svm", "a 1:1\n"), kDefaults, ctx);
    FAIL() << "expected an error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::kCancelled);
  }
}

// Random files with all their liberties, written together with what they mean.
struct RandomFile {
  std::string text;
  std::vector<Row> rows;
  Index queries = 0;
  Index unsorted = 0;
  Index missing = 0;
};

class FileMaker {
 public:
  FileMaker(std::uint64_t name, bool zero_based, bool sorted)
      : random_(1, {kTestStream, name}), base_(zero_based ? 0 : 1), sorted_(sorted), crlf_(chance(3)) {}

  RandomFile make() {
    const Index lines = 1 + random_.below(60);
    for (Index k = 0; k < lines; ++k) add_line();
    if (file_.rows.empty()) add_sample();
    if (chance(3)) file_.text.resize(file_.text.find_last_not_of("\r\n") + 1);
    return std::move(file_);
  }

 private:
  bool chance(Index one_in) { return random_.below(one_in) == 0; }

  std::string blanks(bool required) {
    if (required && !chance(4)) return " ";
    std::string text = required ? " " : "";
    while (chance(2)) text += chance(2) ? ' ' : '\t';
    return text;
  }

  std::string comment() { return chance(5) ? "# 1:2 qid:3, \xe9 #" : ""; }
  void end_line() { file_.text += crlf_ ? "\r\n" : "\n"; }

  void add_line() {
    if (chance(8)) {
      file_.text += blanks(false) + comment();
      end_line();
    } else {
      add_sample();
    }
  }

  void add_sample() {
    Row row;
    std::string head = add_labels(row);
    if (head.empty() || chance(10)) {
      if (!head.empty()) head += blanks(true);
      if (chance(4)) {
        head += "qid:" + std::to_string(random_.below(100));
        ++file_.queries;
      }
    }
    std::string pairs = add_pairs(row, head.empty() ? 1 : 0);
    if (head.empty() && chance(2)) head = blanks(true);
    if (!head.empty() && !pairs.empty() && head.back() != ' ' && head.back() != '\t') head += blanks(true);
    file_.text += head + pairs + blanks(false) + comment();
    end_line();
    file_.rows.push_back(std::move(row));
  }

  std::string add_labels(Row& row) {
    constexpr std::array<const char*, 7> kNames = {
        "1", "-1", "animals/cats", "a-rather-long-name-of-a-class", "a-rather-long-name-of-a-klass", "qid", "\u00fc"};
    std::string text;
    for (Index k = chance(3) ? random_.below(4) : 1; k > 0; --k) {
      row.labels.emplace_back(kNames[static_cast<std::size_t>(random_.below(kNames.size()))]);
      text += (text.empty() ? "" : ",") + row.labels.back();
    }
    return text;
  }

  std::string add_pairs(Row& row, Index least) {
    std::map<FeatureIndex, double> unique;
    const Index count = least + random_.below(12);
    std::vector<std::pair<FeatureIndex, std::string>> pairs;
    while (static_cast<Index>(unique.size()) < count) {
      const auto column = static_cast<FeatureIndex>(random_.below(chance(5) ? 2000000000 : 30));
      if (unique.contains(column)) continue;
      pairs.emplace_back(column, value());
      unique[column] = std::strtod(pairs.back().second.c_str(), nullptr);
    }
    const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (sorted_ || chance(2)) std::sort(pairs.begin(), pairs.end(), by_column);
    file_.unsorted += std::is_sorted(pairs.begin(), pairs.end(), by_column) ? 0 : 1;
    std::string text;
    for (const auto& [column, number] : pairs) {
      text += (text.empty() ? "" : blanks(true)) + std::to_string(Index{column} + base_) + ":" + number;
    }
    for (const auto& [column, number] : unique) {
      row.columns.push_back(column);
      row.values.push_back(number);
      file_.missing += std::isnan(number) ? 1 : 0;
    }
    return text;
  }

  std::string value() {
    std::string text;
    switch (random_.below(8)) {
      case 0:
        return std::to_string(random_.below(1000));
      case 1:
        return chance(4) ? "nan" : "+0";
      case 2:
        append_number(text, random_.normal());
        return text;
      case 3:
        append_number(text, random_.normal() * 1e30);
        return text;
      case 4:
        return "-" + std::to_string(random_.below(100)) + ".5E-2";
      default:
        append_number(text, static_cast<double>(random_.below(100000)) / 100000);
        return text;
    }
  }

  RandomStream random_;
  Index base_;
  bool sorted_;
  bool crlf_;
  RandomFile file_;
};

TEST(Libsvm, RandomFilesGiveWhatTheyMeanForAnyChunksAndThreads) {
  for (std::uint64_t name = 0; name < 400; ++name) {
    ReadOptions options;
    options.zero_based = name % 2 == 1;
    options.sort_features = name % 3 == 1;
    const RandomFile file = FileMaker(name, options.zero_based, !options.sort_features).make();
    Index columns = 0;
    for (const Row& row : file.rows)
      columns = std::max(columns, row.columns.empty() ? 0 : Index{row.columns.back()} + 1);
    if (columns == 0) continue;
    std::set<std::string> notes;
    for (const std::size_t chunk_bytes : {kWholeFile, std::size_t{0}, std::size_t{64}, std::size_t{500}}) {
      for (const int threads : {1, 2, 3}) {
        const ParsedData data = parse(file.text, options, chunk_bytes, threads);
        ASSERT_EQ(rows_of(data), file.rows) << file.text;
        ASSERT_EQ(column_count(data.features), columns);
        ASSERT_EQ(data.missing_values, file.missing);
        notes.insert(testing::PrintToString(data.notes));
      }
    }
    ASSERT_EQ(notes.size(), 1U);
    if (file.queries > 0) {
      ASSERT_THAT(*notes.begin(), HasSubstr(std::to_string(file.queries) + " query ids"));
    }
    ASSERT_EQ(notes.begin()->find("sorted") != std::string::npos, file.unsorted > 0);
  }
}

TEST(Libsvm, TheFastCountAgreesWithTheLineByLineCount) {
  for (std::uint64_t name = 0; name < 400; ++name) {
    const std::string text = FileMaker(1000 + name, false, true).make().text;
    const LibsvmShape fast = scan_libsvm(text);
    const LibsvmShape plain = scan_libsvm_lines(text);
    ASSERT_EQ(fast.lines, plain.lines);
    ASSERT_EQ(fast.rows, plain.rows) << text;
    ASSERT_EQ(fast.values, plain.values) << text;
  }
  std::string text;  // long enough for every counter to be summed several times, and no comment in it
  for (int k = 0; k < 5000; ++k) text += "17 3:0.5 4:1 900:3\n";
  EXPECT_EQ(scan_libsvm(text).rows, 5000);
  EXPECT_EQ(scan_libsvm(text).values, 15000);
  for (const std::string& odd : {" 1:1\n"s, "\n"s, "\r\n"s, "# 1:1\n"s, "a qid:7\n"s, "\t\n"s}) {
    for (std::size_t line = 0; line < 5000; line += 617) {
      std::string other = text;
      other.insert(line * 19, odd);
      ASSERT_EQ(scan_libsvm(other).rows, scan_libsvm_lines(other).rows);
      ASSERT_EQ(scan_libsvm(other).values, scan_libsvm_lines(other).values);
      ASSERT_EQ(scan_libsvm(other).lines, 5001);
    }
  }
}

// Every one-byte change of a small file either reads or gives an error of the input; the reader's own invariants hold.
TEST(Libsvm, EveryOneByteChangeIsReadOrRefused) {
  const std::string text = "a,b qid:1 1:0.5 20:-3e2 # c\r\n\n 3:nan 1000000:0.123456789\nc 1:1 2:22 3:333 4:4444";
  Index refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      try {
        parse(changed, kDefaults, at % 2 == 0 ? kWholeFile : 16);
      } catch (const Error& e) {
        ASSERT_EQ(e.kind(), Error::Kind::kInput) << e.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace clade
