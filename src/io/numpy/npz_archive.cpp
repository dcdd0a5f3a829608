#include "io/numpy/npz_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/check.h"
#include "io/growing_bytes.h"

namespace clade {
namespace {

constexpr std::size_t kBlock = 1U << 16U;
constexpr std::string_view kEnding = ".npy";

using ArchiveReader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using ArchiveWriter = std::unique_ptr<archive, decltype(&archive_write_free)>;
using ArchiveEntry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

std::string reason_of(archive* handle) {
  const char* text = archive_error_string(handle);
  return text != nullptr ? text : "unknown reason";
}

Error corrupt(const std::string& file, archive* handle) {
  return input_error({.file = file}, fmt::format("corrupt archive ({})", reason_of(handle)),
                     "expected a whole .npz file");
}

std::string member_name(archive_entry* entry) {
  const char* text = archive_entry_pathname_utf8(entry);
  if (text == nullptr) text = archive_entry_pathname(entry);
  std::string name = text != nullptr ? text : "";
  if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
  return name;
}

// Unpacks one member. `budget` is what may still be unpacked from this file.
GrowingBytes unpack(archive* handle, const ArrayPlace& place, std::size_t& budget, Context& ctx) {
  GrowingBytes bytes;
  std::optional<std::size_t> declared;
  for (;;) {
    ctx.check_cancelled();
    const la_ssize_t count = archive_read_data(handle, bytes.reserve(kBlock), kBlock);
    if (count < 0) throw corrupt(place.file, handle);
    if (count == 0) return bytes;
    const auto arrived = static_cast<std::size_t>(count);
    if (arrived > budget) {
      throw place.error("the arrays of this file need more than half of this machine's memory", "a smaller file");
    }
    budget -= arrived;
    bytes.added(arrived);
    if (!declared) {
      const auto head = npy_header_size(bytes.view(), place);
      if (!head || *head > bytes.size()) continue;
      const NpyHeader header = parse_npy_header(bytes.view(), place);
      declared = header.size + static_cast<std::size_t>(header.data_bytes);
    }
    if (bytes.size() > *declared) throw place.error("more bytes than its shape says");
  }
}

}  // namespace

struct NpzArchive::Member {
  std::string name;
  GrowingBytes bytes;
  NpyArray array;
  bool used = false;
};

NpzArchive::NpzArchive(const Input& input, std::span<const std::string_view> wanted, Context& ctx)
    : file_(input.name()) {
  if (!input.bytes().starts_with("PK")) {
    throw input_error({.file = file_}, "not a .npz file", "expected a ZIP archive of NumPy arrays");
  }
  const ArchiveReader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_zip_seekable(reader.get());
  if (archive_read_open_memory(reader.get(), input.bytes().data(), input.bytes().size()) != ARCHIVE_OK) {
    throw corrupt(file_, reader.get());
  }
  std::size_t budget = largest_decompressed_size();
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) return;
    if (status != ARCHIVE_OK) throw corrupt(file_, reader.get());
    std::string name = member_name(entry);
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
      const auto same_name = [&](const auto& member) { return member->name == name; };
      if (std::any_of(members_.begin(), members_.end(), same_name)) {
        throw input_error({.file = file_}, fmt::format("two arrays named {}", name), "expected each name once");
      }
      auto member = std::make_unique<Member>();
      ArrayPlace place{file_, name};
      member->name = name;
      member->bytes = unpack(reader.get(), place, budget, ctx);
      member->array = npy_array(member->bytes.view(), std::move(place));
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

struct NpzWriter::State {
  Sink* sink;
  ArchiveWriter writer{archive_write_new(), archive_write_free};
  std::exception_ptr sink_failure;  // exceptions must not cross the C library

  static la_ssize_t deliver(archive* /*handle*/, void* self, const void* bytes, std::size_t count) {
    auto* state = static_cast<State*>(self);
    try {
      if (state->sink != nullptr) state->sink->write({static_cast<const char*>(bytes), count});
    } catch (...) {
      // The library is not told: told, it would give up where it stands and leak its compressor.
      state->sink_failure = std::current_exception();
      state->sink = nullptr;
    }
    return static_cast<la_ssize_t>(count);
  }

  void check(bool success) {
    if (sink_failure) std::rethrow_exception(std::exchange(sink_failure, nullptr));
    if (!success) throw Error(Error::Kind::kSystem, {}, "cannot write the archive", reason_of(writer.get()));
  }
};

NpzWriter::NpzWriter(Sink& sink) : state_(std::make_unique<State>()) {
  state_->sink = &sink;
  archive* writer = state_->writer.get();
  state_->check(archive_write_set_format_zip(writer) == ARCHIVE_OK &&
                archive_write_zip_set_compression_deflate(writer) == ARCHIVE_OK &&
                archive_write_set_bytes_per_block(writer, 0) == ARCHIVE_OK &&
                archive_write_open(writer, state_.get(), nullptr, State::deliver, nullptr) == ARCHIVE_OK);
}

// An archive that was not closed is abandoned: ending it must not reach the sink any more.
NpzWriter::~NpzWriter() {
  state_->sink = nullptr;
  archive_write_close(state_->writer.get());
}

void NpzWriter::begin(std::string_view name, std::string_view descr, Index item_size, const std::vector<Index>& shape) {
  const std::string head = npy_header_text(descr, shape);
  Index bytes = item_size;
  for (const Index length : shape) bytes *= length;
  const ArchiveEntry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), fmt::format("{}{}", name, kEnding).c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<Index>(head.size()) + bytes);
  state_->check(archive_write_header(state_->writer.get(), entry.get()) == ARCHIVE_OK);
  write(head.data(), head.size());
}

void NpzWriter::write(const void* elements, std::size_t bytes) {
  if (bytes == 0) return;
  const la_ssize_t written = archive_write_data(state_->writer.get(), elements, bytes);
  state_->check(written == static_cast<la_ssize_t>(bytes));
}

void NpzWriter::close() {
  state_->check(archive_write_close(state_->writer.get()) == ARCHIVE_OK);
}

}  // namespace clade
