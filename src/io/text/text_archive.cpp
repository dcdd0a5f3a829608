#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/progress.h"
#include "core/thread_pool.h"
#include "io/archive.h"
#include "io/text/text_features.h"
#include "io/text/text_layout.h"
#include "io/text/text_source.h"

namespace clade {
namespace {

// Members unpacked together: enough work for several threads, but little memory.
struct Batch {
  static constexpr std::size_t kBytes = 4U << 20U;

  std::vector<std::string> paths;
  std::string bytes;
  std::vector<std::size_t> ends;  // per member

  std::string_view member(std::size_t m) const {
    const std::size_t begin = m == 0 ? 0 : ends[m - 1];
    return std::string_view(bytes).substr(begin, ends[m] - begin);
  }
};

// Unpacks the documents of a tar archive in order.
class DocumentReader {
 public:
  DocumentReader(std::string name, TextLayout& layout)
      : archive_(ArchiveReader::Kind::kTar, [this](const std::string& reason) { return unreadable(reason); }),
        name_(std::move(name)),
        layout_(layout) {}

  void open_file(const std::string& path) { archive_.open_file(path); }
  void open_memory(std::string_view bytes) { archive_.open_memory(bytes); }

  // The next documents; none at the end of the archive.
  Batch next_batch(const Context& ctx) {
    Batch batch;
    while (!at_end_ && batch.bytes.size() + batch.paths.size() < Batch::kBytes) {
      ctx.check_cancelled();
      next_member(batch);
    }
    return batch;
  }

 private:
  void next_member(Batch& batch) {
    archive_entry* entry = archive_.next();
    at_end_ = entry == nullptr;
    if (at_end_) return;
    ++member_;
    const char* name = archive_entry_pathname(entry);
    if (name == nullptr) name = archive_entry_pathname_utf8(entry);
    if (name == nullptr) throw corrupt("a member without a name");
    if (archive_entry_filetype(entry) == AE_IFDIR) return;
    auto path = layout_.accept(name);
    if (!path) return;
    if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) == AE_IFLNK) {
      layout_.skip_link();
    } else if (archive_entry_filetype(entry) != AE_IFREG) {
      layout_.skip_special();
    } else {
      read_content(batch);
      batch.paths.push_back(std::move(*path));
    }
  }

  void read_content(Batch& batch) {
    const std::size_t begin = batch.bytes.size();
    archive_.read([&](std::string_view block) {
      if (batch.bytes.size() - begin + block.size() > WordCounter::kLargestDocument) {
        throw corrupt("a document over 1 GiB");
      }
      batch.bytes += block;
    });
    batch.ends.push_back(batch.bytes.size());
  }

  Error corrupt(std::string_view problem) const {
    return input_error({.file = name_}, fmt::format("{} (member {} of the archive)", problem, member_));
  }
  Error unreadable(const std::string& reason) const {
    return input_error({.file = name_}, fmt::format("cannot read the archive beyond member {}: {}", member_, reason),
                       "expected a whole .tar, .tar.gz, .tar.bz2, .tar.xz or .tar.zst file");
  }

  ArchiveReader archive_;
  std::string name_;
  TextLayout& layout_;
  Index member_ = 0;
  bool at_end_ = false;
};

// Counts the words of batches; `counts` holds what was counted so far, chunk by chunk.
class BatchCounter {
 public:
  BatchCounter(const TextOptions& options, Encoding encoding, std::string name)
      : options_(options), encoding_(encoding), name_(std::move(name)) {}

  // Cuts a batch into chunks; count(chunk) may then run for all of them at the same time.
  Index begin(Batch batch) {
    batch_ = std::move(batch);
    first_chunk_ = counts_.size();
    ends_.clear();
    std::size_t begin = 0;
    for (std::size_t m = 0; m < batch_.ends.size(); ++m) {
      if (batch_.ends[m] - begin < WordCounter::kChunkBytes && m + 1 < batch_.ends.size()) continue;
      ends_.push_back(m + 1);
      begin = batch_.ends[m];
    }
    counts_.resize(first_chunk_ + ends_.size());
    tallies_.resize(counts_.size());
    return static_cast<Index>(ends_.size());
  }

  void count(Index chunk) {
    const auto c = static_cast<std::size_t>(chunk);
    WordCounter counter(options_);
    DocumentDecoder decoder(encoding_);
    for (std::size_t m = c == 0 ? 0 : ends_[c - 1]; m < ends_[c]; ++m) {
      counter.add_text(decoder.decode(batch_.member(m), {.file = fmt::format("{}({})", name_, batch_.paths[m])}));
      counter.end_document();
    }
    counts_[first_chunk_ + c] = std::move(counter).take();
    tallies_[first_chunk_ + c] = decoder.tally();
  }

  void end() { paths_.insert(paths_.end(), batch_.paths.begin(), batch_.paths.end()); }

  std::vector<WordCounts>& counts() { return counts_; }
  const std::vector<std::string>& paths() const { return paths_; }
  void note(std::vector<std::string>& notes) const {
    DocumentDecoder::Tally tally;
    for (const auto& part : tallies_) tally.add(part);
    tally.note(notes);
  }

 private:
  const TextOptions& options_;
  Encoding encoding_;
  std::string name_;
  Batch batch_;
  std::vector<std::size_t> ends_;  // of the batch's chunks, in members
  std::size_t first_chunk_ = 0;
  std::vector<WordCounts> counts_;
  std::vector<DocumentDecoder::Tally> tallies_;
  std::vector<std::string> paths_;
};

// Task 0 unpacks the next batch while the others count this one. What a task does depends on the archive alone.
void count_all(DocumentReader& reader, BatchCounter& counter, Context& ctx) {
  Batch batch = reader.next_batch(ctx);
  while (!batch.paths.empty()) {
    Batch next;
    const Index chunks = counter.begin(std::move(batch));
    ctx.pool().run(chunks + 1, [&](Index task) {
      ctx.check_cancelled();
      if (task == 0) {
        next = reader.next_batch(ctx);
      } else {
        counter.count(task - 1);
      }
    });
    counter.end();
    batch = std::move(next);
  }
}

ParsedData read_archive(DocumentReader& reader, TextLayout& layout, const std::string& name, const ReadOptions& options,
                        Context& ctx) {
  TextFeatures features(options, ctx);
  BatchCounter counter(features.text_options(), options.encoding, name);
  count_all(reader, counter, ctx);
  const std::vector<std::string>& paths = counter.paths();
  if (paths.empty()) throw no_documents(name, options);

  // Rows are in the order of the paths, as if the archive had been unpacked and read as a folder.
  std::vector<std::size_t> order(paths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair<const std::string&, std::size_t>(paths[k], k); });
  std::vector<Index> row(paths.size());
  std::vector<std::string> sorted;
  for (std::size_t r = 0; r < order.size(); ++r) {
    row[order[r]] = static_cast<Index>(r);
    sorted.push_back(paths[order[r]]);
  }

  ParsedData data;
  counter.note(data.notes);
  layout.finish(sorted, data);
  features.finish(std::move(counter.counts()), row, name, data, ctx);
  return data;
}

}  // namespace

Error no_documents(const std::string& path, const ReadOptions& options) {
  if (options.under.empty()) return input_error({.file = path}, "no document", "expected files in class folders");
  return input_error({.file = path}, fmt::format("no document below '{}'", options.under),
                     "expected a folder inside it, written with all its parents");
}

ParsedData read_text_archive(const std::string& path, const ReadOptions& options, Context& ctx) {
  TextLayout layout(options);
  DocumentReader reader(path, layout);
  reader.open_file(path);
  return read_archive(reader, layout, path, options, ctx);
}

ParsedData read_text_archive_bytes(const Input& input, const ReadOptions& options, Context& ctx) {
  TextLayout layout(options);
  DocumentReader reader(input.name(), layout);
  reader.open_memory(input.bytes());
  return read_archive(reader, layout, input.name(), options, ctx);
}

}  // namespace clade
