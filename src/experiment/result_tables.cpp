#include <fmt/format.h>

#include <algorithm>

#include "experiment/results.h"

namespace clade {
namespace {

// One table: rows of methods, a column per data set, the average rank last where there are several.
struct MethodRows {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

// What differs between the two kinds of tables.
struct TableStyle {
  std::string (*text)(const std::string& text);
  const char* best;  // how a best value is marked
  const char* deviation;
};

MethodRows rows_of(const MeasuredMethods& measured, const MethodTests& tests, const TableStyle& style) {
  MethodRows table;
  table.header.emplace_back("method");
  for (const std::string& dataset : measured.datasets) table.header.push_back(style.text(dataset));
  if (tests.comparison) table.header.emplace_back("average rank");
  for (std::size_t m = 0; m < measured.methods.size(); ++m) {
    std::vector<std::string> row{style.text(measured.methods[m])};
    for (std::size_t d = 0; d < measured.datasets.size(); ++d) {
      const auto& place = measured.at(d, m);
      const auto mean = place.mean();
      if (!mean) {
        row.emplace_back("");
        continue;
      }
      std::string value = fmt::format("{:.4f}", *mean);
      if (measured.is_best(d, m)) value = fmt::format(fmt::runtime(style.best), value);
      if (const auto deviation = place.deviation()) value += fmt::format(fmt::runtime(style.deviation), *deviation);
      row.push_back(std::move(value));
    }
    if (tests.comparison) row.push_back(fmt::format("{:.2f}", tests.comparison->ranks.average[m]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string markdown_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string latex_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\textbackslash{}";
    } else if (c == '~' || c == '^') {
      escaped += fmt::format("\\{}{{}}", c);
    } else {
      if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

// Characters, not bytes.
std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string markdown_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line = "|";
  for (std::size_t k = 0; k < cells.size(); ++k) {
    line += " " + cells[k] + std::string(widths[k] - shown_width(cells[k]), ' ') + " |";
  }
  return line + "\n";
}

// A sentence on the ranks.
std::string rank_sentence(const MethodTests& tests) {
  if (!tests.comparison) return {};
  return fmt::format(
      "Friedman test over {} data sets: p = {:.4g}. Average ranks that differ by {:.2f} differ "
      "significantly (Nemenyi, 0.05).",
      tests.datasets.size(), tests.comparison->friedman.p_tie_corrected, tests.comparison->nemenyi.distance);
}

}  // namespace

std::string tables_markdown(const std::vector<MeasuredMethods>& measured, const std::vector<MethodTests>& tests) {
  std::string text;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const MethodRows table = rows_of(measured[k], tests[k], {markdown_text, "**{}**", " ± {:.4f}"});
    std::vector<std::size_t> widths;
    for (const std::string& cell : table.header) widths.push_back(shown_width(cell));
    for (const auto& row : table.rows) {
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], shown_width(row[c]));
    }
    text += fmt::format("{}{} ({} is better)\n\n", text.empty() ? "" : "\n", measured[k].measure,
                        measured[k].higher_is_better ? "higher" : "lower");
    text += markdown_line(table.header, widths) + "|";
    for (const std::size_t width : widths) text += std::string(width + 2, '-') + "|";
    text += "\n";
    for (const auto& row : table.rows) text += markdown_line(row, widths);
    for (const std::string& sentence : {rank_sentence(tests[k]), tests[k].note}) {
      if (!sentence.empty()) text += "\n" + sentence + "\n";
    }
  }
  return text;
}

std::string tables_latex(const std::vector<MeasuredMethods>& measured, const std::vector<MethodTests>& tests) {
  std::string text;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const MethodRows table = rows_of(measured[k], tests[k], {latex_text, "\\textbf{{{}}}", " $\\pm$ {:.4f}"});
    text += fmt::format("{}\\begin{{table}}\n\\caption{{{} ({} is better). {}}}\n\\begin{{tabular}}{{l{}}}\n\\hline\n",
                        text.empty() ? "" : "\n", latex_text(measured[k].measure),
                        measured[k].higher_is_better ? "higher" : "lower", latex_text(rank_sentence(tests[k])),
                        std::string(table.header.size() - 1, 'r'));
    text += fmt::format("{} \\\\\n\\hline\n", fmt::join(table.header, " & "));
    for (const auto& row : table.rows) text += fmt::format("{} \\\\\n", fmt::join(row, " & "));
    text += "\\hline\n\\end{tabular}\n\\end{table}\n";
  }
  return text;
}

}  // namespace clade
