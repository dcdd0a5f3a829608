#include <clade/io.h>
#include <clade/synthetic.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/output_file.h"
#include "core/parallel.h"
#include "core/progress.h"
#include "io/choose_format.h"
#include "io/compress.h"
#include "io/meta.h"

namespace clade {
namespace {

constexpr Index kDocumentsPerChunk = 1024;
constexpr Index kBatch = 64;  // chunks whose text is in memory at the same time

bool means_json_lines(const std::string& path, const std::string& format) {
  return format.empty() ? ends_like(path, "json-lines") : format == "json-lines";
}

// Names are digits and slashes, words are letters, so nothing needs escaping.
std::string lines_of(const SyntheticText& text, Index begin, Index end) {
  std::string lines;
  for (Index d = begin; d < end; ++d) {
    lines += "{\"doc_label\": [";
    for (const NodeId label : text.labels.of(d)) {
      if (lines.back() != '[') lines += ", ";
      lines += '"';
      lines += text.taxonomy.name(label);
      lines += '"';
    }
    lines += "], \"text\": \"";
    for (const FeatureIndex word : text.words_of(d)) {
      lines += text.vocabulary[static_cast<std::size_t>(word)];
      lines += ' ';
    }
    lines.back() = '"';
    lines += "}\n";
  }
  return lines;
}

void write_lines(const SyntheticText& text, Sink& sink, Context& ctx) {
  const Index chunks = chunk_count(text.documents(), kDocumentsPerChunk);
  std::vector<std::string> lines(static_cast<std::size_t>(std::min(kBatch, chunks)));
  Progress progress(ctx, "writing documents", text.documents());
  for (Index first = 0; first < chunks; first += kBatch) {
    const Index count = std::min(kBatch, chunks - first);
    ctx.pool().run(count, [&](Index k) {
      ctx.check_cancelled();
      const Index begin = (first + k) * kDocumentsPerChunk;
      lines[static_cast<std::size_t>(k)] =
          lines_of(text, begin, std::min(text.documents(), begin + kDocumentsPerChunk));
    });
    for (Index k = 0; k < count; ++k) sink.write(lines[static_cast<std::size_t>(k)]);
    progress.advance(std::min(text.documents(), (first + count) * kDocumentsPerChunk) - first * kDocumentsPerChunk);
  }
}

}  // namespace

std::vector<std::string> write_synthetic_text(const SyntheticText& text, const std::string& path,
                                              const WriteOptions& options, Context& ctx) {
  if (!means_json_lines(path, options.format)) return write_dataset(word_counts(text, ctx), path, options, ctx);
  const std::string& taxonomy_path = options.taxonomy_path;
  if (taxonomy_path.empty() && !text.taxonomy.is_tree()) {
    throw input_error({.file = path}, "JSON lines cannot hold a DAG", "use `taxonomy-out` for a file beside it");
  }
  std::error_code ignored;
  if (!taxonomy_path.empty() &&
      std::filesystem::weakly_canonical(path, ignored) == std::filesystem::weakly_canonical(taxonomy_path, ignored)) {
    throw input_error({.file = taxonomy_path}, "is the file of the data", "expected another file for the taxonomy");
  }
  // Whatever can fail happens before the first of the two files is put in place.
  std::optional<OutputFile> taxonomy_file;
  if (!taxonomy_path.empty()) {
    const TaxonomyFormat& format = choose_taxonomy_output_format(taxonomy_path);
    taxonomy_file.emplace(taxonomy_path, options.overwrite);
    write_through(*taxonomy_file, [&](Sink& sink) { format.write(text.taxonomy, options, sink); });
    taxonomy_file->finish();
  }
  OutputFile file(path, options.overwrite);
  write_through(file, [&](Sink& sink) { write_lines(text, sink, ctx); }, &ctx);
  commit_without_meta(file, options.overwrite);
  if (!taxonomy_file) return {path};
  taxonomy_file->commit();
  return {path, taxonomy_path};
}

}  // namespace clade
