#include "io/compress.h"

#include <archive.h>
#include <archive_entry.h>
#include <clade/error.h>

#include <exception>

namespace clade {
namespace {

class ArchiveSink : public CompressingSink {
 public:
  using AddFilter = int (*)(archive*);

  ArchiveSink(std::string path, Sink& target, AddFilter add_filter)
      : path_(std::move(path)), target_(target), writer_(archive_write_new(), archive_write_free) {
    check(archive_write_set_format_raw(writer_.get()));
    check(add_filter(writer_.get()));
    // By default the end would be padded to a tape block.
    check(archive_write_set_bytes_in_last_block(writer_.get(), 1));
    check(archive_write_open(writer_.get(), this, nullptr, pass_on, nullptr));
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    check(archive_write_header(writer_.get(), entry.get()));
  }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const la_ssize_t written = archive_write_data(writer_.get(), bytes.data(), bytes.size());
      check(written > 0 ? ARCHIVE_OK : ARCHIVE_FATAL);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void finish() override { check(archive_write_close(writer_.get())); }

 private:
  // libarchive is C: an exception of the target must not pass through it, so it waits here, and the library goes on as
  // if nothing had happened.
  static la_ssize_t pass_on(archive* /*writer*/, void* self, const void* bytes, std::size_t count) {
    auto* sink = static_cast<ArchiveSink*>(self);
    try {
      if (!sink->failure_) sink->target_.write({static_cast<const char*>(bytes), count});
    } catch (...) {
      sink->failure_ = std::current_exception();
    }
    return static_cast<la_ssize_t>(count);
  }

  void check(int status) {
    if (failure_) std::rethrow_exception(failure_);
    if (status == ARCHIVE_OK) return;
    const char* reason = archive_error_string(writer_.get());
    throw Error(Error::Kind::kSystem, {.file = path_}, "cannot compress", reason != nullptr ? reason : "");
  }

  std::string path_;
  Sink& target_;
  std::exception_ptr failure_;
  std::unique_ptr<archive, decltype(&archive_write_free)> writer_;
};

}  // namespace

std::unique_ptr<CompressingSink> compressing_sink(const std::string& path, Sink& target) {
  ArchiveSink::AddFilter filter = nullptr;
  if (path.ends_with(".gz")) filter = archive_write_add_filter_gzip;
  if (path.ends_with(".xz")) filter = archive_write_add_filter_xz;
  if (path.ends_with(".zst")) filter = archive_write_add_filter_zstd;
  if (path.ends_with(".bz2")) filter = archive_write_add_filter_bzip2;
  return filter == nullptr ? nullptr : std::make_unique<ArchiveSink>(path, target, filter);
}

}  // namespace clade
