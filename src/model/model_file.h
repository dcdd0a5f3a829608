#pragma once

#include <string>

#include "classify/model_body.h"
#include "core/output_file.h"
#include "io/input.h"

namespace clade {

// The model file: a whole Model in one file that can be used in place. docs/formats/model.md specifies every byte.

// The file appears whole or not at all. Throws Error (kInput) if it exists and `overwrite` is false, or if the model is
// inconsistent (model_check.h), and Error (kSystem) if it cannot be written.
void write_model(const ModelBody& model, const std::string& path, bool overwrite);
void write_model(const ModelBody& model, Sink& sink);

// Maps the file into memory; the weights stay in the map, which Model::storage keeps alive. Throws Error (kInput) if
// the file is not a model, is truncated, changed in any byte, written by a newer Clade, or inconsistent: a model that
// is returned is safe to predict with. Cost: one pass for the checksum and one for the check. The weights of label
// trees are left out of both: prediction checks those that it uses, and may throw the same errors. Memory beside the
// map is proportional to the names, nodes and children.
ModelBody read_model_body(const std::string& path);
ModelBody parse_model(const Input& input);
// The same, and checks every byte, also those of label trees, which otherwise are checked when they are first used.
ModelBody read_whole_model(const std::string& path);

// Is this a model file, judged by its first bytes? Also false if it cannot be read.
bool looks_like_model(const std::string& path);

}  // namespace clade
