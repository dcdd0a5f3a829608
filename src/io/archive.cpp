#include "io/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace clade {

ArchiveReader::ArchiveReader(Kind kind, Failure failure)
    : kind_(kind), failure_(std::move(failure)), archive_(archive_read_new(), archive_read_free) {
  if (kind == Kind::kZip) {
    archive_read_support_format_zip_seekable(archive_.get());
    return;
  }
  archive_read_support_filter_bzip2(archive_.get());
  archive_read_support_filter_xz(archive_.get());
  archive_read_support_filter_zstd(archive_.get());
  if (kind == Kind::kStream) {
    archive_read_support_format_raw(archive_.get());
  } else {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_format_tar(archive_.get());
  }
}

void ArchiveReader::open_file(const std::string& path) {
  constexpr std::size_t kBlock = 1U << 18U;
  if (archive_read_open_filename(archive_.get(), path.c_str(), kBlock) != ARCHIVE_OK) fail();
}

void ArchiveReader::open_memory(std::string_view bytes) {
  memory_ = {.bytes = bytes};
  archive* const handle = archive_.get();
  const bool is_open = archive_read_set_read_callback(handle, Memory::read) == ARCHIVE_OK &&
                       archive_read_set_skip_callback(handle, Memory::skip) == ARCHIVE_OK &&
                       archive_read_set_seek_callback(handle, Memory::seek) == ARCHIVE_OK &&
                       archive_read_set_callback_data(handle, &memory_) == ARCHIVE_OK &&
                       archive_read_open1(handle) == ARCHIVE_OK;
  if (!is_open) fail();
}

long ArchiveReader::Memory::read(archive* /*handle*/, void* self, const void** piece) {
  constexpr std::size_t kPiece = std::size_t{1} << 26U;
  auto& memory = *static_cast<Memory*>(self);
  const std::string_view part = memory.bytes.substr(memory.next, kPiece);
  *piece = part.data();
  memory.next += part.size();
  return static_cast<long>(part.size());
}

std::int64_t ArchiveReader::Memory::skip(archive* /*handle*/, void* self, std::int64_t count) {
  auto& memory = *static_cast<Memory*>(self);
  const std::size_t most = memory.bytes.size() - memory.next;
  const std::size_t skipped = count <= 0 ? 0 : std::min(most, static_cast<std::size_t>(count));
  memory.next += skipped;
  return static_cast<std::int64_t>(skipped);
}

std::int64_t ArchiveReader::Memory::seek(archive* /*handle*/, void* self, std::int64_t offset, int whence) {
  auto& memory = *static_cast<Memory*>(self);
  const auto size = static_cast<std::int64_t>(memory.bytes.size());
  const std::int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? static_cast<std::int64_t>(memory.next) : size;
  if (offset < -from || offset > size - from) return ARCHIVE_FATAL;
  memory.next = static_cast<std::size_t>(from + offset);
  return from + offset;
}

archive_entry* ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const int status = archive_read_next_header(archive_.get(), &entry);
  if (status == ARCHIVE_EOF) return nullptr;
  // If a field of a tar header cannot be converted, that is only a warning; whoever needs the name checks it anyway.
  const bool readable = status == ARCHIVE_OK || (status == ARCHIVE_WARN && kind_ == Kind::kTar);
  if (!readable) fail();
  end_ = 0;
  return entry;
}

bool ArchiveReader::next_block(std::string_view& block) {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  const int status = archive_read_data_block(archive_.get(), &bytes, &size, &offset);
  block = {};
  if (status == ARCHIVE_EOF) return false;
  if (status != ARCHIVE_OK) fail();
  if (offset != end_) throw failure_("a member with holes");
  end_ += static_cast<std::int64_t>(size);
  block = {static_cast<const char*>(bytes), size};
  return true;
}

std::size_t ArchiveReader::packed_bytes() const {
  return static_cast<std::size_t>(std::max<la_int64_t>(0, archive_filter_bytes(archive_.get(), -1)));
}

void ArchiveReader::read(const std::function<void(std::string_view)>& take) {
  for (std::string_view block; next_block(block);) take(block);
}

void ArchiveReader::fail() {
  const char* reason = archive_error_string(archive_.get());
  throw failure_(reason != nullptr ? reason : "no reason given");
}

ArchiveWriter::ArchiveWriter(std::string name, Sink& target)
    : name_(std::move(name)), target_(&target), archive_(archive_write_new(), archive_write_free) {}

ArchiveWriter::~ArchiveWriter() {
  target_ = nullptr;
  archive_write_close(archive_.get());
}

void ArchiveWriter::open() {
  check(archive_write_open(archive_.get(), this, nullptr, deliver, nullptr));
}

void ArchiveWriter::begin_member(archive_entry* entry) {
  check(archive_write_header(archive_.get(), entry));
}

void ArchiveWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const la_ssize_t written = archive_write_data(archive_.get(), bytes.data(), bytes.size());
    check(written > 0 ? ARCHIVE_OK : ARCHIVE_FATAL);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void ArchiveWriter::close() {
  check(archive_write_close(archive_.get()));
}

// libarchive is C, so no exception may pass through it. It is not told of the failure either, because it would then
// stop halfway and leak its compressor; the exception waits for check().
long ArchiveWriter::deliver(archive* /*handle*/, void* self, const void* bytes, std::size_t count) {
  static_assert(std::is_same_v<la_ssize_t, long>);
  auto* writer = static_cast<ArchiveWriter*>(self);
  try {
    if (writer->target_ != nullptr) writer->target_->write({static_cast<const char*>(bytes), count});
  } catch (...) {
    writer->failure_ = std::current_exception();
    writer->target_ = nullptr;
  }
  return static_cast<la_ssize_t>(count);
}

void ArchiveWriter::check(int status) {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (status == ARCHIVE_OK) return;
  const char* reason = archive_error_string(archive_.get());
  throw Error(Error::Kind::kSystem, {.file = name_}, "cannot compress", reason != nullptr ? reason : "");
}

}  // namespace clade
