#include <clade/io.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>

#include "core/output_file.h"
#include "core/parallel.h"
#include "io/choose_format.h"
#include "io/compress.h"
#include "io/meta.h"
#include "io/parts.h"

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

// A data file with its meta file, written but not yet in place.
class DataFile {
 public:
  DataFile(const Dataset& data, const std::string& path, const WriteOptions& options, bool is_part)
      : data_(data), options_(options), is_part_(is_part), file_(path, options.overwrite) {}

  void write(const DataFormat& format, Context& ctx) {
    MarkingSink marking(file_);
    write_through(file_.path(), marking, [&](Sink& sink) { format.write(data_, options_, sink, ctx); }, &ctx);
    file_.finish();
    held_ = format.holds(data_);
    mark_ = marking.mark();
  }

  bool is_regular() const { return file_.is_regular(); }

  // The meta file goes first, so that data is never seen without the names that belong to it. Between the two renames,
  // the old data is beside the new meta file, whose mark tells readers so.
  void commit(std::vector<std::string>& written) {
    const auto meta = meta_content(data_, held_, mark_, is_part_);
    const std::string beside = meta_path(file_.path());
    written.push_back(file_.path());
    if (!meta) return commit_without_meta(file_, options_.overwrite);
    OutputFile meta_file(beside, options_.overwrite);
    meta_file.write(*meta);
    meta_file.commit();
    written.push_back(beside);
    file_.commit();
  }

 private:
  Dataset data_;
  const WriteOptions& options_;
  bool is_part_;
  OutputFile file_;
  DataFormat::Holds held_;
  DataMark mark_;
};

void check_parts(const Dataset& data, const std::string& path, const WriteOptions& options) {
  std::error_code ignored;  // a file that is not there yet
  const auto type = std::filesystem::status(path, ignored).type();
  using Type = std::filesystem::file_type;
  if (path.starts_with("/dev/") || (type != Type::not_found && type != Type::regular && type != Type::none)) {
    throw input_error({.file = path}, "is no regular file, and cannot be in parts", "expected a name for files");
  }
  if (options.parts > data.samples()) {
    throw usage_error(fmt::format("`parts` {} of {} samples", options.parts, data.samples()),
                      "expected at most one part per sample");
  }
  // Nobody could read a folder that holds both.
  if (const std::string other = part_of_other_count(path, options.parts); !other.empty()) {
    throw input_error({.file = other}, fmt::format("is a part of the same data set, but not one of {}", options.parts),
                      "expected a folder without other parts of it");
  }
  if (options.overwrite) return;
  for (Index part = 1; part <= options.parts; ++part) {
    const std::string beside = meta_path(part_path(path, part, options.parts));
    if (!std::filesystem::exists(beside, ignored)) continue;
    throw input_error({.file = beside}, "exists already", "use `force` to overwrite it");
  }
}

// The samples of a part: the first ones have one more if they do not come out even.
Dataset samples_of_part(const Dataset& data, Index part, Index parts) {
  const Index few = data.samples() / parts;
  const Index longer = data.samples() % parts;
  std::vector<Index> rows(static_cast<std::size_t>(few + (part < longer ? 1 : 0)));
  std::iota(rows.begin(), rows.end(), part * few + std::min(part, longer));
  return data.subset(std::move(rows));
}

// All files are written before the first one is put in place.
std::vector<std::unique_ptr<DataFile>> data_files_of(const Dataset& data, const std::string& path,
                                                     const DataFormat& format, const WriteOptions& options,
                                                     Context& ctx) {
  std::vector<std::unique_ptr<DataFile>> files;
  if (options.parts == 0) {
    files.push_back(std::make_unique<DataFile>(data, path, options, false));
    files.front()->write(format, ctx);
    return files;
  }
  check_parts(data, path, options);
  for (Index part = 0; part < options.parts; ++part) {
    files.push_back(std::make_unique<DataFile>(samples_of_part(data, part, options.parts),
                                               part_path(path, part + 1, options.parts), options, true));
  }
  parallel_for(ctx, options.parts, 1,
               [&](Index part, Index) { files[static_cast<std::size_t>(part)]->write(format, ctx); });
  return files;
}

}  // namespace

std::vector<std::string> write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                                       Context& ctx) {
  const DataFormat& format = choose_output_format(path, options.format);
  const auto taxonomy_file = taxonomy_beside(data, path, options);
  const auto files = data_files_of(data, path, format, options, ctx);
  if (!files.front()->is_regular()) {  // a pipe or a device has nothing beside it
    if (taxonomy_file) taxonomy_file->commit();
    return {path};
  }
  std::vector<std::string> written;
  for (const auto& file : files) file->commit(written);
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
