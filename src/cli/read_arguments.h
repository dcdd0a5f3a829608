#pragma once

#include <clade/io.h>

#include "cli/command_line.h"
#include "io/choose_format.h"
#include "io/io_parameters.h"

namespace clade::cli {

// The flags with which every command that reads data lets the user say how.
class ReadArguments {
 public:
  explicit ReadArguments(Missing missing = Missing::kError) { options.missing = missing; }
  ReadArguments(const ReadArguments&) = delete;
  ReadArguments& operator=(const ReadArguments&) = delete;

  void declare(Arguments& arguments) const {
    arguments.parameters("Reading data", ParameterTable(general_));
    arguments.parameters("Reading labels", ParameterTable(labels_));
    arguments.parameters("Reading tables", ParameterTable(tables_));
    arguments.parameters("Reading raw text", ParameterTable(text_));
  }

  // Is `path` a taxonomy, given in the place of data?
  bool is_taxonomy(const std::string& path) const {
    const bool said_so = !options.taxonomy_format.empty() && options.taxonomy.empty();
    return options.format.empty() && (said_so || is_taxonomy_file(path));
  }

  ReadOptions options;

 private:
  mutable GeneralReadParameters general_{options};
  mutable LabelParameters labels_{options};
  mutable TableParameters tables_{options};
  mutable TextParameters text_{options};
};

}  // namespace clade::cli
