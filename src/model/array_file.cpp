#include "model/array_file.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/json.h"

namespace clade {
namespace {

using nlohmann::json;

constexpr std::uint32_t kByteOrderMark = 0x0A0B0C0D;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kWriteBlock = 1U << 20U;  // given at once to a sink that buffers

struct FileHeader {
  std::array<char, 8> magic{};
  std::uint32_t byte_order = kByteOrderMark;
  std::uint32_t version = 1;
  std::uint64_t file_bytes = 0;
  std::uint64_t description_bytes = 0;
  std::uint64_t early_bytes = 0;  // version 2: how many of the first bytes the first checksum covers
  std::array<std::uint64_t, 3> reserved{};
};
static_assert(sizeof(FileHeader) == kArrayFileHeader);

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

std::string_view padding_after(std::size_t bytes) {
  static constexpr std::array<char, kArrayAlignment> kZeros{};
  return {kZeros.data(), aligned(bytes) - bytes};
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

FileHeader header_of(std::string_view bytes) {
  FileHeader header;
  std::memcpy(&header, bytes.data(), sizeof(FileHeader));
  return header;
}

std::uint64_t checksum_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

// The checksum that ends `from_end` bytes before the end.
std::uint64_t stored_checksum(std::string_view bytes, std::size_t from_end = 0) {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + bytes.size() - from_end - kChecksumBytes, kChecksumBytes);
  return checksum;
}

// Version 2 has one for what comes early before the one for everything.
std::size_t checksum_bytes(std::uint32_t version) {
  return version == 1 ? kChecksumBytes : 2 * kChecksumBytes;
}

// Passes bytes on, and computes their checksum while they are in the cache.
class ChecksumSink : public Sink {
 public:
  explicit ChecksumSink(Sink& to) : to_(&to), state_(XXH3_createState(), XXH3_freeState) {
    XXH3_64bits_reset(state_.get());
  }
  void write(std::string_view bytes) override {
    XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
    to_->write(bytes);
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  Sink* to_;
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

void write_in_blocks(Sink& sink, std::string_view bytes) {
  for (; bytes.size() > kWriteBlock; bytes.remove_prefix(kWriteBlock)) sink.write(bytes.substr(0, kWriteBlock));
  sink.write(bytes);
}

// Bytes at an address aligned for any element: the input itself, or a copy.
std::pair<std::string_view, std::shared_ptr<const void>> aligned_bytes(const Input& input) {
  const std::string_view bytes = input.bytes();
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::max_align_t) == 0) {
    return {bytes, std::make_shared<const Input>(input)};
  }
  const auto copy =
      std::make_shared<Buffer<std::max_align_t>>(static_cast<Index>(bytes.size() / sizeof(std::max_align_t)) + 1);
  std::memcpy(copy->data(), bytes.data(), bytes.size());
  return {{reinterpret_cast<const char*>(copy->data()), bytes.size()}, copy};
}

std::size_t element_bytes(std::string_view type) {
  if (type == "u8") return 1;
  if (type == "u16") return 2;
  if (type == "u32" || type == "i32" || type == "f32") return 4;
  return type == "i64" || type == "f64" ? 8 : 0;
}

}  // namespace

void ArrayFileWriter::add_pieces(std::string name, std::string_view type, std::size_t element_bytes,
                                 std::vector<std::string_view> pieces) {
  std::erase_if(pieces, [](std::string_view piece) { return piece.empty(); });
  if (pieces.empty()) return;
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces) bytes = aligned(bytes) + piece.size();
  entries_.push_back({std::move(name), type, element_bytes, bytes, std::move(pieces)});
}

void ArrayFileWriter::add_strings(const std::string& name, std::span<const std::string> strings) {
  if (strings.empty()) return;
  std::vector<std::uint8_t> bytes;
  std::vector<Index> offsets{0};
  for (const std::string& text : strings) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<Index>(bytes.size()));
  }
  add_copy(name, std::move(bytes));
  add_copy(name + "_offsets", std::move(offsets));
}

void ArrayFileWriter::write(json description, Sink& sink) const {
  std::vector<const Entry*> entries;
  for (const Entry& entry : entries_) {
    if (!entry.is_late) entries.push_back(&entry);
  }
  const std::size_t late = entries.size();
  const bool has_late = late < entries_.size();
  for (const Entry& entry : entries_) {
    if (entry.is_late) entries.push_back(&entry);
  }
  json directory = json::array();
  std::size_t offset = 0;
  std::size_t early = 0;
  for (const Entry* const entry : entries) {
    directory.push_back({entry->name, entry->type, offset, entry->bytes / entry->element_bytes});
    offset += aligned(entry->bytes);
    if (!entry->is_late) early = offset;
  }
  description["arrays"] = std::move(directory);
  std::string text;
  try {
    text = dump_json(description, -1, InvalidUtf8::Refuse);
  } catch (const json::type_error&) {
    throw usage_error("a name in the description of the file is not UTF-8", "expected UTF-8");
  }

  FileHeader header;
  kArrayFileMagic.copy(header.magic.data(), header.magic.size());
  header.description_bytes = text.size();
  const std::size_t begin = aligned(sizeof(FileHeader) + text.size());
  if (has_late) {
    header.version = 2;
    header.early_bytes = begin + early;
  }
  header.file_bytes = begin + offset + checksum_bytes(header.version);
  ChecksumSink checked(sink);
  checked.write(bytes_of(header));
  write_in_blocks(checked, text);
  checked.write(padding_after(sizeof(FileHeader) + text.size()));
  std::uint64_t early_checksum = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (e == late) early_checksum = checked.value();
    for (const std::string_view piece : entries[e]->pieces) {
      write_in_blocks(checked, piece);
      checked.write(padding_after(piece.size()));
    }
  }
  if (has_late) checked.write(bytes_of(early_checksum));
  const std::uint64_t checksum = checked.value();
  sink.write(bytes_of(checksum));
}

ArrayFile::ArrayFile(const Input& input) : where_{.file = input.name()} {
  auto [bytes, storage] = aligned_bytes(input);
  storage_ = std::move(storage);
  bytes_ = bytes;
  check_header(bytes);
  read_description(bytes.substr(0, bytes.size() - checksum_bytes(header_of(bytes).version)));
}

Error ArrayFile::error(std::string_view problem, std::string_view expected) const {
  return input_error(where_, problem, expected);
}

void ArrayFile::check_header(std::string_view bytes) const {
  constexpr std::string_view kExpected = "expected a file written by clade train";
  if (!bytes.starts_with(kArrayFileMagic)) {
    const bool is_start = kArrayFileMagic.starts_with(bytes) && !bytes.empty();
    throw is_start ? error("the file is truncated", "expected a whole model file") : error("is not a model", kExpected);
  }
  if (bytes.size() < sizeof(FileHeader) + kChecksumBytes) {
    throw error(fmt::format("the file is truncated: it has {} bytes", bytes.size()), "expected a whole model file");
  }
  const FileHeader header = header_of(bytes);
  if (header.byte_order == __builtin_bswap32(kByteOrderMark)) {
    throw error("written on a machine of another byte order", "train the model on a machine like this one");
  }
  if (header.byte_order != kByteOrderMark) throw error("a byte of the header has changed", kExpected);
  if (header.version > kArrayFileVersion) {
    throw error(fmt::format("format version {}, written by a newer Clade", header.version),
                fmt::format("this Clade reads versions up to {}", kArrayFileVersion));
  }
  if (header.version == 0) throw error("a byte of the header has changed: format version 0", kExpected);
  if (header.file_bytes > bytes.size()) {
    throw error(fmt::format("the file is truncated: it has {} of {} bytes", bytes.size(), header.file_bytes),
                "expected a whole model file");
  }
  if (header.file_bytes < bytes.size()) {
    throw error(fmt::format("{} bytes too many", bytes.size() - header.file_bytes), "expected the end of the model");
  }
  if (header.version == 1) return require_unchanged();
  if (bytes.size() < sizeof(FileHeader) + checksum_bytes(header.version) || header.early_bytes < sizeof(FileHeader) ||
      header.early_bytes > bytes.size() - checksum_bytes(header.version)) {
    throw error("a byte of the header has changed", kExpected);
  }
  require_checksum(bytes.substr(0, header.early_bytes), stored_checksum(bytes, kChecksumBytes));
}

void ArrayFile::require_checksum(std::string_view bytes, std::uint64_t stored) const {
  if (checksum_of(bytes) == stored) return;
  throw error("wrong checksum: a byte has changed", "expected the file as it was written; copy or train it again");
}

void ArrayFile::require_unchanged() const {
  require_checksum(bytes_.substr(0, bytes_.size() - kChecksumBytes), stored_checksum(bytes_));
}

void ArrayFile::read_description(std::string_view bytes) {
  const FileHeader header = header_of(bytes);
  if (header.description_bytes > bytes.size() - sizeof(FileHeader)) {
    throw error("the description is longer than the file", "expected a whole model file");
  }
  const std::string_view text = bytes.substr(sizeof(FileHeader), header.description_bytes);
  try {
    description_ = parse_json(text);
  } catch (const json::exception&) {
    throw error("the description is not well-formed JSON", "expected one JSON object");
  }
  const auto directory = description_.find("arrays");
  if (!description_.is_object() || directory == description_.end() || !directory->is_array()) {
    throw error("the description has no \"arrays\"", "expected an object with a list of arrays");
  }
  const std::string_view arrays = bytes.substr(std::min(bytes.size(), aligned(sizeof(FileHeader) + text.size())));
  for (const json& entry : *directory) read_entry(entry, arrays);
}

void ArrayFile::read_entry(const json& entry, std::string_view arrays) {
  const bool has_form = entry.is_array() && entry.size() == 4 && entry[0].is_string() && entry[1].is_string() &&
                        entry[2].is_number_unsigned() && entry[3].is_number_unsigned();
  if (!has_form) throw error("a bad entry in \"arrays\"", "expected [name, type, offset, count]");
  const auto name = entry[0].get<std::string>();
  const auto type = entry[1].get<std::string>();
  const auto offset = entry[2].get<std::uint64_t>();
  const auto count = entry[3].get<std::uint64_t>();
  const std::size_t size = element_bytes(type);
  if (size == 0) throw error(fmt::format("array '{}' has the unknown type '{}'", name, type), "expected u8 to f64");
  if (offset % kArrayAlignment != 0 || offset > arrays.size() || count > (arrays.size() - offset) / size) {
    throw error(fmt::format("array '{}' does not lie in the file", name), "expected offsets and counts within it");
  }
  const bool is_new = entries_.emplace(name, Entry{type, arrays.substr(offset, count * size)}).second;
  if (!is_new) throw error(fmt::format("two arrays are named '{}'", name), "expected each name once");
}

std::string_view ArrayFile::find(std::string_view name, std::string_view type) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return {};
  if (found->second.type != type) {
    throw error(fmt::format("array '{}' is of type {}", name, found->second.type), fmt::format("expected {}", type));
  }
  return found->second.bytes;
}

std::vector<std::string> ArrayFile::strings(std::string_view name) const {
  const auto bytes = array<std::uint8_t>(name);
  const auto offsets = array<Index>(fmt::format("{}_offsets", name));
  if (offsets.empty()) return {};
  const auto total = static_cast<Index>(bytes.size());
  if (offsets.front() != 0 || offsets.back() != total) {
    throw error(fmt::format("the strings '{}' do not fill their bytes", name), "expected offsets from 0 to the end");
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  std::vector<std::string> strings;
  strings.reserve(offsets.size() - 1);
  for (std::size_t k = 1; k < offsets.size(); ++k) {
    if (offsets[k] < offsets[k - 1] || offsets[k] > total) {
      throw error(fmt::format("the offsets of the strings '{}' go backwards", name), "expected ascending offsets");
    }
    strings.emplace_back(text + offsets[k - 1], static_cast<std::size_t>(offsets[k] - offsets[k - 1]));
  }
  return strings;
}

void seal_array_file(std::string& bytes) {
  CLADE_CHECK(bytes.size() >= sizeof(FileHeader) + kChecksumBytes);
  const std::uint64_t size = bytes.size();
  std::memcpy(bytes.data() + offsetof(FileHeader, file_bytes), &size, sizeof(size));
  const FileHeader header = header_of(bytes);
  if (header.version == 2 && header.early_bytes <= bytes.size() - kChecksumBytes) {
    const std::uint64_t early = checksum_of(std::string_view(bytes).substr(0, header.early_bytes));
    if (bytes.size() >= sizeof(FileHeader) + checksum_bytes(2)) {
      std::memcpy(bytes.data() + bytes.size() - checksum_bytes(2), &early, kChecksumBytes);
    }
  }
  const std::uint64_t checksum = checksum_of(std::string_view(bytes).substr(0, bytes.size() - kChecksumBytes));
  std::memcpy(bytes.data() + bytes.size() - kChecksumBytes, &checksum, kChecksumBytes);
}

}  // namespace clade
