#include "pipeline/node_rows.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/json.h"
#include "io/csv/csv_record.h"
#include "io/number.h"

namespace clade {
namespace {

constexpr std::string_view kQuoted = "\"\r\n,";

// Calls visit(node, score) for the nodes of a sample that are written.
template <class Visit>
void for_each_above_threshold(std::span<const double> scores, double threshold, const Visit& visit) {
  for (std::size_t node = 1; node < scores.size(); ++node) {
    if (scores[node] > threshold) visit(static_cast<NodeId>(node), scores[node]);
  }
}

}  // namespace

void write_node_rows(const NodeScores& scores, double threshold, const Dataset& data, Sink& sink, bool has_header) {
  if (has_header) sink.write("sample,node,score\n");
  std::string text;
  for (Index s = 0; s < data.samples(); ++s) {
    std::string sample;
    append_csv_field(sample, data.sample_name(s), kQuoted);
    text.clear();
    for_each_above_threshold(scores.of(s), threshold, [&](NodeId node, double score) {
      text += sample;
      text += ',';
      append_csv_field(text, data.taxonomy().name(node), kQuoted);
      text += ',';
      append_number(text, score);
      text += '\n';
    });
    sink.write(text);
  }
}

void write_node_objects(const NodeScores& scores, double threshold, const Dataset& data, Sink& sink) {
  for (Index s = 0; s < data.samples(); ++s) {
    nlohmann::json nodes = nlohmann::json::array();
    for_each_above_threshold(scores.of(s), threshold, [&](NodeId node, double score) {
      nodes.push_back({{"node", data.taxonomy().name(node)}, {"score", score}});
    });
    sink.write(dump_json({{"sample", data.sample_name(s)}, {"nodes", std::move(nodes)}}) + "\n");
  }
}

}  // namespace clade
