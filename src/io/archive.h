#pragma once

#include <clade/error.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/output_file.h"

struct archive;
struct archive_entry;

namespace clade {

// The members of an archive one after the other, through libarchive. Nothing that a header claims is trusted: bytes are
// passed on as they arrive.
class ArchiveReader {
 public:
  enum class Kind {
    kStream,  // one stream packed by xz, zstd or bzip2: a single member without a name
    kZip,
    kTar,  // plain, or packed by gzip, bzip2, xz or zstd
  };
  // Makes the Error for an archive that cannot be read, from libarchive's reason.
  using Failure = std::function<Error(const std::string& reason)>;

  ArchiveReader(Kind kind, Failure failure);

  void open_file(const std::string& path);
  // `bytes` must outlive the reader. Members that are stored as they are come in blocks that are parts of `bytes`.
  void open_memory(std::string_view bytes);

  // The next member, or null at the end.
  archive_entry* next();
  // The next block of the member's content, which stays until the next call; false at the end of the member.
  bool next_block(std::string_view& block);
  // Of the file, so far.
  std::size_t packed_bytes() const;
  // Calls take(bytes) for each block of the member's content; take() may throw.
  void read(const std::function<void(std::string_view)>& take);

 private:
  [[noreturn]] void fail();

  // Bytes in memory, a piece at a time: libarchive checks sums of at most 4 GiB at once.
  struct Memory {
    std::string_view bytes;
    std::size_t next = 0;

    static long read(archive* handle, void* self, const void** piece);
    static std::int64_t skip(archive* handle, void* self, std::int64_t count);
    static std::int64_t seek(archive* handle, void* self, std::int64_t offset, int whence);
  };

  Memory memory_;
  Kind kind_;
  Failure failure_;
  std::int64_t end_ = 0;  // of the member's content so far
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

// Passes what libarchive writes on to a sink. An archive that was not closed is abandoned: nothing more reaches the
// sink. An exception of the sink comes out of the call that caused it.
class ArchiveWriter {
 public:
  // `name` is the file's name in messages; `target` must outlive the writer.
  ArchiveWriter(std::string name, Sink& target);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // For choosing format and filters before open(); check() verifies each call.
  archive* handle() { return archive_.get(); }
  void open();
  void begin_member(archive_entry* entry);
  void write(std::string_view bytes);
  void close();
  // Throws Error (kSystem) unless a call of libarchive has succeeded.
  void check(int status);

 private:
  static long deliver(archive* handle, void* self, const void* bytes, std::size_t count);

  std::string name_;
  Sink* target_;
  std::exception_ptr failure_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
};

}  // namespace clade
