#include <clade/predictions.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.h"
#include "core/parallel.h"
#include "io/compress.h"
#include "io/csv/csv_record.h"
#include "io/lines.h"
#include "io/number.h"
#include "io/predictions/predictions.h"
#include "io/predictions/sample_index.h"

namespace clade {
namespace {

constexpr std::string_view kHeader = "sample,rank,label,score\n";
constexpr std::string_view kSpecial = "\"\r\n,";
constexpr Index kSampleGrain = 4096;
constexpr Index kBatch = 32;  // chunks whose text is in memory at once

Error unwritable(std::string_view problem, std::string_view expected) {
  return input_error({}, fmt::format("predictions cannot be written: {}", problem), expected);
}

class PredictionsWriter {
 public:
  PredictionsWriter(const Predictions& predictions, const Dataset& data) : predictions_(predictions), data_(data) {
    CLADE_CHECK(predictions.samples() == data.samples());
    CLADE_CHECK(std::ssize(predictions.labels) == predictions.offsets.back());
    CLADE_CHECK(std::ssize(predictions.scores) == predictions.offsets.back());
  }

  void write(Sink& sink, bool has_header, Context& ctx) const {
    const SampleIndex unambiguous(data_, {});
    if (has_header) sink.write(kHeader);
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
};

}  // namespace

void write_predictions(const Predictions& predictions, const Dataset& data, Sink& sink, Context& ctx, bool has_header) {
  PredictionsWriter(predictions, data).write(sink, has_header, ctx);
}

void write_predictions(const Predictions& predictions, const Dataset& data, const std::string& path, bool overwrite,
                       Context& ctx) {
  OutputFile file(path, overwrite);
  write_through(file, [&](Sink& sink) { write_predictions(predictions, data, sink, ctx); });
  file.commit();
}

}  // namespace clade
