#include "io/text/text_source.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "data/text/vectorizer_json.h"
#include "io/text/text_archive.h"
#include "real_data.h"
#include "temporary_folder.h"

namespace clade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Counts of all words, so that expectations can be read off the text.
ReadOptions plain_options() {
  ReadOptions options;
  options.text.weight = TermWeight::kTf;
  options.text.stop_words = StopWords::kNone;
  options.text.min_word_length = 1;
  options.text.raw_length = true;
  return options;
}

class TextSource : public testing::Test {
 protected:
  std::string write(const std::string& path, std::string_view content) const {
    fs::create_directories((root / path).parent_path());
    return folder.write(path, content);
  }

  TemporaryFolder folder;
  fs::path root{folder.path()};
  Context ctx{{.threads = 2}};
};

std::vector<std::string> labels_of(const ParsedData& data, Index sample) {
  std::vector<std::string> names;
  for (const auto label : data.labels.of(sample)) names.push_back(data.labels.names()[static_cast<std::size_t>(label)]);
  return names;
}

std::vector<std::string> all_labels(const ParsedData& data) {
  std::vector<std::string> names;
  for (Index s = 0; s < data.labels.samples(); ++s) {
    std::string joined;
    for (const auto& name : labels_of(data, s)) joined += (joined.empty() ? "" : ",") + name;
    names.push_back(joined);
  }
  return names;
}

// Row r as "word:value word:value".
std::string row_text(const ParsedData& data, Index row) {
  const auto& matrix = std::get<SparseMatrix<double>>(data.features);
  std::string text;
  for (std::size_t k = 0; k < matrix.row_indices(row).size(); ++k) {
    const auto column = static_cast<std::size_t>(matrix.row_indices(row)[k]);
    const auto value = static_cast<int>(matrix.row_values(row)[k]);
    text += (text.empty() ? "" : " ") + data.feature_names[column] + ':' + std::to_string(value);
  }
  return text;
}

std::vector<std::string> all_rows(const ParsedData& data) {
  std::vector<std::string> rows;
  for (Index r = 0; r < row_count(data.features); ++r) rows.push_back(row_text(data, r));
  return rows;
}

void expect_same(const ParsedData& a, const ParsedData& b) {
  const auto& x = std::get<SparseMatrix<double>>(a.features);
  const auto& y = std::get<SparseMatrix<double>>(b.features);
  EXPECT_TRUE(std::ranges::equal(x.offsets.span(), y.offsets.span()));
  EXPECT_TRUE(std::ranges::equal(x.indices.span(), y.indices.span()));
  EXPECT_TRUE(std::ranges::equal(x.values.span(), y.values.span()));
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.sample_names, b.sample_names);
  EXPECT_EQ(a.labels.names(), b.labels.names());
  EXPECT_EQ(all_labels(a), all_labels(b));
  EXPECT_EQ(a.notes, b.notes);
}

// The message of the Error that `action` throws; it must be of the given kind.
template <class Action>
std::string error_of(Error::Kind kind, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

// --- folders

class TextFolder : public TextSource {
 protected:
  ParsedData read(const ReadOptions& options = plain_options()) {
    return read_text_folder(root.string(), options, ctx);
  }
  std::string input_error_of(const ReadOptions& options = plain_options()) {
    return error_of(Error::Kind::kInput, [&] { read(options); });
  }
};

TEST_F(TextFolder, ClassIsTheFolderAndRowsAreInTheOrderOfPaths) {
  write("b/2.txt", "two two");
  write("a/10.txt", "ten");
  write("b/1.txt", "One two.");
  write("a/x/9.txt", "nine ten");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("a/10.txt", "a/x/9.txt", "b/1.txt", "b/2.txt"));
  EXPECT_THAT(all_labels(data), ElementsAre("a", "x", "b", "b"));
  EXPECT_THAT(data.feature_names, ElementsAre("nine", "one", "ten", "two"));
  EXPECT_THAT(all_rows(data), ElementsAre("ten:1", "nine:1 ten:1", "one:1 two:1", "two:2"));
  EXPECT_EQ(data.vectorizer->words, data.feature_names);
  EXPECT_EQ(data.vectorizer->documents, 4);
  EXPECT_THAT(data.notes, IsEmpty());
}

TEST_F(TextFolder, ClassCanBeTheWholePath) {
  write("rec/sport/1", "a");
  write("rec/2", "b");
  write("3", "c");
  ReadOptions options = plain_options();
  options.class_from = ClassFrom::kPath;
  const ParsedData data = read(options);
  EXPECT_THAT(data.sample_names, ElementsAre("3", "rec/2", "rec/sport/1"));
  EXPECT_THAT(all_labels(data), ElementsAre("", "rec", "rec/sport"));
  EXPECT_THAT(data.notes, ElementsAre("1 document outside any class folder: no label"));
  options.path_separator = "--";
  EXPECT_THAT(all_labels(read(options)), ElementsAre("", "rec", "rec--sport"));
}

TEST_F(TextFolder, UnderTakesAPartAndClassesStartThere) {
  write("train/rec/1", "a");
  write("test/rec/1", "b");
  write("test/sci/x/2", "c");
  write("tests/rec/9", "d");
  ReadOptions options = plain_options();
  options.under = "./test//";
  options.class_from = ClassFrom::kPath;
  const ParsedData data = read(options);
  EXPECT_THAT(data.sample_names, ElementsAre("test/rec/1", "test/sci/x/2"));
  EXPECT_THAT(all_labels(data), ElementsAre("rec", "sci/x"));
  options.under = "test/sci";
  options.class_from = ClassFrom::kFolder;
  EXPECT_THAT(all_labels(read(options)), ElementsAre("x"));
  options.under = "rec";
  EXPECT_THAT(input_error_of(options), HasSubstr("no document below 'rec'"));
}

TEST_F(TextFolder, SkipsHiddenNamesAndSaysSo) {
  write("a/1", "one");
  write("a/.hidden", "secret");
  write(".git/x", "secret");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("a/1"));
  EXPECT_THAT(data.notes, ElementsAre("2 hidden names skipped"));
}

TEST_F(TextFolder, LinksMakeNoLoops) {
  write("a/1", "one");
  fs::create_directory_symlink("..", root / "a" / "up");
  fs::create_directory_symlink(".", root / "self");
  fs::create_symlink("1", root / "a" / "2");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("a/1", "a/2"));
  EXPECT_THAT(all_rows(data), ElementsAre("one:1", "one:1"));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("2 links skipped")));
}

TEST_F(TextFolder, BrokenLinksAreErrors) {
  write("a/1", "one");
  fs::create_symlink("nowhere", root / "a" / "2");
  EXPECT_THAT(error_of(Error::Kind::kSystem, [&] { read(); }), HasSubstr("a/2: cannot follow the link"));
  fs::remove(root / "a" / "2");
  fs::create_symlink("2", root / "a" / "2");
  EXPECT_THAT(error_of(Error::Kind::kSystem, [&] { read(); }), HasSubstr("a/2: cannot follow the link"));
}

TEST_F(TextFolder, SpecialFilesAreSkippedNotWaitedFor) {
  write("a/1", "one");
  ASSERT_EQ(::mkfifo((root / "a" / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(read().notes, ElementsAre("1 special file skipped"));
}

TEST_F(TextFolder, UnreadableFilesAreErrors) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const std::string file = write("a/1", "one");
  fs::permissions(file, fs::perms::none);
  EXPECT_THAT(error_of(Error::Kind::kSystem, [&] { read(); }), HasSubstr("a/1: cannot open"));
}

TEST_F(TextFolder, OtherEncodingsAreReadAsLatin1AndCounted) {
  write("a/1", "caf\xE9");
  write("a/2", "caf\xC3\xA9");
  write("a/3", "plain");
  EXPECT_THAT(all_rows(read()), ElementsAre("caf\xC3\xA9:1", "caf\xC3\xA9:1", "plain:1"));
  EXPECT_THAT(read().notes, ElementsAre("1 document not in UTF-8, read as Latin-1"));

  ReadOptions options = plain_options();
  options.encoding = Encoding::kLatin1;
  EXPECT_THAT(read(options).feature_names, ElementsAre("caf\xC3\xA3", "caf\xC3\xA9", "plain"));  // the (c) separates
  EXPECT_THAT(read(options).notes, IsEmpty());
  options.encoding = Encoding::kUtf8;
  EXPECT_THAT(input_error_of(options), HasSubstr("a/1:1: the text is not UTF-8"));
  write("a/1", "fine\nfine\nna\xEFve");
  EXPECT_THAT(input_error_of(options), HasSubstr("a/1:3: the text is not UTF-8"));
}

TEST_F(TextFolder, Utf16IsAnErrorAndZeroBytesAreNoted) {
  write("a/1", std::string_view("ab\0cd", 5));
  EXPECT_THAT(read().notes, ElementsAre(HasSubstr("1 document with zero bytes")));
  EXPECT_THAT(all_rows(read()), ElementsAre("ab:1 cd:1"));
  write("a/1", std::string_view("\xFF\xFEh\0i\0", 6));
  EXPECT_THAT(input_error_of(), HasSubstr("a/1: the text is UTF-16"));
}

TEST_F(TextFolder, FileNamesInLatin1BecomeUtf8) {
  write("caf\xE9/1", "one");
  const ParsedData data = read();
  EXPECT_THAT(data.sample_names, ElementsAre("caf\xC3\xA9/1"));
  EXPECT_THAT(all_labels(data), ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(data.notes, ElementsAre("1 file name not in UTF-8, read as Latin-1"));
}

TEST_F(TextFolder, EmptyDocumentsStayAndRepeatsStay) {
  write("a/1", "");
  write("a/2", "same");
  write("b/3", "same");
  const ParsedData data = read();
  EXPECT_THAT(all_rows(data), ElementsAre("", "same:1", "same:1"));
  EXPECT_THAT(data.notes, ElementsAre("1 document without a word of the vocabulary: all values are 0"));
}

TEST_F(TextFolder, NothingToReadIsAnError) {
  EXPECT_THAT(input_error_of(), HasSubstr("no document"));
  write("a/1", " ... ");
  EXPECT_THAT(input_error_of(), HasSubstr("no word is left"));
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read_text_folder((root / "none").string(), plain_options(), ctx); }),
              HasSubstr("none: no such file or folder"));
}

TEST_F(TextFolder, PrecisionIsHonoured) {
  write("a/1", "one two");
  write("a/2", "two");
  ReadOptions options;
  options.precision = Precision::kFloat;
  EXPECT_TRUE(is_single_precision(read(options).features));
}

TEST_F(TextFolder, BadTextOptionsAreErrorsBeforeReading) {
  write("a/1", "one");
  ReadOptions options = plain_options();
  options.text.stem = "klingon";
  EXPECT_THAT(input_error_of(options), AllOf(HasSubstr("klingon"), HasSubstr("english")));
}

// --- archives

struct Member {
  std::string path;
  std::string content;
  unsigned type = AE_IFREG;
};

enum class Packing { kNone, kGzip, kBzip2, kXz, kZstd };

std::string make_tar(const std::vector<Member>& members, Packing packing = Packing::kNone) {
  std::string bytes(1U << 20U, '\0');
  for (const Member& member : members) bytes.append(member.content.size() + 4096, '\0');
  archive* writer = archive_write_new();
  archive_write_set_format_gnutar(writer);
  if (packing == Packing::kGzip) archive_write_add_filter_gzip(writer);
  if (packing == Packing::kBzip2) archive_write_add_filter_bzip2(writer);
  if (packing == Packing::kXz) archive_write_add_filter_xz(writer);
  if (packing == Packing::kZstd) archive_write_add_filter_zstd(writer);
  std::size_t used = 0;
  EXPECT_EQ(archive_write_open_memory(writer, bytes.data(), bytes.size(), &used), ARCHIVE_OK);
  for (const Member& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.path.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, member.type);
    if (member.type == AE_IFREG) archive_entry_set_size(entry, static_cast<la_int64_t>(member.content.size()));
    if (member.type == AE_IFLNK) archive_entry_set_symlink(entry, member.content.c_str());
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK) << archive_error_string(writer);
    if (member.type == AE_IFREG) archive_write_data(writer, member.content.data(), member.content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  bytes.resize(used);
  return bytes;
}

class TextArchive : public TextSource {
 protected:
  ParsedData read(std::string_view bytes, const ReadOptions& options = plain_options()) {
    return read_text_archive_bytes(Input::from_bytes("x.tar", bytes), options, ctx);
  }
  std::string input_error_of(std::string_view bytes) {
    return error_of(Error::Kind::kInput, [&] { read(bytes); });
  }
};

const std::vector<Member> kMembers = {
    {"./", "", AE_IFDIR},    {"./b/", "", AE_IFDIR},    {"./b/2", "two two"}, {"a/1", "One two."},
    {"a/.hidden", "secret"}, {"a/link", "1", AE_IFLNK}, {"/b//1", "caf\xE9"},
};

TEST_F(TextArchive, IsReadAsTheFolderIs) {
  const ParsedData data = read(make_tar(kMembers));
  EXPECT_THAT(data.sample_names, ElementsAre("a/1", "b/1", "b/2"));
  EXPECT_THAT(all_labels(data), ElementsAre("a", "b", "b"));
  EXPECT_THAT(all_rows(data), ElementsAre("one:1 two:1", "caf\xC3\xA9:1", "two:2"));
  EXPECT_THAT(data.notes, ElementsAre("1 document not in UTF-8, read as Latin-1", "1 hidden name skipped",
                                      HasSubstr("1 link skipped")));
}

TEST_F(TextArchive, EveryPackingGivesTheSame) {
  const ParsedData expected = read(make_tar(kMembers));
  const std::vector<std::pair<Packing, std::string>> packings = {{Packing::kNone, "x.tar"},
                                                                 {Packing::kGzip, "x.tar.gz"},
                                                                 {Packing::kBzip2, "x.tar.bz2"},
                                                                 {Packing::kXz, "x.tar.xz"},
                                                                 {Packing::kZstd, "x.tar.zst"}};
  for (const auto& [packing, name] : packings) {
    const std::string path = write(name, make_tar(kMembers, packing));
    expect_same(read_text_folder(path, plain_options(), ctx), expected);
  }
}

TEST_F(TextArchive, ThreadsAndOrderOfMembersChangeNothing) {
  RandomStream random(3, {kTestStream, 10});
  std::vector<Member> members;
  for (int d = 0; d < 400; ++d) {  // 12 MB: several batches of several chunks
    std::string text;
    for (Index w = random.below(8000); w > 0; --w) {
      text += "word" + std::to_string(static_cast<int>(std::pow(5000.0, random.uniform()))) + ' ';
    }
    members.push_back({"class" + std::to_string(d % 7) + "/" + std::to_string(d), std::move(text)});
  }
  for (const Member& member : members) write("unpacked/" + member.path, member.content);
  const ParsedData unpacked = read_text_folder((root / "unpacked").string(), ReadOptions(), ctx);
  random.shuffle(std::span(members));
  const std::string tar = make_tar(members);
  ASSERT_GT(tar.size(), 10U << 20U);
  for (const int threads : {1, 2, 3}) {
    Context other({.threads = threads});
    expect_same(read_text_archive_bytes(Input::from_bytes("x.tar", tar), ReadOptions(), other), unpacked);
  }
}

TEST_F(TextArchive, UnderWorksInside) {
  const std::string tar = make_tar({{"./train/rec/1", "a"}, {"./test/rec/2", "b"}, {"./test/sci/3", "c"}});
  ReadOptions options = plain_options();
  options.under = "test";
  EXPECT_THAT(read(tar, options).sample_names, ElementsAre("test/rec/2", "test/sci/3"));
  options.under = "else";
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(tar, options); }), HasSubstr("no document below 'else'"));
}

TEST_F(TextArchive, DamageIsAnErrorWithThePlace) {
  const std::string tar = make_tar({{"a/1", "one"}, {"a/2", std::string(5000, 'x')}});
  EXPECT_THAT(input_error_of(tar.substr(0, 2000)), HasSubstr("x.tar: cannot read the archive beyond member 2"));
  EXPECT_THAT(input_error_of("not an archive at all, just some text that is long enough"),
              HasSubstr("beyond member 0"));
  std::string wrong = tar;
  wrong[1030] = 'Z';  // inside the header of the second member
  EXPECT_THAT(input_error_of(wrong), HasSubstr("beyond member 1"));
  std::string packed = make_tar({{"a/1", std::string(100000, 'x') + "y"}}, Packing::kXz);
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  EXPECT_THAT(input_error_of(packed), HasSubstr("cannot read the archive"));
  EXPECT_THAT(input_error_of(make_tar({})), HasSubstr("no document"));
  EXPECT_THAT(input_error_of(""), HasSubstr("x.tar: "));
}

TEST_F(TextArchive, NamesBeyondAsciiSurviveAnyLocale) {
  const ParsedData data = read(make_tar({{"caf\xC3\xA9/1", "one"}, {"caf\xE9/2", "two"}}));
  EXPECT_THAT(data.sample_names, ElementsAre("caf\xC3\xA9/1", "caf\xC3\xA9/2"));
}

TEST_F(TextArchive, ErrorsInsideNameTheMember) {
  ReadOptions options = plain_options();
  options.encoding = Encoding::kUtf8;
  const std::string tar = make_tar({{"a/1", "one"}, {"a/2", "x\nna\xEFve"}});
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(tar, options); }),
              HasSubstr("x.tar(a/2):2: the text is not UTF-8"));
}

// --- one document per line

class TextLines : public TextSource {
 protected:
  ParsedData read(std::string_view text, const ReadOptions& options = plain_options()) {
    return read_text_lines(Input::from_bytes("x.txt", text), options, ctx);
  }
};

TEST_F(TextLines, EveryLineIsADocument) {
  const ParsedData data = read("b a b\r\n\nc\nlast");
  EXPECT_THAT(all_rows(data), ElementsAre("a:1 b:2", "", "c:1", "last:1"));
  EXPECT_THAT(all_labels(data), ElementsAre("", "", "", ""));
  EXPECT_THAT(data.sample_names, IsEmpty());
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 document without a word")));
  EXPECT_EQ(row_count(read("a\nb\n").features), 2);
}

TEST_F(TextLines, LabelsComeFromTheirFile) {
  ReadOptions options = plain_options();
  options.labels_file = write("labels.txt", "0\ttrain\tx\n1\ttest\ty");
  EXPECT_THAT(all_labels(read("a\nb", options)), ElementsAre("x", "y"));
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a\nb\nc", options); }), HasSubstr("labels.txt"));
}

TEST_F(TextLines, EncodingIsALinesOwn) {
  const ParsedData data = read("caf\xE9\ncaf\xC3\xA9\n");
  EXPECT_THAT(data.feature_names, ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(data.notes, ElementsAre("1 document not in UTF-8, read as Latin-1"));
  ReadOptions options = plain_options();
  options.encoding = Encoding::kUtf8;
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a\nb\ncaf\xE9\n", options); }),
              HasSubstr("x.txt:3: the text is not UTF-8"));
}

TEST_F(TextLines, AMarkOfByteOrderIsNoWord) {
  EXPECT_THAT(all_rows(read("\xEF\xBB\xBF"
                            "abc\n")),
              ElementsAre("abc:1"));
}

TEST_F(TextLines, BlankLinesWithoutEndAreRefusedBeforeTheyCostMemory) {
  const std::string blank(2'100'000, '\n');
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(blank); }), HasSubstr("2100000 samples in a file of 2100000"));
}

TEST_F(TextLines, NothingIsAnError) {
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(""); }), HasSubstr("x.txt: no document"));
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("\n\n"); }), HasSubstr("x.txt: no word is left"));
}

std::string random_lines(Index lines) {
  RandomStream random(3, {kTestStream, 11});
  std::string text;
  for (Index l = 0; l < lines; ++l) {
    for (Index w = random.below(120); w > 0; --w) {
      text += "word" + std::to_string(static_cast<int>(std::pow(5000.0, random.uniform()))) + ' ';
    }
    text += '\n';
  }
  return text;
}

TEST_F(TextLines, ThreadsChangeNothing) {
  const std::string text = random_lines(8000);
  ASSERT_GT(text.size(), 3U << 20U);
  Context one({.threads = 1});
  const ParsedData expected = read_text_lines(Input::from_bytes("x.txt", text), ReadOptions(), one);
  EXPECT_EQ(row_count(expected.features), 8000);
  for (const int threads : {2, 3}) {
    Context many({.threads = threads});
    expect_same(read_text_lines(Input::from_bytes("x.txt", text), ReadOptions(), many), expected);
  }
}

TEST_F(TextLines, ErrorsOfLaterChunksHaveTheirLine) {
  ReadOptions options = plain_options();
  options.encoding = Encoding::kUtf8;
  const std::string text = random_lines(8000) + "caf\xE9\n" + random_lines(4000) + "caf\xE9\n";
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read(text, options); }), HasSubstr("x.txt:8001: "));
}

TEST_F(TextLines, AVocabularyLearntBeforeGivesItsColumnsAndItsWays) {
  ReadOptions options;
  options.text.stem = "english";
  const ParsedData learnt = read("running dogs\ncats run\nbirds", options);
  nlohmann::json meta = {{"vectorizer", vectorizer_to_json(*learnt.vectorizer)}};
  ReadOptions later = plain_options();  // overridden by what the vocabulary says
  later.vocabulary = write("x.meta.json", meta.dump());
  const ParsedData data = read("running dogs\nunknown\nThe Birds", later);
  EXPECT_EQ(data.feature_names, learnt.feature_names);
  EXPECT_EQ(data.vectorizer->documents, 3);
  const auto& old_rows = std::get<SparseMatrix<double>>(learnt.features);
  const auto& rows = std::get<SparseMatrix<double>>(data.features);
  EXPECT_TRUE(std::ranges::equal(rows.row_values(0), old_rows.row_values(0)));
  EXPECT_THAT(rows.row_indices(1), IsEmpty());
  EXPECT_TRUE(std::ranges::equal(rows.row_values(2), old_rows.row_values(2)));
}

TEST_F(TextLines, AVocabularyFileThatIsNoneIsAnError) {
  ReadOptions options = plain_options();
  options.vocabulary = write("x.meta.json", "{}");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("no vocabulary in this file"));
  write("x.meta.json", "{\n\"vectorizer\": {]");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("x.meta.json:2"));
  write("x.meta.json", R"({"vectorizer": {"words": 1}})");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("bad vectorizer"));
  write("x.meta.json", "[1e999]");
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("x.meta.json"));
  options.vocabulary = (root / "none").string();
  EXPECT_THAT(error_of(Error::Kind::kInput, [&] { read("a", options); }), HasSubstr("none"));
}

// --- JSON lines

class JsonLines : public TextSource {
 protected:
  ParsedData read(std::string_view text, const ReadOptions& options = plain_options()) {
    return read_json_lines(Input::from_bytes("x.json", text), options, ctx);
  }
  std::string input_error_of(std::string_view text, const ReadOptions& options = plain_options()) {
    return error_of(Error::Kind::kInput, [&] { read(text, options); });
  }
};

TEST_F(JsonLines, ReadsTextsAndListsOfWords) {
  const ParsedData data = read(
      "{\"doc_label\": [\"a\", \"b\"], \"text\": \"One, two \\u00e9\\n two\", \"extra\": {\"text\": [1, {}]}}\n"
      "\n"
      "{\"doc_token\": [\"Two\", \"New York\", \"\"], \"doc_label\": \"b\", \"doc_keyword\": []}\r\n"
      "  {\"doc_label\": 7, \"doc_token\": []}");
  EXPECT_THAT(all_rows(data), ElementsAre("one:1 two:2 \xC3\xA9:1", "new york:1 two:1", ""));
  EXPECT_THAT(all_labels(data), ElementsAre("a,b", "b", "7"));
  EXPECT_EQ(data.labels.first_line(2), 4);
}

TEST_F(JsonLines, FieldsCanBeNamed) {
  ReadOptions options = plain_options();
  options.text_field = "body";
  options.label_field = "cats";
  const ParsedData data = read(R"({"body": "one", "text": 5, "cats": ["x"]})", options);
  EXPECT_THAT(all_rows(data), ElementsAre("one:1"));
  EXPECT_THAT(all_labels(data), ElementsAre("x"));
}

TEST_F(JsonLines, TextGoesBeforeTokensAndThatIsSaid) {
  const ParsedData data = read(R"({"doc_token": ["two"], "text": "one", "doc_label": "a"})");
  EXPECT_THAT(all_rows(data), ElementsAre("one:1"));
  EXPECT_THAT(data.notes, ElementsAre("1 document with both 'text' and 'doc_token': the first was read"));
  EXPECT_THAT(all_rows(read(R"({"doc_token": ["two"], "text": null, "doc_label": "a"})")), ElementsAre("two:1"));
}

TEST_F(JsonLines, DocumentsWithoutLabelStayAndAreCounted) {
  const ParsedData data = read(
      "{\"text\": \"a\"}\n{\"text\": \"a\", \"doc_label\": []}\n{\"text\": \"a\", \"doc_label\": null}\n"
      "{\"text\": \"a\", \"doc_label\": \"\"}\n{\"text\": \"a\", \"doc_label\": \"x\"}\n");
  EXPECT_THAT(all_labels(data), ElementsAre("", "", "", "", "x"));
  EXPECT_THAT(data.notes, ElementsAre("4 documents without a label in 'doc_label'"));
}

TEST_F(JsonLines, DashedPathsGetThePathSeparator) {
  const std::string text =
      "{\"text\": \"a\", \"doc_label\": [\"CCAT--C15--C152\", \"GCAT\"]}\n"
      "{\"text\": \"b\", \"doc_label\": \"CCAT--C15\"}\n";
  const ParsedData data = read(text);
  EXPECT_THAT(all_labels(data), ElementsAre("CCAT/C15/C152,GCAT", "CCAT/C15"));
  EXPECT_EQ(data.labels.first_line(2), 2);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("'--'")));

  ReadOptions options = plain_options();
  options.label_paths = LabelPaths::kNo;
  EXPECT_THAT(all_labels(read(text, options)), ElementsAre("CCAT--C15--C152,GCAT", "CCAT--C15"));
  options = plain_options();
  options.path_separator = "--";
  EXPECT_THAT(all_labels(read(text, options)), ElementsAre("CCAT--C15--C152,GCAT", "CCAT--C15"));
  EXPECT_THAT(all_labels(read("{\"text\": \"a\", \"doc_label\": [\"x--y\", \"p/q\"]}")), ElementsAre("x--y,p/q"));
}

TEST_F(JsonLines, EveryErrorHasItsLine) {
  const std::string good = "{\"text\": \"a\", \"doc_label\": \"x\"}\n\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"doc_label\": \"x\"}", "x.json:3: no text in this object"},
      {"{\"text\": null}", "x.json:3: no text in this object"},
      {"[1, 2]", "x.json:3: not a JSON object"},
      {"\"text\"", "x.json:3: not a JSON object"},
      {"3", "x.json:3: not a JSON object"},
      {"null", "x.json:3: not a JSON object"},
      {"true", "x.json:3: not a JSON object"},
      {"{\"text\": \"a\"", "x.json:3:13: not well-formed JSON"},
      {"{\"text\": \"a\"} {}", "x.json:3:15: not well-formed JSON"},
      {"some text", "x.json:3:1: not well-formed JSON"},
      {"{\"text\": \"\\ud800\"}", "not well-formed JSON"},
      {"{\"text\": \"a\", \"n\": 1e999}", "x.json:3"},
      {"{\"text\": 5}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"text\": [\"a\", 5]}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"text\": [[\"a\"]]}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"text\": {\"a\": 1}}", "x.json:3: the text in 'text' is of a wrong type"},
      {"{\"doc_token\": [null]}", "x.json:3: the text in 'doc_token' is of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": 1.5}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": [true]}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": [[\"x\"]]}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"doc_label\": {\"x\": 1}}", "x.json:3: the labels in 'doc_label' are of a wrong type"},
      {"{\"text\": \"a\", \"text\": \"b\"}", "x.json:3: the field 'text' stands there twice"},
      {"{\"text\": \"a\", \"doc_label\": [], \"doc_label\": []}", "x.json:3: the field 'doc_label' stands there twice"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_THAT(input_error_of(good + line + "\n" + good), HasSubstr(message)) << line;
  }
  EXPECT_THAT(input_error_of(""), HasSubstr("x.json: no document"));
}

TEST_F(JsonLines, DeepNestingIsHarmless) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_THAT(all_rows(read("{\"x\": " + deep + ", \"text\": \"a\"}")), ElementsAre("a:1"));
}

TEST_F(JsonLines, OtherEncodingsAreReadAsLatin1AndCounted) {
  const ParsedData data = read("{\"text\": \"caf\xE9\", \"doc_label\": \"x\"}\n");
  EXPECT_THAT(data.feature_names, ElementsAre("caf\xC3\xA9"));
  EXPECT_THAT(data.notes, ElementsAre("1 document not in UTF-8, read as Latin-1"));
  EXPECT_THAT(all_rows(read("\xEF\xBB\xBF{\"text\": \"a\"}\n")), ElementsAre("a:1"));
}

TEST_F(JsonLines, ThreadsChangeNothingAndLinesAreRight) {
  std::string text;
  RandomStream random(3, {kTestStream, 12});
  for (Index d = 0; d < 20000; ++d) {
    nlohmann::json record = {{"doc_label", {"class" + std::to_string(random.below(30)), "top"}}};
    for (Index w = 1 + random.below(30); w > 0; --w) {
      record["doc_token"].push_back("Word" + std::to_string(random.below(4000)));
    }
    text += record.dump() + (random.below(10) == 0 ? "\n\n" : "\n");
  }
  ASSERT_GT(text.size(), 4U << 20U);
  Context one({.threads = 1});
  const ParsedData expected = read_json_lines(Input::from_bytes("x.json", text), ReadOptions(), one);
  EXPECT_EQ(row_count(expected.features), 20000);
  for (const int threads : {2, 3}) {
    Context many({.threads = threads});
    expect_same(read_json_lines(Input::from_bytes("x.json", text), ReadOptions(), many), expected);
  }
  const auto line = std::to_string(std::ranges::count(text, '\n') + 1);
  EXPECT_THAT(input_error_of(text + "{}\n{}"), HasSubstr("x.json:" + line + ": no text"));
}

// --- real data

class RealText : public testing::Test {
 protected:
  static std::string data(const std::string& name) { return (real_data_folder() / name).string(); }
  static ReadOptions everything() {
    ReadOptions options = plain_options();
    options.text.keep_case = true;
    return options;
  }
  Context ctx{{.threads = 2}};
};

#define CLADE_NEED(path) \
  if (!fs::exists(path)) GTEST_SKIP() << "no " << (path) << "; set CLADE_DATA to the folder of data sets"

TEST_F(RealText, Newsgroups) {
  const std::string path = data("newsgroups20/20news-bydate.tar.xz");
  CLADE_NEED(path);
  ReadOptions options;
  const ParsedData all = read_text_folder(path, options, ctx);
  EXPECT_EQ(row_count(all.features), 18846);
  EXPECT_EQ(all.labels.names().size(), 20U);
  EXPECT_THAT(all.labels.names(), Contains("comp.sys.ibm.pc.hardware"));
  EXPECT_THAT(all.notes, Contains("73 documents not in UTF-8, read as Latin-1"));
  EXPECT_THAT(all.sample_names.front(), "20news-bydate-test/alt.atheism/53068");
  options.under = "20news-bydate-train";
  const ParsedData train = read_text_folder(path, options, ctx);
  EXPECT_EQ(row_count(train.features), 11314);
  options.under = "20news-bydate-test";
  EXPECT_EQ(row_count(read_text_folder(path, options, ctx).features), 7532);
}

TEST_F(RealText, BbcSport) {
  const std::string path = data("BBCSport/bbcsport.tar.xz");
  CLADE_NEED(path);
  const ParsedData all = read_text_folder(path, ReadOptions(), ctx);
  EXPECT_EQ(row_count(all.features), 737);
  EXPECT_THAT(all.labels.names(), ElementsAre("athletics", "cricket", "football", "rugby", "tennis"));
}

TEST_F(RealText, WebKb) {
  const std::string path = data("WebKB4/WebKB.clean.txt");
  CLADE_NEED(path);
  ReadOptions options = everything();
  options.labels_file = data("WebKB4/WebKB.txt");
  const ParsedData all = read_text_lines(Input::open(path, ctx), options, ctx);
  EXPECT_EQ(row_count(all.features), 4199);
  EXPECT_EQ(all.feature_names.size(), 7772U);
  EXPECT_THAT(all.labels.names(), testing::UnorderedElementsAre("student", "faculty", "course", "project"));
}

TEST_F(RealText, Rcv1) {
  const std::string path = data("RCV1/rcv1_dev.hierar.json");
  CLADE_NEED(path);
  const ParsedData all = read_json_lines(Input::open(path, ctx), everything(), ctx);
  EXPECT_EQ(row_count(all.features), 2316);
  EXPECT_EQ(all.feature_names.size(), 32272U);
  EXPECT_EQ(all.labels.names().size(), 93U);
  EXPECT_THAT(all.labels.names(), AllOf(Contains("CCAT/C15/C152"), Each(Not(HasSubstr("--")))));
}

}  // namespace
}  // namespace clade
