#include "report/paired_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_text.h"
#include "report/text_table.h"

namespace clade {
namespace {

std::vector<std::string> test_row(std::string_view measure, const ExchangeTest& test) {
  return {std::string(measure),          fmt::format("{:.4f}", test.a),
          fmt::format("{:.4f}", test.b), fmt::format("{:+.4f}", test.a - test.b),
          fmt::format("{:.4g}", test.p), test.exact ? "all exchanges" : "random exchanges"};
}

nlohmann::json test_json(const ExchangeTest& test) {
  return {{"a", test.a}, {"b", test.b}, {"difference", test.a - test.b}, {"p", test.p}, {"exact", test.exact}};
}

}  // namespace

std::string paired_text(const PairedComparison& c, const std::string& a, const std::string& b) {
  std::string text =
      fmt::format("A  {}\nB  {}\n{} samples, {} of them with different labels\n\n", a, b, c.samples, c.differing);
  text += aligned_table({{"", "A", "B", "A - B", "p", "by"},
                         test_row("accuracy", c.accuracy),
                         test_row("hierarchical_f1", c.hierarchical_f1)},
                        1, 5);
  text += fmt::format("\nright by A alone {}, by B alone {}: p {:.4g} (McNemar, exact)\n", c.mcnemar.only_a,
                      c.mcnemar.only_b, c.mcnemar.p);
  if (c.nodes.empty()) return text;
  std::vector<std::vector<std::string>> rows{{"node", "true", "f1 of A", "f1 of B", "right by A alone", "by B alone"}};
  for (const NodeDifference& node : c.nodes) {
    rows.push_back({node.node, std::to_string(node.support), fmt::format("{:.4f}", node.f1_a),
                    fmt::format("{:.4f}", node.f1_b), std::to_string(node.only_a), std::to_string(node.only_b)});
  }
  return text + "\nnodes where they differ most\n" + aligned_table(rows, 1);
}

std::string paired_json(const PairedComparison& c, const std::string& a, const std::string& b) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const NodeDifference& node : c.nodes) {
    nodes.push_back({{"node", node.node},
                     {"support", node.support},
                     {"f1_a", node.f1_a},
                     {"f1_b", node.f1_b},
                     {"only_a", node.only_a},
                     {"only_b", node.only_b}});
  }
  return json_text({{"a", a},
                    {"b", b},
                    {"samples", c.samples},
                    {"differing", c.differing},
                    {"accuracy", test_json(c.accuracy)},
                    {"hierarchical_f1", test_json(c.hierarchical_f1)},
                    {"mcnemar", {{"only_a", c.mcnemar.only_a}, {"only_b", c.mcnemar.only_b}, {"p", c.mcnemar.p}}},
                    {"nodes", std::move(nodes)}});
}

}  // namespace clade
