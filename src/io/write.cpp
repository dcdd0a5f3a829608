#include <clade/io.h>

#include <filesystem>

#include "core/output_file.h"
#include "io/choose_format.h"
#include "io/compress.h"
#include "io/meta.h"

namespace clade {
namespace {

// Runs `write` on a sink that ends in `file`, through compression if the path asks for it.
template <class Write>
void write_through(OutputFile& file, Write&& write) {
  const auto compressing = compressing_sink(file.path(), file);
  if (compressing == nullptr) return write(static_cast<Sink&>(file));
  write(static_cast<Sink&>(*compressing));
  compressing->finish();
}

}  // namespace

std::vector<std::string> write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                                       Context& ctx) {
  const DataFormat& format = choose_output_format(path, options.format);
  OutputFile file(path, options.overwrite);
  write_through(file, [&](Sink& sink) { format.write(data, options, sink, ctx); });

  file.finish();
  if (!file.is_regular()) return {path};  // a pipe or a device has no place beside it

  // The meta file goes first: data without the names that belong to it must never be seen.
  const auto meta = meta_content(data, format.holds(data));
  const std::string beside = meta_path(path);
  std::vector<std::string> written{path};
  if (meta) {
    OutputFile meta_file(beside, options.overwrite);
    meta_file.write(*meta);
    meta_file.commit();
    written.push_back(beside);
  } else if (std::filesystem::exists(beside)) {
    // One left from an earlier file of this name would be taken for ours.
    if (!options.overwrite) throw input_error({.file = beside}, "exists already", "use --force to remove it");
    std::filesystem::remove(beside);
  }
  file.commit();
  return written;
}

void write_taxonomy(const Taxonomy& taxonomy, const std::string& path, const WriteOptions& options, Context& ctx) {
  ctx.check_cancelled();
  const TaxonomyFormat& format = choose_taxonomy_output_format(path, options.format);
  OutputFile file(path, options.overwrite);
  write_through(file, [&](Sink& sink) { format.write(taxonomy, options, sink); });
  file.commit();
}

}  // namespace clade
