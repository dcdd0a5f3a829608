#pragma once

#include <string>

#include "classify/model_body.h"
#include "core/output_file.h"
#include "io/input.h"

namespace clade {

// The model file: everything of a Model in one file that can be used where it lies. docs/formats/model.md has every
// byte of it.

// The file appears whole or not at all. Throws Error (kInput) if it exists and `overwrite` is false, or if the model is
// not consistent (model_check.h); (kSystem) if it cannot be written.
void write_model(const ModelBody& model, const std::string& path, bool overwrite);
void write_model(const ModelBody& model, Sink& sink);

// Maps the file into memory; the weights stay there, and Model::storage keeps the map. Throws Error (kInput) on a file
// that is no model, truncated, changed in any byte, written by a newer Clade, or inconsistent: what is returned is safe
// to predict with. Cost: one pass for the checksum and one for the check. Memory besides the map: in proportion to the
// names, nodes and children.
ModelBody read_model_body(const std::string& path);
ModelBody parse_model(const Input& input);

// Do the first bytes say that this is a model file? False also if it cannot be read.
bool looks_like_model(const std::string& path);

}  // namespace clade
