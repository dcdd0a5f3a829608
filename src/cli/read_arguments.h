#pragma once

#include <clade/io.h>

#include <initializer_list>

#include "cli/command_line.h"

namespace clade::cli {

// The flags that say how to read data, for all commands that do.
class ReadArguments {
 public:
  explicit ReadArguments(Missing missing = Missing::kAuto) {
    options.missing = missing;
    options.text.min_document_frequency = 0;  // by the number of documents
    options.text.sublinear = true;
    options.keep_words = false;  // set only if the vocabulary may be learnt again
  }
  ReadArguments(const ReadArguments&) = delete;
  ReadArguments& operator=(const ReadArguments&) = delete;

  // `often` are the options that the short help of the command shows.
  void declare(Arguments& arguments, std::string_view often = kOften) {
    arguments.often(often);
    arguments.parameters("Reading data", general_parameters(options));
    arguments.parameters("Reading labels", label_parameters(options));
    arguments.parameters("Reading tables", table_parameters(options), OptionGroup::Place::kSharedPage);
    arguments.parameters("Reading raw text", text_parameters(options), OptionGroup::Place::kSharedPage);
  }

  // What `path` is; the user may have said so.
  FileKind kind_of(const std::string& path, Context& ctx) const {
    if (!options.format.empty()) return FileKind::kData;
    if (!options.taxonomy_format.empty() && options.taxonomy.empty()) return FileKind::kTaxonomy;
    return kind_of_file(path, ctx);
  }
  // The files that are read beside the data, none of which may be overwritten.
  std::vector<std::string> inputs(std::initializer_list<std::string> others) const {
    std::vector<std::string> files(others);
    for (const std::string& file :
         {options.taxonomy, options.labels_file, options.label_map, options.vocabulary, options.bad_rows})
      files.push_back(file);
    return files;
  }

  ReadOptions options;

 private:
  static constexpr std::string_view kOften = "--taxonomy --label-column --label-levels --missing --format";
};

}  // namespace clade::cli
