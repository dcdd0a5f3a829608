#include "io/predictions/predictions.h"

#include <clade/predictions.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/check.h"
#include "core/large_pages.h"
#include "core/parallel.h"
#include "io/compress.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/number.h"
#include "io/predictions/prediction_rows.h"
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
    // No number crosses a line end, so the parser gets the rest of the text: it is faster if it can look ahead.
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

std::vector<Index> predicted_samples(const std::string& path, const Dataset& data, Context& ctx) {
  const Input input = Input::open(path, ctx);
  const SampleFile file = SampleFile::of(input, "sample,rank,label,score", {"sample", "label"}, ctx);
  file.refuse_header_alone(data);
  const PredictionRows rows = PredictionsReader(file, data).read(ctx);
  std::vector<Index> samples(rows.samples.begin(), rows.samples.end());
  std::ranges::sort(samples);
  samples.erase(std::ranges::unique(samples).begin(), samples.end());
  return samples;
}

namespace {

constexpr std::string_view kHeader = "sample,rank,label,score";
constexpr std::string_view kSpecial = "\"\r\n,";
constexpr Index kSampleGrain = 256;
constexpr Index kBatch = 256;  // chunks whose text is in memory at the same time

Error unwritable(std::string_view problem, std::string_view expected) {
  return input_error({}, fmt::format("predictions cannot be written: {}", problem), expected);
}

class PredictionsWriter {
 public:
  PredictionsWriter(const Predictions& predictions, const Dataset& data, const ExtraColumns& extra)
      : predictions_(predictions), data_(data), extra_(extra) {
    CLADE_CHECK(predictions.samples() == data.samples());
    CLADE_CHECK(std::ssize(predictions.labels) == predictions.offsets.back());
    CLADE_CHECK(std::ssize(predictions.scores) == predictions.offsets.back());
  }

  void write(Sink& sink, bool has_header, Context& ctx) const {
    require_own_names(data_, {});
    if (has_header) sink.write(header());
    const Index chunks = chunk_count(data_.samples(), kSampleGrain);
    std::vector<std::string> texts(static_cast<std::size_t>(std::min(kBatch, chunks)));
    for (Index first = 0; first < chunks; first += kBatch) {
      const Index count = std::min(kBatch, chunks - first);
      ctx.pool().run(count, [&](Index k) {
        ctx.check_cancelled();
        const Index begin = (first + k) * kSampleGrain;
        texts[static_cast<std::size_t>(k)] = rows_of(begin, std::min(data_.samples(), begin + kSampleGrain));
      });
      for (Index k = 0; k < count; ++k) sink.write(texts[static_cast<std::size_t>(k)]);
    }
  }

 private:
  std::string header() const {
    std::string text(kHeader);
    for (const std::string& name : extra_.names) {
      text += ',';
      append_name(text, name);
    }
    return text + '\n';
  }

  std::string rows_of(Index begin, Index end) const {
    std::string text;
    std::vector<NodeId> scratch;
    for (Index s = begin; s < end; ++s) {
      check(s, scratch);
      std::string sample;
      append_name(sample, data_.sample_name(s));
      const auto labels = predictions_.labels_of(s);
      const auto scores = predictions_.scores_of(s);
      for (std::size_t k = 0; k < labels.size(); ++k) {
        text += sample;
        text += ',';
        text += std::to_string(k + 1);
        text += ',';
        append_name(text, data_.taxonomy().name(labels[k]));
        text += ',';
        append_number(text, scores[k]);
        if (!extra_.names.empty()) {
          const Index place = predictions_.offsets[static_cast<std::size_t>(s)] + static_cast<Index>(k);
          for (const std::string& cell : extra_.cells(s, place)) {
            text += ',';
            append_name(text, cell);
          }
        }
        text += '\n';
      }
    }
    return text;
  }

  static void append_name(std::string& text, std::string_view name) {
    if (first_invalid_utf8(name) != std::string_view::npos || name.find('\0') != std::string_view::npos) {
      throw unwritable(fmt::format("name '{}'", shown(name)), "expected UTF-8 text without zero bytes");
    }
    append_csv_field(text, name, kSpecial);
  }

  // Throws Error for what a reader would refuse.
  void check(Index sample, std::vector<NodeId>& scratch) const {
    const auto labels = predictions_.labels_of(sample);
    const auto scores = predictions_.scores_of(sample);
    if (labels.empty()) throw refused(sample, "no label", "expected one at least");
    for (const NodeId label : labels) CLADE_CHECK(label >= 0 && label < data_.taxonomy().size());
    scratch.assign(labels.begin(), labels.end());
    std::sort(scratch.begin(), scratch.end());
    if (std::adjacent_find(scratch.begin(), scratch.end()) != scratch.end()) {
      throw refused(sample, "a label twice", "expected each label once");
    }
    if (!std::all_of(scores.begin(), scores.end(), [](double score) { return std::isfinite(score); })) {
      throw refused(sample, "a score that is not finite", "expected finite scores");
    }
    if (!std::is_sorted(scores.rbegin(), scores.rend())) {
      throw refused(sample, "a score that rises", "expected scores that do not rise");
    }
  }

  Error refused(Index sample, std::string_view problem, std::string_view expected) const {
    return unwritable(fmt::format("sample '{}' has {}", shown(data_.sample_name(sample)), problem), expected);
  }

  const Predictions& predictions_;
  const Dataset& data_;
  const ExtraColumns& extra_;
};

}  // namespace

void write_predictions(const Predictions& predictions, const Dataset& data, Sink& sink, Context& ctx, bool has_header,
                       const ExtraColumns& extra) {
  PredictionsWriter(predictions, data, extra).write(sink, has_header, ctx);
}

void write_predictions(const Predictions& predictions, const Dataset& data, const std::string& path, bool overwrite,
                       Context& ctx) {
  OutputFile file(path, overwrite);
  write_through(file, [&](Sink& sink) { write_predictions(predictions, data, sink, ctx); }, &ctx);
  file.commit();
}

}  // namespace clade
