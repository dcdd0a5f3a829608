#pragma once

#include <clade/io.h>

#include "cli/command_line.h"
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

  ReadOptions options;

 private:
  mutable GeneralReadParameters general_{options};
  mutable LabelParameters labels_{options};
  mutable TableParameters tables_{options};
  mutable TextParameters text_{options};
};

}  // namespace clade::cli
