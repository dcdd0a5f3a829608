#include "report/page/html.h"

#include <clade/version.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "report/page/assets.h"
#include "report/svg.h"
#include "report/text_table.h"

namespace clade {
namespace {

constexpr std::string_view kNoValue = "–";

// The page may not load anything, and sends nothing.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

std::string valid_utf8(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return std::string(text);
  return parse_json(dump_json(nlohmann::json(text))).get<std::string>();
}

std::string cell_html(const PageCell& cell, const PageColumn& column, bool is_first) {
  std::string attributes = is_first ? " scope=\"row\"" : "";
  std::string classes = column.is_number ? (cell.bar ? "n bar" : "n") : "";
  if (!cell.mark.empty()) classes += (classes.empty() ? "" : " ") + cell.mark;
  if (!classes.empty()) attributes += fmt::format(" class=\"{}\"", classes);
  if (cell.value) attributes += fmt::format(" data-v=\"{}\"", *cell.value);
  if (cell.bar)
    attributes += fmt::format(" style=\"background-size:{:.1f}% 70%\"", 94 * std::clamp(*cell.bar, 0.0, 1.0));
  const std::string_view element = is_first ? "th" : "td";
  return fmt::format("<{0}{1}>{2}</{0}>", element, attributes, html_escaped(cell.text));
}

std::string header_html(const PageColumn& column) {
  const std::string help = column.help.empty() ? "" : fmt::format(" title=\"{}\"", html_escaped(column.help));
  return fmt::format("<th scope=\"col\"{}{}>{}</th>", column.is_number ? " class=\"n\"" : "", help,
                     html_escaped(column.title));
}

std::string navigation_html(const std::vector<PageSection>& sections) {
  std::string links;
  for (const PageSection& section : sections) {
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, html_escaped(section.title));
  }
  return fmt::format("<nav aria-label=\"Contents\"><ul>{}</ul></nav>\n", links);
}

std::string section_html(const PageSection& section) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n", section.id,
      html_escaped(section.title), section.body);
}

// Inside a script element nothing is escaped, but its end must not occur.
std::string document_html(const std::string& id, std::string text) {
  std::string safe;
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, safe);
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string plain = valid_utf8(text);
  std::ranges::replace_if(plain, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return svg_escaped(plain);
}

PageCell text_cell(std::string_view text) {
  return {std::string(text), {}, {}};
}

PageCell count_cell(std::int64_t count) {
  return {grouped(count), static_cast<double>(count), {}};
}

PageCell number_cell(std::optional<double> value) {
  return {value ? fmt::format("{:.4f}", *value) : std::string(kNoValue), value, {}};
}

PageCell share_cell(std::optional<double> value) {
  PageCell cell = number_cell(value);
  cell.bar = value;
  return cell;
}

PageCell share_cell(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return share_cell(std::optional<double>());
  return share_cell(static_cast<double>(part) / static_cast<double>(whole));
}

std::string table_html(const PageTable& table) {
  std::string head;
  for (const PageColumn& column : table.columns) head += header_html(column);
  std::string body;
  for (const auto& row : table.rows) {
    body += "<tr>";
    for (std::size_t k = 0; k < row.size(); ++k) body += cell_html(row[k], table.columns[k], k == 0);
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"table\" data-name=\"{}\"><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">"
      "<table>\n<caption>{}</caption>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table></div></div>\n",
      table.name, html_escaped(table.caption), html_escaped(table.caption), head, body);
}

std::string figure_html(const PageFigure& figure) {
  std::string numbers;
  if (!figure.numbers.rows.empty()) {
    numbers = fmt::format("<details class=\"numbers\"><summary>Numbers</summary>\n{}</details>\n",
                          table_html(figure.numbers));
  }
  return fmt::format(
      "<figure data-name=\"{}\">\n<h3>{}</h3>\n<div class=\"picture\" role=\"img\" aria-label=\"{}\">\n{}</div>\n"
      "<figcaption>{}</figcaption>\n{}</figure>\n",
      figure.name, html_escaped(figure.title), html_escaped(figure.description), figure.svg,
      html_escaped(figure.explanation), numbers);
}

std::string paragraph_html(std::string_view text) {
  return fmt::format("<p>{}</p>\n", html_escaped(text));
}

std::string page_html(const Page& page) {
  std::string sections;
  for (const PageSection& section : page.sections) sections += section_html(section);
  std::string documents;
  for (const auto& [id, text] : page.documents) documents += document_html(id, text);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"Clade {}\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
      "<header>\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n{}</header>\n"
      "<main id=\"content\">\n<noscript><p>Sorting, downloads and the explorer need JavaScript; the tables and figures "
      "do not.</p></noscript>\n{}</main>\n<footer><p>Made by Clade {}.</p></footer>\n{}<script>\n{}</script>\n"
      "</body>\n</html>\n",
      kPolicy, CLADE_VERSION, html_escaped(page.title), page_style(), html_escaped(page.title),
      html_escaped(page.subtitle), navigation_html(page.sections), sections, CLADE_VERSION, documents, page_script());
}

}  // namespace clade
