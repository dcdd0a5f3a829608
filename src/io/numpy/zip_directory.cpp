#include "io/numpy/zip_directory.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/parallel.h"

namespace clade {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint32_t kLongEndMark = 0x06064b50;
constexpr std::uint32_t kLongEndPlaceMark = 0x07064b50;
constexpr std::uint32_t kEntryMark = 0x02014b50;
constexpr std::uint32_t kMemberMark = 0x04034b50;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLongEndSize = 56;
constexpr std::size_t kLongEndPlaceSize = 20;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kMemberSize = 30;
constexpr std::uint16_t kLongNumbers = 1;          // the extra field with numbers of 64 bits
constexpr std::uint32_t kIsLong = 0xFFFFFFFF;      // stands for such a number
constexpr std::uint32_t kUnusualFlags = ~0x080EU;  // all but: sizes after the content, levels of packing, UTF-8 names

// A number of the file, which is little-endian. The caller has checked that it is there.
template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t k = 0; k < sizeof(T); ++k) {
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[at + k])) << (8 * k));
  }
  return value;
}

bool has(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

struct Entries {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};

// Where the directory begins. It ends the file, with a comment after it that nobody writes into .npz files.
std::optional<Entries> find_entries(std::string_view file) {
  if (file.size() < kEndSize) return std::nullopt;
  const std::size_t end = file.size() - kEndSize;
  if (number_at<std::uint32_t>(file, end) != kEndMark || number_at<std::uint16_t>(file, end + 20) != 0) {
    return std::nullopt;
  }
  Entries entries{number_at<std::uint32_t>(file, end + 16), number_at<std::uint16_t>(file, end + 10)};
  if (entries.begin != kIsLong && entries.count != 0xFFFF) return entries;
  if (end < kLongEndPlaceSize || number_at<std::uint32_t>(file, end - kLongEndPlaceSize) != kLongEndPlaceMark) {
    return std::nullopt;
  }
  const auto place = number_at<std::uint64_t>(file, end - kLongEndPlaceSize + 8);
  if (!has(file, place, kLongEndSize) || number_at<std::uint32_t>(file, place) != kLongEndMark) return std::nullopt;
  return Entries{number_at<std::uint64_t>(file, place + 48), number_at<std::uint64_t>(file, place + 32)};
}

struct Sizes {
  std::uint64_t content = 0;
  std::uint64_t packed = 0;
  std::uint64_t place = 0;
};

// Replaces those sizes that are too long for the entry itself. False if they are nowhere.
bool find_long_sizes(std::string_view extra, Sizes& sizes) {
  std::vector<std::uint64_t*> wanted;
  for (std::uint64_t* size : {&sizes.content, &sizes.packed, &sizes.place}) {
    if (*size == kIsLong) wanted.push_back(size);
  }
  while (!wanted.empty() && extra.size() >= 4) {
    const std::size_t length = number_at<std::uint16_t>(extra, 2);
    if (extra.size() - 4 < length) return false;
    if (number_at<std::uint16_t>(extra, 0) == kLongNumbers) {
      if (length < 8 * wanted.size()) return false;
      for (std::size_t k = 0; k < wanted.size(); ++k) *wanted[k] = number_at<std::uint64_t>(extra, 4 + 8 * k);
      return true;
    }
    extra.remove_prefix(4 + length);
  }
  return wanted.empty();
}

// The content of a stored member, after its own header. Null if it is not there.
std::string_view content_of(std::string_view file, std::string_view name, const Sizes& sizes) {
  if (!has(file, sizes.place, kMemberSize) || number_at<std::uint32_t>(file, sizes.place) != kMemberMark) return {};
  const std::uint64_t name_size = number_at<std::uint16_t>(file, sizes.place + 26);
  const std::uint64_t extra_size = number_at<std::uint16_t>(file, sizes.place + 28);
  const std::uint64_t begin = sizes.place + kMemberSize + name_size + extra_size;
  if (!has(file, begin, sizes.content) || file.substr(sizes.place + kMemberSize, name_size) != name) return {};
  return file.substr(begin, sizes.content);
}

std::uint32_t checksum_of(std::string_view content, Context& ctx) {
  constexpr Index kPiece = Index{1} << 20U;
  const auto size = static_cast<Index>(content.size());
  struct Part {
    uLong checksum = 0;
    z_off_t size = 0;
  };
  const Part whole = parallel_reduce(
      ctx, size, kPiece, Part{},
      [&](Index begin, Index end) {
        const auto* bytes = reinterpret_cast<const Bytef*>(content.data()) + begin;
        return Part{crc32_z(crc32_z(0, nullptr, 0), bytes, static_cast<z_size_t>(end - begin)), end - begin};
      },
      [](Part& total, const Part& part) {
        total = {crc32_combine(total.checksum, part.checksum, part.size), total.size + part.size};
      });
  return static_cast<std::uint32_t>(whole.checksum);
}

}  // namespace

ZipDirectory::ZipDirectory(std::string_view file) {
  if (!read(file)) members_.clear();
}

bool ZipDirectory::read(std::string_view file) {
  const std::optional<Entries> entries = find_entries(file);
  if (!entries) return false;
  std::uint64_t at = entries->begin;
  for (std::uint64_t k = 0; k < entries->count; ++k) {
    if (!has(file, at, kEntrySize) || number_at<std::uint32_t>(file, at) != kEntryMark) return false;
    const std::uint64_t name_size = number_at<std::uint16_t>(file, at + 28);
    const std::uint64_t extra_size = number_at<std::uint16_t>(file, at + 30);
    const std::uint64_t comment_size = number_at<std::uint16_t>(file, at + 32);
    if (!has(file, at + kEntrySize, name_size + extra_size + comment_size)) return false;
    Sizes sizes{number_at<std::uint32_t>(file, at + 24), number_at<std::uint32_t>(file, at + 20),
                number_at<std::uint32_t>(file, at + 42)};
    if (!find_long_sizes(file.substr(at + kEntrySize + name_size, extra_size), sizes)) return false;
    Member member{.name = file.substr(at + kEntrySize, name_size), .content = {}, .checksum = 0};
    member.checksum = number_at<std::uint32_t>(file, at + 16);
    const bool is_plain = (number_at<std::uint16_t>(file, at + 8) & kUnusualFlags) == 0;
    const bool is_stored = number_at<std::uint16_t>(file, at + 10) == 0 && sizes.content == sizes.packed;
    if (is_plain && is_stored) member.content = content_of(file, member.name, sizes);
    members_.push_back(member);
    at += kEntrySize + name_size + extra_size + comment_size;
  }
  return true;
}

std::string_view ZipDirectory::stored(std::string_view name, Context& ctx) const {
  const auto is_named = [name](const Member& member) { return member.name == name; };
  const auto found = std::ranges::find_if(members_, is_named);
  if (found == members_.end() || std::ranges::count_if(members_, is_named) > 1) return {};
  return checksum_of(found->content, ctx) == found->checksum ? found->content : std::string_view();
}

}  // namespace clade
