#pragma once

#include <string>
#include <vector>

#include "io/format.h"

namespace clade {

// The format of a data file: by name if one is given, else by being a folder, else by the file's ending, else by its
// first bytes. Throws Error that lists the formats if nothing decides.
const DataFormat& choose_data_format(const std::string& path, const std::string& name, Context& ctx);
// The same of several files. Throws Error (kInput) if they are not of one format.
const DataFormat& choose_format_of_all(const std::vector<std::string>& paths, const std::string& name, Context& ctx);
// For writing, where there are no bytes to look at.
const DataFormat& choose_output_format(const std::string& path, const std::string& name);

// Does the path end like this format, compressed or not?
bool ends_like(const std::string& path, std::string_view format_name);
// Does it end like any format of data?
bool ends_like_data(const std::string& path);

const TaxonomyFormat& choose_taxonomy_format(const Input& input, const std::string& name);
const TaxonomyFormat& choose_taxonomy_output_format(const std::string& path, const std::string& name);
// Where only the name of the file can say it.
const TaxonomyFormat& choose_taxonomy_output_format(const std::string& path);
// Is it a taxonomy rather than data? By its ending (.obo, .taxonomy, .paths, .edges), as a table with the header
// child,parent or parent,child, or as JSON that is a list or starts with a node's name and has children.
bool is_taxonomy_file(const std::string& path, Context& ctx);

// Throws Error if the content is clearly of another format than the one chosen, for example a MATLAB file named .csv.
void refuse_other_format(const Input& input, const DataFormat& chosen);

}  // namespace clade
