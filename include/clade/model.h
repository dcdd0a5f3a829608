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

// A trained classifier with everything that prediction needs: words, treatment of missing values, features, hierarchy,
// weights. A light handle: copies share one body, which never changes and may be used from several threads.
class Model {
 public:
  explicit Model(std::shared_ptr<const ModelBody> body) : body_(std::move(body)) {}

  const std::string& classifier() const;
  // Of the classifier, by name, as text.
  const std::vector<std::pair<std::string, std::string>>& parameters() const;
  // The classes, with those that stand for "this inner node and nothing below it" as leaves of their own; predictions
  // never name these (Taxonomy::fold).
  const Taxonomy& taxonomy() const;
  Index features() const;
  std::span<const std::string> feature_names() const;  // empty: features have no names
  bool has_probabilities() const;                      // scores of predictions are probabilities
  bool has_threshold() const;                          // it learnt which scores make a label set
  bool is_multilabel() const;                          // trained on samples of several labels
  Index samples() const;                               // it was trained on
  double seconds() const;                              // that training took

  // For the library itself.
  const ModelBody& body() const { return *body_; }

 private:
  std::shared_ptr<const ModelBody> body_;
};

// Maps a model file into memory; the weights stay there. Throws Error (kInput) on a file that is no model, truncated,
// changed in any byte, written by a newer Clade, or inconsistent: what is returned is safe to predict with. Cost: one
// pass for the checksum and one for the check.
Model read_model(const std::string& path);

// The file appears whole or not at all. Throws Error (kInput) if it exists and `overwrite` is false, (kSystem) if it
// cannot be written.
void write_model(const Model& model, const std::string& path, bool overwrite = false);

// How to read data that the model is to be applied to: with its words and its treatment of missing values.
ReadOptions reading_for(const Model& model, ReadOptions options);
ReadOptions reading_for(const Model& model);

}  // namespace clade
