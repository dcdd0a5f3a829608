#include <clade/error.h>
#include <clade/io.h>
#include <clade/model.h>

#include "classify/model_body.h"
#include "classify/nodes/node_model.h"
#include "io/choose_format.h"
#include "io/feature_tree/feature_tree_file.h"
#include "model/model_file.h"
#include "select/ranking_file.h"

namespace clade {

const std::string& Model::classifier() const {
  return body_->classifier;
}
const std::vector<std::pair<std::string, std::string>>& Model::parameters() const {
  return body_->parameters;
}
const Taxonomy& Model::taxonomy() const {
  return *body_->taxonomy;
}
Index Model::features() const {
  return body_->features;
}
std::span<const std::string> Model::feature_names() const {
  return body_->feature_names;
}
bool Model::has_probabilities() const {
  return body_->has_probabilities;
}
bool Model::has_threshold() const {
  return !body_->threshold.empty();
}
bool Model::is_multilabel() const {
  return body_->is_multilabel;
}
Index Model::samples() const {
  return body_->samples;
}
double Model::seconds() const {
  return body_->seconds;
}

Model read_model(const std::string& path) {
  return Model(std::make_shared<const ModelBody>(read_model_body(path)));
}

void write_model(const Model& model, const std::string& path, bool overwrite) {
  write_model(model.body(), path, overwrite);
}

ReadOptions reading_for(const Model& model, ReadOptions options) {
  options.vectorizer = model.body().vectorizer;
  options.keep_words = false;
  if (!options.vectorizer) options.known_features = model.body().feature_names;
  options.known_classes = model.taxonomy();
  const bool has_rule = model.body().replacement != nullptr;
  if (options.missing == Missing::kMean && !has_rule) {
    throw usage_error("`missing`: the model has no means, because it was trained without `missing` mean",
                      "expected zero, or a model that was trained so");
  }
  // Prediction replaces them, after columns have been found by name, or the model handles them.
  const bool is_left_to_model =
      options.missing == Missing::kMean || options.missing == Missing::kError || options.missing == Missing::kAuto;
  if ((has_rule && is_left_to_model) ||
      (takes_missing_values(model.body()) && options.missing != Missing::kMean && is_left_to_model)) {
    options.missing = Missing::kKeep;
  }
  return options;
}

ReadOptions reading_for(const Model& model) {
  return reading_for(model, {});
}

FileKind kind_of_file(const std::string& path, Context& ctx) {
  if (looks_like_model(path)) return FileKind::kModel;
  if (is_ranking_file(path, ctx)) return FileKind::kRanking;
  if (is_taxonomy_file(path, ctx)) return FileKind::kTaxonomy;
  return is_feature_tree_file(path, ctx) ? FileKind::kFeatureTree : FileKind::kData;
}

}  // namespace clade
