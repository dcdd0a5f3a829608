#include <clade/io.h>

#include <filesystem>
#include <memory>

#include "core/output_file.h"
#include "io/choose_format.h"
#include "io/compress.h"
#include "io/meta.h"

namespace clade {
namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

// The file of the taxonomy, written but not yet in place; nothing if none is asked for.
std::unique_ptr<OutputFile> taxonomy_beside(const Dataset& data, const std::string& data_path,
                                            const WriteOptions& options) {
  const std::string& path = options.taxonomy_path;
  if (path.empty()) return nullptr;
  if (same_file(path, data_path) || same_file(path, meta_path(data_path))) {
    throw input_error({.file = path}, "is the file of the data", "expected another file for the taxonomy");
  }
  WriteOptions taxonomy_options = options;
  taxonomy_options.format.clear();
  const TaxonomyFormat& format = choose_taxonomy_output_format(path);
  auto file = std::make_unique<OutputFile>(path, options.overwrite);
  write_through(*file, [&](Sink& sink) { format.write(data.taxonomy(), taxonomy_options, sink); });
  file->finish();
  return file;
}

}  // namespace

std::vector<std::string> write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                                       Context& ctx) {
  const DataFormat& format = choose_output_format(path, options.format);
  const auto taxonomy_file = taxonomy_beside(data, path, options);
  OutputFile file(path, options.overwrite);
  MarkingSink marking(file);
  write_through(path, marking, [&](Sink& sink) { format.write(data, options, sink, ctx); }, &ctx);
  file.finish();
  if (!file.is_regular()) {  // a pipe or a device has nothing beside it
    if (taxonomy_file) taxonomy_file->commit();
    return {path};
  }

  // The meta file goes first, so that data is never seen without the names that belong to it. Between the two renames,
  // the old data is beside the new meta file, whose mark tells readers so.
  const auto meta = meta_content(data, format.holds(data), marking.mark());
  const std::string beside = meta_path(path);
  std::vector<std::string> written{path};
  if (meta) {
    OutputFile meta_file(beside, options.overwrite);
    meta_file.write(*meta);
    meta_file.commit();
    written.push_back(beside);
    file.commit();
  } else {
    commit_without_meta(file, options.overwrite);
  }
  if (taxonomy_file) {
    taxonomy_file->commit();
    written.push_back(options.taxonomy_path);
  }
  return written;
}

void write_taxonomy(const Taxonomy& taxonomy, const std::string& path, const WriteOptions& options, Context& ctx) {
  ctx.check_cancelled();
  const TaxonomyFormat& format = choose_taxonomy_output_format(path, options.format);
  OutputFile file(path, options.overwrite);
  write_through(file, [&](Sink& sink) { format.write(taxonomy, options, sink); });
  // Whatever can fail happens before the first file is put in place.
  std::vector<std::unique_ptr<OutputFile>> beside;
  for (const TextFile& text : options.beside) {
    beside.push_back(std::make_unique<OutputFile>(text.path, options.overwrite));
    beside.back()->write(text.text);
    beside.back()->finish();
  }
  file.commit();
  for (const auto& other : beside) other->commit();
}

void check_output(const std::string& path, bool overwrite, std::span<const std::string> inputs) {
  std::error_code ignored;  // a file that does not exist yet is not an input
  for (const std::string& input : inputs) {
    if (!input.empty() && std::filesystem::equivalent(path, input, ignored)) {
      throw input_error({.file = path}, "is the input", "expected another file for the output");
    }
  }
  OutputFile(path, overwrite);
}

void check_taxonomy_output(const std::string& path, bool overwrite, std::span<const std::string> inputs) {
  choose_taxonomy_output_format(path);
  check_output(path, overwrite, inputs);
}

void write_text_file(const std::string& text, const std::string& path, bool overwrite) {
  OutputFile file(path, overwrite);
  file.write(text);
  file.commit();
}

}  // namespace clade
