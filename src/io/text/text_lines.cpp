#include "core/parallel.h"
#include "io/labels/label_file.h"
#include "io/lines.h"
#include "io/matrix_checks.h"
#include "io/text/text_features.h"
#include "io/text/text_source.h"

namespace clade {
namespace {

struct CountedLines {
  WordCounts counts;
  DocumentDecoder::Tally tally;
};

CountedLines count_lines_of(std::string_view text, Index first_line, const Input& input, const TextOptions& options,
                            Encoding encoding) {
  WordCounter counter(options);
  DocumentDecoder decoder(encoding);
  for (Index line = first_line; !text.empty(); ++line) {
    counter.add_text(decoder.decode(take_line(text), input.at_line(line)));
    counter.end_document();
  }
  return {std::move(counter).take(), decoder.tally()};
}

}  // namespace

ParsedData read_text_lines(const Input& input, const ReadOptions& options, Context& ctx) {
  TextFeatures features(options, ctx);
  const std::string_view text = input.bytes();
  const std::vector<LineChunk> chunks = line_chunks(text, 0, WordCounter::kChunkBytes);
  const std::vector<Index> first_line = first_lines(text, chunks, ctx);
  check_row_limit(first_line.back() - 1, text.size(), {.file = input.name()});

  std::vector<WordCounts> counts(chunks.size());
  std::vector<DocumentDecoder::Tally> tallies(chunks.size());
  parallel_for(ctx, static_cast<Index>(chunks.size()), 1, [&](Index chunk, Index) {
    const auto c = static_cast<std::size_t>(chunk);
    const std::string_view part = text.substr(chunks[c].begin, chunks[c].end - chunks[c].begin);
    CountedLines lines = count_lines_of(part, first_line[c], input, features.text_options(), options.encoding);
    counts[c] = std::move(lines.counts);
    tallies[c] = lines.tally;
  });

  ParsedData data;
  DocumentDecoder::Tally tally;
  for (const auto& part : tallies) tally.add(part);
  tally.note(data.notes);
  features.finish(std::move(counts), {}, input.name(), data, ctx);
  const Index documents = row_count(data.features);
  if (options.labels_file.empty()) {
    for (Index d = 0; d < documents; ++d) data.labels.end_sample();
  } else {
    data.labels = read_label_file(options.labels_file, options, {}, documents, data.notes, ctx);
  }
  return data;
}

RowCheck check_text_lines(const Input& input, const ReadOptions& options, Context& /*ctx*/) {
  RowCheck check;
  DocumentDecoder decoder(options.encoding);
  std::string_view rest = input.bytes();
  for (Index line = 1; !rest.empty(); ++line) {
    ++check.rows;
    try {
      decoder.decode(take_line(rest), input.at_line(line));
    } catch (const Error& error) {
      check.bad.push_back({.row = check.rows - 1, .line = line, .lines = 1, .reason = error.problem()});
    }
  }
  return check;
}

}  // namespace clade
