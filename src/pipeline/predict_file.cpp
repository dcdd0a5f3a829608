#include <clade/predict.h>
#include <clade/team.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "classify/conformal.h"
#include "classify/levels.h"
#include "comm/tasks.h"
#include "core/byte_string.h"
#include "core/json.h"
#include "core/output_file.h"
#include "io/compress.h"
#include "io/row_stream.h"
#include "pipeline/block_answers.h"

namespace clade {
namespace {

class FunctionSink : public Sink {
 public:
  explicit FunctionSink(const std::function<void(std::string_view)>& write) : write_(write) {}
  void write(std::string_view bytes) override { write_(bytes); }

 private:
  const std::function<void(std::string_view)>& write_;
};

// Texts as the lines of a file of the kind that the model was trained on.
RowStream rows_of_texts(const Model& model, const PredictFileOptions& options, Context& ctx) {
  const auto& vectorizer = model.body().vectorizer;
  if (!vectorizer) throw usage_error("the model was not trained on text", "expected a file with its features");
  const auto& columns = vectorizer->options.columns;
  const auto field = std::ranges::find(columns, ColumnKind::kText, &DataColumn::kind);
  if (!columns.empty() && field == columns.end()) {
    throw usage_error("the model was not trained on text", "expected a file with its columns");
  }
  std::string lines;
  for (std::string text : options.texts) {
    std::ranges::replace(text, '\n', ' ');
    lines += columns.empty() ? text : dump_json(nlohmann::json{{field->name, text}});
    lines += '\n';
  }
  ReadOptions read = reading_for(model, options.read);
  read.format = columns.empty() ? "text-lines" : "json-lines";
  return {"the text", std::move(lines), read, ctx};
}

// A data set in parts, or one file, whose answers go to `sink`; it may be null.
class FilePredictor {
 public:
  FilePredictor(const Model& model, const PredictFileOptions& options, Context& ctx)
      : model_(model), options_(options), ctx_(ctx) {
    if (options.covering) rule_ = coverage_rule(model.body(), *options.covering);
    if (rule_ && !rule_->note.empty()) ctx.info(rule_->note);
  }

  PredictedFile predict_texts(Sink* sink) const {
    RowStream rows = rows_of_texts(model_, options_, ctx_);
    BlockAnswers answers = answers_to(sink, true);
    answers.answer_all(rows);
    PredictedFile result = answers.result();
    result.notes.clear();
    return result;
  }

  PredictedFile predict_files(const std::vector<std::string>& files, Sink* sink) const {
    BlockAnswers answers = answers_to(sink, true);
    for (const std::string& file : files) {
      RowStream rows = rows_of(file, answers.result().samples);
      if (!answers.answer_all(rows)) break;
    }
    return answers.result();
  }

  // Every process answers some of the files; the leader writes what all of them have found.
  PredictedFile share_files(Team& team, const std::vector<std::string>& files, bool has_output, Sink* sink) const {
    SharedTasks tasks{.name = "samples", .cost = {}, .threads = {}};
    for (const std::string& file : files) tasks.cost.push_back(static_cast<double>(std::filesystem::file_size(file)));
    const std::vector<Index> first = first_samples(team, tasks, files);
    tasks.name = "predictions";
    Shared shared{.files = files, .first = first, .folder = has_output ? team.folder() : nullptr, .job = {}};
    if (shared.folder != nullptr) shared.job = team.next_job("answers");
    const std::vector<std::string> found = run_tasks(
        team, tasks, [&](Index k) { return answer_shared(shared, k, has_output); }, ctx_, ResultsFor::kLeader);
    PredictedFile result;
    for (std::size_t k = 0; k < found.size(); ++k) {
      ByteReader bytes(found[k]);
      add(bytes.bytes(), result);
      if (sink != nullptr) write_shared(shared, static_cast<Index>(k), bytes, *sink);
    }
    return result;
  }

 private:
  static constexpr Index kNoWords = -1;  // no model of words

  // In a work folder, answers are kept beside the results of the tasks, so that the leader has those to one file in
  // memory, and not those to all.
  struct Shared {
    const std::vector<std::string>& files;
    const std::vector<Index>& first;
    const WorkFolder* folder;  // null: none, or no answers are wanted
    std::string job;           // under which answers are kept there
  };

  std::string answer_shared(const Shared& shared, Index k, bool has_output) const {
    const auto at = static_cast<std::size_t>(k);
    StringSink text;
    ByteWriter bytes;
    bytes.put(answer_file(shared.files[at], shared.first[at], has_output ? &text : nullptr));
    if (shared.folder == nullptr) return bytes.put(text.text()).take();
    shared.folder->keep(shared.job, k, text.text());
    return bytes.take();
  }

  void write_shared(const Shared& shared, Index k, ByteReader& found, Sink& sink) const {
    if (shared.folder == nullptr) return sink.write(found.bytes());
    if (const auto kept = shared.folder->find(shared.job, k)) return sink.write(*kept);
    const auto at = static_cast<std::size_t>(k);
    StringSink again;  // what was kept is damaged
    answer_file(shared.files[at], shared.first[at], &again);
    shared.folder->keep(shared.job, k, again.text());
    sink.write(again.text());
  }

  BlockAnswers answers_to(Sink* sink, bool has_header) const {
    return {model_.body(), options_, rule_ ? &*rule_ : nullptr, sink, has_header, ctx_};
  }

  RowStream rows_of(const std::string& file, Index first) const {
    RowStream rows(file, reading_for(model_, options_.read), ctx_);
    rows.number_from(first);
    return rows;
  }

  // The number of the first sample of each file; samples are numbered through.
  std::vector<Index> first_samples(Team& team, const SharedTasks& tasks, const std::vector<std::string>& files) const {
    const std::vector<std::string> counts = run_tasks(
        team, tasks,
        [&](Index k) {
          RowStream rows = rows_of(files[static_cast<std::size_t>(k)], 0);
          Index samples = 0;
          while (const auto block = rows.next(*model_.body().taxonomy, ctx_)) samples += block->samples();
          return ByteWriter().put(samples).take();
        },
        ctx_);
    std::vector<Index> first{0};
    for (const std::string& count : counts) first.push_back(first.back() + ByteReader(count).get<Index>());
    return first;
  }

  // What there is to say of a file, as bytes; the answers go to `sink`, which may be null.
  std::string answer_file(const std::string& file, Index first, Sink* sink) const {
    BlockAnswers answers = answers_to(sink, first == 0);
    RowStream rows = rows_of(file, first);
    answers.answer_all(rows);
    const PredictedFile& own = answers.result();
    return ByteWriter().put(own.samples).put(own.without_words.value_or(kNoWords)).put(own.notes).take();
  }

  static void add(std::string_view bytes, PredictedFile& result) {
    ByteReader reader(bytes);
    result.samples += reader.get<Index>();
    const auto without_words = reader.get<Index>();
    if (without_words != kNoWords) result.without_words = result.without_words.value_or(0) + without_words;
    for (const auto& note : reader.get<std::vector<std::string>>()) {
      if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(note);
    }
  }

  const Model& model_;
  const PredictFileOptions& options_;
  Context& ctx_;
  std::optional<CoverageRule> rule_;
};

void check_request(const Model& model, const PredictFileOptions& options, const std::vector<std::string>& files) {
  if (options.has_levels && options.covering) {
    throw usage_error("`levels` gives the way to one label, and `coverage` answers with nodes", "expected one of them");
  }
  if (options.has_levels) require_levels(model.body());
  if (!options.keep.empty() && !options.texts.empty()) {
    throw usage_error("`keep` copies columns of a file", "expected none for a text");
  }
  if (files.size() > 1 && (options.read.skip_bad || !options.read.bad_rows.empty())) {
    throw usage_error("`skip-bad` with several files", "expected one file");
  }
}

}  // namespace

PredictedFile predict_file(const Model& model, const std::string& input, const PredictFileOptions& options,
                           Context& ctx) {
  const std::vector<std::string> files =
      options.texts.empty() ? data_files(input, options.read) : std::vector<std::string>{};
  check_request(model, options, files);
  Team* const team = files.size() > 1 && !options.watch ? team_of(ctx) : nullptr;
  const bool has_output = !options.output.empty() || options.write;
  const FilePredictor predictor(model, options, ctx);
  PredictedFile result;
  const auto predict_all = [&](Sink* sink) {
    result = team != nullptr         ? predictor.share_files(*team, files, has_output, sink)
             : options.texts.empty() ? predictor.predict_files(files, sink)
                                     : predictor.predict_texts(sink);
    if (result.samples == 0 && leads(ctx)) {
      throw input_error({.file = input}, "no samples", "expected some to predict for");
    }
  };
  if (!has_output || (team != nullptr && !team->leads())) {
    predict_all(nullptr);
  } else if (!options.output.empty()) {
    OutputFile file(options.output, options.overwrite);
    write_through(file, [&](Sink& sink) { predict_all(&sink); }, &ctx);
    file.commit();
  } else {
    FunctionSink sink(options.write);
    predict_all(&sink);
  }
  if (result.without_words.value_or(0) > 0) {
    result.notes.push_back(
        options.texts.size() == 1
            ? "the model knows no word of the text: the answer does not depend on it"
            : fmt::format("texts without a known word: {}; the answers to them do not depend on their words",
                          *result.without_words));
  }
  return result;
}

}  // namespace clade
