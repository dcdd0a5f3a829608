#include <clade/error.h>
#include <clade/wordnet.h>
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <numeric>

#include "core/output_file.h"
#include "io/choose_format.h"
#include "io/compress.h"
#include "io/meta.h"

namespace clade {
namespace {

constexpr double kTestShare = 0.2;

void append_json_string(std::string_view text, std::string& out) {
  constexpr unsigned char kFirstPrintable = 0x20;
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < kFirstPrintable) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string line_of(const WordNetCorpus& corpus, Index document) {
  const auto d = static_cast<std::size_t>(document);
  std::string line = "{\"id\": ";
  append_json_string(corpus.ids[d], line);
  line += ", \"doc_label\": [";
  for (const NodeId label : corpus.labels.of(document)) {
    if (line.back() != '[') line += ", ";
    append_json_string(corpus.taxonomy.name(label), line);
  }
  line += "], \"text\": ";
  append_json_string(corpus.texts[d], line);
  return line + "}\n";
}

// Files that are written first and put in place together at the end.
class CorpusFiles {
 public:
  CorpusFiles(const WordNetCorpus& corpus, const WriteOptions& options, Context& ctx)
      : corpus_(corpus), options_(options), ctx_(ctx) {}

  void add_documents(const std::string& path, std::span<const Index> documents) {
    ctx_.check_cancelled();
    auto file = std::make_unique<OutputFile>(path, options_.overwrite);
    MarkingSink marking(*file);
    write_through(path, marking, [&](Sink& sink) {
      for (const Index document : documents) sink.write(line_of(corpus_, document));
    });
    file->finish();
    const bool is_regular = file->is_regular();  // a pipe or a device has nothing beside it
    files_.push_back(std::move(file));
    if (!is_regular) return;
    auto meta = std::make_unique<OutputFile>(meta_path(path), options_.overwrite);
    meta->write(text_meta_content(corpus_.taxonomy, std::ssize(documents), marking.mark()));
    meta->finish();
    files_.push_back(std::move(meta));
  }

  void add_taxonomy(const std::string& path) {
    const TaxonomyFormat& format = choose_taxonomy_output_format(path);
    auto file = std::make_unique<OutputFile>(path, options_.overwrite);
    write_through(*file, [&](Sink& sink) { format.write(corpus_.taxonomy, {}, sink); });
    file->finish();
    files_.push_back(std::move(file));
  }

  // The file beside the data goes in place before them, so that they are never seen without their hierarchy.
  std::vector<std::string> commit() {
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) (*file)->commit();
    std::vector<std::string> paths;
    for (const auto& file : files_) paths.push_back(file->path());
    return paths;
  }

 private:
  const WordNetCorpus& corpus_;
  const WriteOptions& options_;
  Context& ctx_;
  std::vector<std::unique_ptr<OutputFile>> files_;
};

// A folder that is made if there is none, and removed again, with those made above it, unless keep() is called.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path) {
    std::error_code failed;
    for (std::filesystem::path at = std::filesystem::absolute(path, failed).lexically_normal();
         !at.empty() && !std::filesystem::exists(at, failed) && at != at.root_path(); at = at.parent_path()) {
      made_.push_back(at);
    }
    std::filesystem::create_directories(path, failed);
    if (failed) throw system_error(path, "cannot create the folder", failed.value());
  }
  ~NewFolder() {
    std::error_code ignored;  // one that has become another's stays
    for (const std::filesystem::path& folder : made_) std::filesystem::remove(folder, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { made_.clear(); }

 private:
  std::vector<std::filesystem::path> made_;  // the deepest first
};

void refuse_same_file(const std::string& taxonomy, const std::vector<std::string>& documents) {
  std::error_code ignored;
  const auto place = [&](const std::string& path) { return std::filesystem::weakly_canonical(path, ignored); };
  for (const std::string& path : documents) {
    if (place(taxonomy) == place(path) || place(taxonomy) == place(meta_path(path))) {
      throw input_error({.file = taxonomy}, "is a file of the documents", "expected another file for the taxonomy");
    }
  }
}

}  // namespace

WrittenCorpus write_wordnet_corpus(const WordNetCorpus& corpus, const std::string& path,
                                   std::optional<double> test_share, const WriteOptions& options, Context& ctx) {
  WrittenCorpus written;
  if (ends_like(path, "json-lines") || path.starts_with("/dev/")) {
    if (test_share) throw usage_error("`test` with one file of all documents", "expected a folder for the parts");
    std::vector<Index> all(static_cast<std::size_t>(corpus.documents()));
    std::iota(all.begin(), all.end(), Index{0});
    if (!options.taxonomy_path.empty()) refuse_same_file(options.taxonomy_path, {path});
    CorpusFiles files(corpus, options, ctx);
    files.add_documents(path, all);
    if (!options.taxonomy_path.empty()) files.add_taxonomy(options.taxonomy_path);
    written.files = files.commit();
    return written;
  }
  if (ends_like_data(path)) {
    throw input_error({.file = path}, "a corpus is written as JSON lines",
                      "expected a folder, or a file that ends in .jsonl; `clade convert` makes other formats of it");
  }
  const Split split = train_test_split(without_features(corpus), test_share.value_or(kTestShare), ctx.seed());
  const std::filesystem::path folder(path);
  const std::string train = (folder / "train.jsonl").string();
  const std::string test = (folder / "test.jsonl").string();
  const std::string taxonomy =
      options.taxonomy_path.empty() ? (folder / "taxonomy.csv").string() : options.taxonomy_path;
  refuse_same_file(taxonomy, {train, test});
  NewFolder made(path);
  CorpusFiles files(corpus, options, ctx);  // what it leaves unfinished goes before the folder
  files.add_documents(train, split.train);
  files.add_documents(test, split.test);
  files.add_taxonomy(taxonomy);
  written = {.files = files.commit(), .train = std::ssize(split.train), .test = std::ssize(split.test)};
  made.keep();
  return written;
}

}  // namespace clade
