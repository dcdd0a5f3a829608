#pragma once

#include <clade/evaluate.h>
#include <clade/model.h>
#include <clade/select.h>

#include <optional>
#include <string>
#include <vector>

#include "induce/dendrogram_file.h"
#include "report/page/branch_counts.h"
#include "report/page/early_stopping.h"
#include "report/page/feature_shape.h"
#include "report/page/html.h"
#include "report/page/mistakes.h"
#include "report/page/model_page.h"

namespace clade {

// Everything that the page of a model shows, measured.
struct ModelFacts {
  const Model& model;
  const Dataset& data;
  const ModelPageNames& names;
  const ModelPageOptions& options;
  Dataset aligned;  // the data with the features of the model
  FeatureShape shape;
  std::optional<FeatureRanking> ranking;
  std::optional<DendrogramFile> dendrogram;
  Evaluation evaluation;
  Taxonomy taxonomy;  // of the evaluation
  std::vector<WrongLabel> wrong;
  MistakeSummary mistakes;
  std::vector<EarlyStop> stops;
  std::vector<BranchCount> branches;
};

// The sections of the page. Those that do not apply have an empty body.
PageSection summary_section(const ModelFacts& facts);
PageSection measures_section(const ModelFacts& facts);
PageSection probabilities_section(const ModelFacts& facts);
PageSection mistakes_section(const ModelFacts& facts, Context& ctx);
PageSection explorer_section(const ModelFacts& facts);
PageSection dendrogram_section(const ModelFacts& facts);
PageSection branches_section(const ModelFacts& facts);

}  // namespace clade
