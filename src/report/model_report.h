#pragma once

#include <clade/model.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace clade {

// A description of a model, for people and for programs: classifier and parameters, hierarchy, features, the nodes with
// most weights, facts about training. `file_bytes` is the size of the model file.
// Like read_model(), but every byte is checked, also what prediction checks when it first uses it.
Model read_verified_model(const std::string& path);

std::string model_text(const Model& model, const std::string& name, Index file_bytes);
std::string model_json(const Model& model, Index file_bytes);
nlohmann::json model_document(const Model& model, Index file_bytes);

}  // namespace clade
