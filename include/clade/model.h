#pragma once

#include <clade/taxonomy.h>
#include <clade/types.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace clade {

struct ModelBody;
struct ReadOptions;

// A trained classifier with everything that prediction needs: vocabulary, treatment of missing values, features,
// hierarchy, weights. A light handle: copies share one body, which never changes and may be used from several threads.
class Model {
 public:
  explicit Model(std::shared_ptr<const ModelBody> body) : body_(std::move(body)) {}

  const std::string& classifier() const;
  // Parameters of the classifier, as text.
  const std::vector<std::pair<std::string, std::string>>& parameters() const;
  // The hierarchy of classes. "This inner node and nothing below it" is a miscellaneous leaf here; predictions name the
  // inner node instead (Taxonomy::fold).
  const Taxonomy& taxonomy() const;
  Index features() const;
  std::span<const std::string> feature_names() const;  // empty: features have no names
  bool has_probabilities() const;                      // are the scores of predictions probabilities?
  bool has_threshold() const;                          // did it learn which scores make a label set?
  bool is_multilabel() const;                          // was it trained on samples with several labels?
  Index samples() const;                               // number of training samples
  double seconds() const;                              // of training; 0 for a model from a file

  // For the library itself.
  const ModelBody& body() const { return *body_; }

 private:
  std::shared_ptr<const ModelBody> body_;
};

// Maps a model file into memory; the weights stay in the map. Throws Error (kInput) if the file is not a model, is
// truncated, changed in any byte, written by a newer Clade, or inconsistent: a model that is returned is safe to
// predict with. Cost: one pass for the checksum and one for the check. Both leave out the weights of label trees: each
// group of these is checked when it is first used, and prediction then throws the same errors.
Model read_model(const std::string& path);

// The file appears whole or not at all. Throws Error (kInput) if it exists and `overwrite` is false, and Error
// (kSystem) if it cannot be written.
void write_model(const Model& model, const std::string& path, bool overwrite = false);

// How to read data that the model is to be applied to: with its vocabulary and its treatment of missing values.
ReadOptions reading_for(const Model& model, ReadOptions options);
ReadOptions reading_for(const Model& model);

}  // namespace clade
