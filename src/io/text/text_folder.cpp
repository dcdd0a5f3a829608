#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/parallel.h"
#include "core/progress.h"
#include "io/text/text_features.h"
#include "io/text/text_layout.h"
#include "io/text/text_source.h"

namespace clade {
namespace {

namespace fs = std::filesystem;

struct DocumentFile {
  std::string path;  // relative
  std::size_t bytes = 0;
};

// Lists the documents below a folder, folder by folder, without following links to folders, so that there is no loop
// and no document comes twice.
class FolderWalk {
 public:
  FolderWalk(std::string root, TextLayout& layout) : root_(std::move(root)), layout_(layout) {}

  std::vector<DocumentFile> files(Context& ctx) {
    std::vector<std::string> waiting{""};
    while (!waiting.empty()) {
      ctx.check_cancelled();
      const std::string folder = std::move(waiting.back());
      waiting.pop_back();
      list(folder, waiting);
    }
    std::ranges::sort(files_, {}, &DocumentFile::path);
    return std::move(files_);
  }

 private:
  std::string full(const std::string& path) const { return root_ + '/' + path; }

  void list(const std::string& folder, std::vector<std::string>& waiting) {
    std::error_code error;
    const std::string where = folder.empty() ? root_ : full(folder);
    for (fs::directory_iterator entry(where, error), end; !error && entry != end; entry.increment(error)) {
      std::string path = folder;
      if (!path.empty()) path += '/';
      sort_out(path += entry->path().filename().string(), waiting);
    }
    if (error) throw system_error(where, "cannot read the folder", error.value());
  }

  void sort_out(const std::string& path, std::vector<std::string>& waiting) {
    struct stat info{};
    if (::lstat(full(path).c_str(), &info) != 0) throw system_error(full(path), "cannot read", errno);
    if (S_ISDIR(info.st_mode)) {
      if (layout_.enters(path)) waiting.push_back(path);
      return;
    }
    if (!layout_.accept(path)) return;
    if (S_ISLNK(info.st_mode) && ::stat(full(path).c_str(), &info) != 0) {
      throw system_error(full(path), "cannot follow the link", errno);
    }
    if (S_ISREG(info.st_mode)) {
      files_.push_back({path, static_cast<std::size_t>(info.st_size)});
    } else if (S_ISDIR(info.st_mode)) {
      layout_.skip_link();
    } else {
      layout_.skip_special();
    }
  }

  std::string root_;
  TextLayout& layout_;
  std::vector<DocumentFile> files_;
};

// Reads a whole file; its bytes live in `room`, which only grows and is reused from file to file.
std::string_view read_file(const std::string& path, std::string& room) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw system_error(path, "cannot open", errno);
  constexpr std::size_t kBlock = 1U << 16U;
  std::size_t size = 0;
  int failure = 0;
  while (size <= WordCounter::kLargestDocument) {
    if (room.size() < size + kBlock) room.resize(std::max(size + kBlock, size * 2));
    const ssize_t count = ::read(descriptor, room.data() + size, room.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failure = errno;
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  ::close(descriptor);
  if (failure != 0) throw system_error(path, "cannot read", failure);
  return std::string_view(room).substr(0, size);
}

// Cuts files into runs of about WordCounter::kChunkBytes; returns the ends of the runs.
std::vector<std::size_t> chunk_ends(const std::vector<DocumentFile>& files) {
  std::vector<std::size_t> ends;
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < files.size(); ++f) {
    bytes += files[f].bytes + 1;
    if (bytes < WordCounter::kChunkBytes && f + 1 < files.size()) continue;
    ends.push_back(f + 1);
    bytes = 0;
  }
  return ends;
}

ParsedData read_folder(const std::string& path, const ReadOptions& options, Context& ctx) {
  TextFeatures features(options, ctx);
  TextLayout layout(options);
  const std::vector<DocumentFile> files = FolderWalk(path, layout).files(ctx);
  if (files.empty()) throw no_documents(path, options);
  const std::vector<std::size_t> ends = chunk_ends(files);

  std::vector<WordCounts> counts(ends.size());
  std::vector<DocumentDecoder::Tally> tallies(ends.size());
  Progress progress(ctx, "reading documents", static_cast<Index>(files.size()));
  parallel_for(ctx, static_cast<Index>(ends.size()), 1, [&](Index chunk, Index) {
    const auto c = static_cast<std::size_t>(chunk);
    WordCounter counter(features.text_options());
    DocumentDecoder decoder(options.encoding);
    std::string room;
    for (std::size_t f = c == 0 ? 0 : ends[c - 1]; f < ends[c]; ++f) {
      const std::string file = path + '/' + files[f].path;
      counter.add_text(decoder.decode(read_file(file, room), {.file = file}));
      counter.end_document();
      progress.advance();
    }
    counts[c] = std::move(counter).take();
    tallies[c] = decoder.tally();
  });

  ParsedData data;
  DocumentDecoder::Tally tally;
  for (const auto& part : tallies) tally.add(part);
  tally.note(data.notes);
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const DocumentFile& file : files) paths.push_back(file.path);
  layout.finish(paths, data);
  features.finish(std::move(counts), {}, path, data, ctx);
  return data;
}

}  // namespace

ParsedData read_text_folder(const std::string& path, const ReadOptions& options, Context& ctx) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw input_error({.file = path}, "no such file or folder");
    throw system_error(path, "cannot open", errno);
  }
  if (S_ISDIR(info.st_mode)) return read_folder(path, options, ctx);
  return read_text_archive(path, options, ctx);
}

}  // namespace clade
