#pragma once

#include "io/arff/arff_header.h"

namespace clade {

// Decides what each attribute is used for and numbers the columns of the features:
//
//   label   options.label_column (a name, a 1-based number, or "none"); else the hierarchical attribute; else the last
//           nominal or string attribute named class; else the last attribute if it is nominal
//   sample  options.sample_column; else a string attribute named sample or id
//
// Throws Error for a string or date attribute that would be a feature, and where the options name no attribute.
void assign_arff_roles(ArffHeader& header, const Input& input, const ReadOptions& options,
                       std::vector<std::string>& notes);

}  // namespace clade
