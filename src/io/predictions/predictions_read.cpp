#include <clade/predictions.h>
#include <fmt/core.h>

#include <limits>

#include "core/large_pages.h"
#include "io/lines.h"
#include "io/number.h"
#include "io/predictions/name_table.h"
#include "io/predictions/prediction_rows.h"
#include "io/predictions/predictions.h"
#include "io/predictions/sample_file.h"
#include "io/predictions/sample_index.h"

namespace clade {
namespace {

// The columns, in the order in which the parser asks for them.
enum Column : std::size_t { kSample, kRank, kLabel, kScore, kColumns };

NameTable node_names(const Taxonomy& taxonomy) {
  NameTable names(taxonomy.size());
  for (NodeId node = 0; node < taxonomy.size(); ++node) names.add(taxonomy.name(node));
  return names;
}

class PredictionsReader {
 public:
  PredictionsReader(const SampleFile& file, const Dataset& data)
      : file_(file),
        samples_(data, {.file = file.text.input.name()}),
        nodes_(node_names(data.taxonomy())),
        columns_{file.column("sample"), file.column("rank"), file.column("label"), file.column("score")} {}

  PredictionRows read(Context& ctx) {
    rows_.samples = Buffer<Index>(file_.rows);
    prefer_large_pages(rows_.samples);
    rows_.labels = zeros_on_large_pages<NodeId>(file_.rows);
    if (columns_[kRank] >= 0) rows_.ranks = Buffer<std::int32_t>(file_.rows);
    prefer_large_pages(rows_.ranks);
    if (columns_[kScore] >= 0) rows_.scores = zeros_on_large_pages<double>(file_.rows);
    parse_sample_chunks(ctx, file_, [&](Index k) { parse(file_.chunks[static_cast<std::size_t>(k)]); });
    return std::move(rows_);
  }

 private:
  using Rows = SampleRows<kColumns>;

  void parse(const RowChunk& chunk) {
    Rows rows(file_, chunk, columns_);
    Index sample = -1;
    while (rows.next()) {
      const auto r = static_cast<std::size_t>(rows.row());
      sample = find_sample(rows, kSample, samples_, sample);
      rows_.samples[rows.row()] = sample;
      if (columns_[kRank] >= 0) rows_.ranks[rows.row()] = parse_rank(rows);
      rows_.labels[r] = parse_label(rows);
      if (columns_[kScore] >= 0) rows_.scores[r] = parse_score(rows);
    }
  }

  static std::int32_t parse_rank(Rows& rows) {
    const std::string_view text = rows.text(kRank);
    const Index rank = parse_digits(text, std::numeric_limits<std::int32_t>::max());
    if (rank > 0) return static_cast<std::int32_t>(rank);
    throw input_error(rows.place(kRank), fmt::format("'{}' is not a rank", shown(text)),
                      "expected a whole number from 1");
  }

  NodeId parse_label(Rows& rows) const {
    const std::string_view text = rows.text(kLabel);
    const Index node = nodes_.find(text);
    if (node >= 0) return static_cast<NodeId>(node);
    throw input_error(rows.place(kLabel), fmt::format("label '{}' is not in the taxonomy", shown(text)),
                      "expected the name of one of its nodes");
  }

  double parse_score(Rows& rows) const {
    // No number goes over a line end, so the rest of the text may be offered: the parser is faster where it can look
    // ahead.
    const std::string_view raw = rows.raw(kScore);
    double score = 0;
    const NumberResult result = parse_number(raw.data(), file_.text.text.data() + file_.text.text.size(), score);
    if (result.status == NumberStatus::kOk && result.end == raw.data() + raw.size()) return score;
    const NumberStatus status = parse_whole_number(trim(rows.text(kScore)), score);
    if (status == NumberStatus::kOk) return score;
    throw input_error(rows.place(kScore),
                      fmt::format("score '{}' is not {}", shown(rows.text(kScore)),
                                  status == NumberStatus::kNotNumber ? "a number" : "finite"),
                      "expected a finite number");
  }

  const SampleFile& file_;
  SampleIndex samples_;
  NameTable nodes_;
  std::array<Index, kColumns> columns_;
  PredictionRows rows_;
};

}  // namespace

Predictions parse_predictions(const Input& input, const Dataset& data, Context& ctx) {
  const SampleFile file = SampleFile::of(input, "sample,rank,label,score", {"sample", "label"}, ctx);
  file.refuse_header_alone(data);
  return group_by_sample(PredictionsReader(file, data).read(ctx), file, data, ctx);
}

Predictions read_predictions(const std::string& path, const Dataset& data, Context& ctx) {
  return parse_predictions(Input::open(path, ctx), data, ctx);
}

}  // namespace clade
