#pragma once

#include <clade/model.h>

#include <string>

namespace clade {

// What a model is made of, for people and for programs: classifier and parameters, hierarchy, features, the nodes with
// most weights, what training was like. `file_bytes`: the size of its file.
std::string model_text(const Model& model, const std::string& name, Index file_bytes);
std::string model_json(const Model& model, Index file_bytes);

}  // namespace clade
