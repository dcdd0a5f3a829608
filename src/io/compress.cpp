#include "io/compress.h"

#include <archive.h>
#include <archive_entry.h>

#include "io/archive.h"

namespace clade {
namespace {

class ArchiveSink : public CompressingSink {
 public:
  using AddFilter = int (*)(archive*);

  ArchiveSink(std::string path, Sink& target, AddFilter add_filter) : writer_(std::move(path), target) {
    writer_.check(archive_write_set_format_raw(writer_.handle()));
    writer_.check(add_filter(writer_.handle()));
    // By default the end would be padded to a tape block.
    writer_.check(archive_write_set_bytes_in_last_block(writer_.handle(), 1));
    writer_.open();
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    writer_.begin_member(entry.get());
  }

  void write(std::string_view bytes) override { writer_.write(bytes); }
  void finish() override { writer_.close(); }

 private:
  ArchiveWriter writer_;
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
