#include "io/text/text_support.h"

namespace clade {
namespace {

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

}  // namespace
}  // namespace clade
