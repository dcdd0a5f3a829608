#include "pipeline/shared_predictions.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "classify/node_scores.h"
#include "classify/predict.h"
#include "comm/tasks.h"
#include "core/byte_string.h"
#include "core/check.h"
#include "core/content_hash.h"
#include "core/output_file.h"
#include "core/parallel.h"
#include "model/model_file.h"

namespace clade {
namespace {

// Many for the processes to share, each long enough that what is prepared for it costs little. They depend on the
// number of samples alone, so that kept pieces fit a run with other processes.
Index samples_of_range(Index samples) {
  constexpr Index kMostRanges = 256;
  constexpr Index kFewest = 256;
  return std::max(kFewest, chunk_count(samples, kMostRanges));
}

class HashSink : public Sink {
 public:
  explicit HashSink(ContentHash& hash) : hash_(hash) {}
  void write(std::string_view bytes) override { hash_.add(bytes); }

 private:
  ContentHash& hash_;
};

// Kept pieces are of this model and these data, of which the work folder need not know: both may have come up in this
// run, the model with the memory that there was, and the data from a file to measure on.
std::string job_name(const Team& team, const std::string& what, const ModelBody& model, const Dataset& data,
                     Context& ctx) {
  if (team.folder() == nullptr) return what;
  ContentHash hash;
  hash.add(fingerprint(data, ctx));
  HashSink sink(hash);
  write_model(model, sink);
  return what + "-" + hash.text();
}

Index samples_from(Index begin, const Dataset& data) {
  return std::min(samples_of_range(data.samples()), data.samples() - begin);
}

// work(samples of a range) gives bytes for each range.
template <class Work>
std::vector<std::string> share_ranges(Team& team, const std::string& name, const Dataset& data, const Work& work,
                                      Context& ctx) {
  const Index length = samples_of_range(data.samples());
  SharedTasks tasks{.name = name, .cost = {}, .threads = {}};
  for (Index begin = 0; begin < data.samples(); begin += length) {
    tasks.cost.push_back(static_cast<double>(samples_from(begin, data)));
  }
  return run_tasks(
      team, tasks,
      [&](Index k) {
        std::vector<Index> rows(static_cast<std::size_t>(samples_from(k * length, data)));
        std::iota(rows.begin(), rows.end(), k * length);
        return work(data.subset(std::move(rows)));
      },
      ctx, ResultsFor::kLeader);
}

}  // namespace

Predictions predict_together(const ModelBody& model, const Dataset& data, const PredictOptions& options, Context& ctx) {
  Team* const team = team_of(ctx);
  if (team == nullptr) return predict(model, data, options, ctx);
  const std::vector<std::string> found = share_ranges(
      *team, job_name(*team, "predictions", model, data, ctx), data,
      [&](const Dataset& range) {
        const Predictions own = predict(model, range, options, ctx);
        return ByteWriter().put(own.offsets).put(own.labels).put(own.scores).take();
      },
      ctx);
  Predictions whole;
  for (const std::string& bytes : found) {
    Predictions part;
    ByteReader(bytes).get(part.offsets).get(part.labels).get(part.scores);
    CLADE_CHECK(part.samples() == samples_from(whole.samples(), data));
    CLADE_CHECK(part.offsets.back() == std::ssize(part.labels) && part.labels.size() == part.scores.size());
    const Index before = whole.offsets.back();
    for (std::size_t s = 1; s < part.offsets.size(); ++s) whole.offsets.push_back(before + part.offsets[s]);
    whole.labels.insert(whole.labels.end(), part.labels.begin(), part.labels.end());
    whole.scores.insert(whole.scores.end(), part.scores.begin(), part.scores.end());
  }
  return whole;
}

NodeScores score_nodes_together(const ModelBody& model, const Dataset& data, Consistency consistency, Context& ctx) {
  Team* const team = team_of(ctx);
  if (team == nullptr) return node_scores(model, data, consistency, ctx);
  const std::vector<std::string> found = share_ranges(
      *team, job_name(*team, "node-scores", model, data, ctx), data,
      [&](const Dataset& range) {
        const NodeScores own = node_scores(model, range, consistency, ctx);
        return ByteWriter().put(own.nodes).put(own.values).take();
      },
      ctx);
  NodeScores whole;
  for (const std::string& bytes : found) {
    NodeScores part;
    ByteReader(bytes).get(part.nodes).get(part.values);
    CLADE_CHECK(whole.nodes == 0 || part.nodes == whole.nodes);
    CLADE_CHECK(std::ssize(part.values) == part.nodes * samples_from(whole.samples(), data));
    whole.nodes = part.nodes;
    whole.values.insert(whole.values.end(), part.values.begin(), part.values.end());
  }
  return whole;
}

}  // namespace clade
