#pragma once

#include <clade/context.h>
#include <clade/evaluate.h>
#include <clade/model.h>
#include <clade/parameters.h>
#include <clade/predict.h>

#include <string>
#include <vector>

namespace clade {

// How the pixels of images follow one another.
enum class PixelOrder { kColumns, kRows };

struct ModelPageOptions {
  std::string title;         // empty: the names of the model and the data
  Index texts = 3;           // samples shown for each of the costliest confusions
  Index confusions = 20;     // how many of these
  Index top = 8;             // features for a node
  int resamples = 1000;      // for intervals, fewer where they take long; 0: none
  std::string feature_tree;  // file with groups of features; empty: none
  std::string ranking;       // file with the features selected at inner nodes; empty: by the model's weights
  std::string dendrogram;    // file that tells how the hierarchy was learnt; empty: none
  Index height = 0;          // of images whose pixels are the features; both 0: they are no images
  Index width = 0;
  PixelOrder pixels = PixelOrder::kColumns;
  PredictOptions predict;
};
void describe(ParameterTable& v, ModelPageOptions& o);

// What the page is about, beside the model and the data.
struct ModelPageNames {
  std::string model;
  std::string data;
  std::vector<std::string> texts;  // one per sample of the data; empty: not known
};

struct ModelPage {
  std::string html;
  Index samples = 0;
  std::vector<std::string> notes;
};

// A self-contained page about how a model does on labelled data: measures, sentences, levels, probabilities, mistakes,
// and the hierarchy to walk through. At most 3 MB. Equal input gives equal bytes.
ModelPage model_page(const Model& model, const Dataset& data, const ModelPageNames& names,
                     const ModelPageOptions& options, Context& ctx);

}  // namespace clade
