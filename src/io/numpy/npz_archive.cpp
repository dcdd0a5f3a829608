#include "io/numpy/npz_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "io/archive.h"
#include "io/growing_bytes.h"
#include "io/numpy/zip_directory.h"
#include "io/zlib_coder.h"

namespace clade {
namespace {

constexpr std::string_view kEnding = ".npy";

using ArchiveEntry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

std::string path_of(archive_entry* entry) {
  const char* text = archive_entry_pathname_utf8(entry);
  if (text == nullptr) text = archive_entry_pathname(entry);
  return text != nullptr ? text : "";
}

std::string member_name(std::string path) {
  if (path.ends_with(kEnding)) path.resize(path.size() - kEnding.size());
  return path;
}

// The content of a member. Where it is stored as it is, that is a part of the file, which need not fit into memory.
class MemberBytes {
 public:
  explicit MemberBytes(std::string_view file) : file_(file) {}

  // Whether the block stands in the file, right after those before it.
  bool continues_in_file(std::string_view block) const {
    const std::less_equal<const char*> before;
    if (!before(file_.data(), block.data()) || !before(block.data(), file_.data() + file_.size())) return false;
    return unpacked_.size() == 0 && (stored_.empty() || stored_.data() + stored_.size() == block.data());
  }
  void append(std::string_view block) {
    if (block.empty()) return;
    if (continues_in_file(block)) {
      stored_ = {stored_.empty() ? block.data() : stored_.data(), stored_.size() + block.size()};
      return;
    }
    if (!stored_.empty()) unpacked_.append(std::exchange(stored_, {}));
    unpacked_.append(block);
  }
  bool is_in_file() const { return !stored_.empty(); }
  std::string_view view() const { return stored_.empty() ? unpacked_.view() : stored_; }

 private:
  std::string_view file_;
  std::string_view stored_;
  GrowingBytes unpacked_;
};

// Reads one member. `budget` is how much may still be unpacked from this file.
MemberBytes read_member(ArchiveReader& reader, std::string_view file, const ArrayPlace& place, std::size_t& budget,
                        Context& ctx) {
  MemberBytes bytes(file);
  std::optional<std::size_t> declared;
  reader.read([&](std::string_view block) {
    ctx.check_cancelled();
    const std::size_t unpacked = bytes.continues_in_file(block) ? 0 : block.size();
    if (unpacked > budget) {
      throw place.error("the arrays of this file need more than half of this machine's memory", "a smaller file");
    }
    budget -= unpacked;
    bytes.append(block);
    if (!declared) {
      const auto head = npy_header_size(bytes.view(), place);
      if (!head || *head > bytes.view().size()) return;
      const NpyHeader header = parse_npy_header(bytes.view(), place);
      declared = header.size + static_cast<std::size_t>(header.data_bytes);
    }
    if (bytes.view().size() > *declared) throw place.error("more bytes than its shape says");
  });
  return bytes;
}

}  // namespace

struct NpzArchive::Member {
  std::string name;
  MemberBytes bytes;
  NpyArray array;
  bool used = false;

  explicit Member(std::string_view file) : bytes(file) {}
};

NpzArchive::NpzArchive(const Input& input, std::span<const std::string_view> wanted, Context& ctx)
    : file_(input.name()) {
  if (!input.bytes().starts_with("PK")) {
    throw input_error({.file = file_}, "not a .npz file", "expected a ZIP archive of NumPy arrays");
  }
  ArchiveReader reader(ArchiveReader::Kind::kZip, [this](const std::string& reason) {
    return input_error({.file = file_}, fmt::format("corrupt archive ({})", reason), "expected a whole .npz file");
  });
  reader.open_memory(input.bytes());
  const ZipDirectory directory(input.bytes());
  std::size_t budget = largest_decompressed_size();
  while (archive_entry* entry = reader.next()) {
    const std::string path = path_of(entry);
    std::string name = member_name(path);
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
      const auto same_name = [&](const auto& member) { return member->name == name; };
      if (std::any_of(members_.begin(), members_.end(), same_name)) {
        throw input_error({.file = file_}, fmt::format("two arrays named {}", name), "expected each name once");
      }
      auto member = std::make_unique<Member>(input.bytes());
      ArrayPlace place{file_, name};
      member->name = name;
      if (const std::string_view stored = directory.stored(path, ctx); !stored.empty()) {
        member->bytes.append(stored);
      } else {
        member->bytes = read_member(reader, input.bytes(), place, budget, ctx);
      }
      member->array = npy_array(member->bytes.view(), std::move(place));
      if (member->bytes.is_in_file()) member->array.file = input.file();
      members_.push_back(std::move(member));
    }
    names_.push_back(std::move(name));
  }
}

NpzArchive::~NpzArchive() = default;
NpzArchive::NpzArchive(NpzArchive&&) noexcept = default;

const NpyArray* NpzArchive::find(std::string_view name) {
  for (const auto& member : members_) {
    if (member->name == name) {
      member->used = true;
      return &member->array;
    }
  }
  return nullptr;
}

const NpyArray* NpzArchive::find_any(std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (const NpyArray* found = find(name)) return found;
  }
  return nullptr;
}

const NpyArray& NpzArchive::require(std::string_view name, std::string_view purpose) {
  const NpyArray* found = find(name);
  if (found == nullptr) {
    throw input_error({.file = file_}, fmt::format("no array named {}", name),
                      fmt::format("expected it with {}", purpose));
  }
  return *found;
}

std::vector<std::string> NpzArchive::unused_names() const {
  std::vector<std::string> unused;
  for (const std::string& name : names_) {
    const auto used = [&](const auto& member) { return member->used && member->name == name; };
    if (std::none_of(members_.begin(), members_.end(), used)) unused.push_back(name);
  }
  return unused;
}

namespace {

// Does packing save a tenth? Numbers with random digits are not worth the time, above all that of reading them again:
// packed bytes are read one after the other, by one thread.
bool is_worth_packing(std::string_view start) {
  constexpr int kLevel = 6;
  return Deflater(kRawStream, kLevel).pack(start, Z_FINISH).size() < start.size() / 10 * 9;
}

}  // namespace

NpzWriter::NpzWriter(Sink& sink) : writer_(std::make_unique<ArchiveWriter>(std::string(), sink)) {
  writer_->check(archive_write_set_format_zip(writer_->handle()));
  writer_->check(archive_write_set_bytes_per_block(writer_->handle(), 0));
  writer_->open();
}

NpzWriter::~NpzWriter() = default;

void NpzWriter::begin(std::string_view name, std::string_view descr, Index item_size, const std::vector<Index>& shape) {
  end_start();
  start_ = npy_header_text(descr, shape);
  Index bytes = item_size;
  for (const Index length : shape) bytes *= length;
  path_ = fmt::format("{}{}", name, kEnding);
  bytes_ = static_cast<Index>(start_.size()) + bytes;
}

void NpzWriter::write(const void* elements, std::size_t bytes) {
  std::string_view rest{static_cast<const char*>(elements), bytes};
  if (!path_.empty()) {
    const std::string_view part = rest.substr(0, kStart - start_.size());
    start_ += part;
    rest.remove_prefix(part.size());
    if (start_.size() == kStart) end_start();
  }
  if (!rest.empty()) writer_->write(rest);
}

void NpzWriter::end_start() {
  if (path_.empty()) return;
  archive* const handle = writer_->handle();
  const bool is_packed = bytes_ < static_cast<Index>(kStart) || is_worth_packing(start_);
  writer_->check(is_packed ? archive_write_zip_set_compression_deflate(handle)
                           : archive_write_zip_set_compression_store(handle));
  const ArchiveEntry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), path_.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), bytes_);
  writer_->begin_member(entry.get());
  writer_->write(start_);
  path_.clear();
}

void NpzWriter::close() {
  end_start();
  writer_->close();
}

}  // namespace clade
