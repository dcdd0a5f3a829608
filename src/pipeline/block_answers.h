#pragma once

#include <clade/predict.h>

#include <optional>

#include "classify/conformal.h"
#include "classify/model_body.h"
#include "core/output_file.h"
#include "io/row_stream.h"

namespace clade {

// Answers the rows of one file, or of several one after another, block after block.
class BlockAnswers {
 public:
  // `rule` is null without options.covering; `sink` may be null. The others outlive the object. Only the first answers
  // are under a header, and only if there `has_header`.
  BlockAnswers(const ModelBody& model, const PredictFileOptions& options, const CoverageRule* rule, Sink* sink,
               bool has_header, Context& ctx)
      : model_(model), options_(options), rule_(rule), sink_(sink), has_header_(has_header), ctx_(ctx) {}

  // Whether to go on with the next file.
  bool answer_all(RowStream& rows);
  const PredictedFile& result() const { return result_; }

 private:
  // With the features of the model.
  Dataset fitting(const RowStream& rows, const Dataset& block);
  bool answer(const RowStream& rows, const Dataset& block);
  void write_nodes(const Dataset& data, bool is_first);
  void write_labels(const RowStream& rows, const Dataset& data, const Predictions& predictions, bool is_first);

  const ModelBody& model_;
  const PredictFileOptions& options_;
  const CoverageRule* rule_;
  Sink* sink_;
  bool has_header_;
  Context& ctx_;
  PredictedFile result_;
};

}  // namespace clade
