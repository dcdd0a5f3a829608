#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clade {

// The parts of which pages are made: text, tables, figures, sections, and the whole self-contained document. The
// scripts of assets/ make tables sortable and add the buttons that save a table as CSV and a figure as SVG.

// Text for HTML, whatever bytes it has: special characters are escaped, invalid UTF-8 is replaced.
std::string html_escaped(std::string_view text);

// One cell of a table: what is shown, and the number behind it, by which rows are sorted and which CSV files hold.
struct PageCell {
  std::string text;
  std::optional<double> value;
  std::optional<double> bar;  // from 0 to 1: a bar of this length behind the text
  std::string mark = {};      // a class by which the style sheet marks it: "best" or "near"
};
PageCell text_cell(std::string_view text);
PageCell count_cell(std::int64_t count);
PageCell number_cell(std::optional<double> value);           // four digits, or a dash
PageCell share_cell(std::optional<double> value);            // the same with a bar
PageCell share_cell(std::int64_t part, std::int64_t whole);  // a dash if the whole is 0

struct PageColumn {
  std::string title;
  bool is_number = true;
  std::string help;  // a longer explanation; may be empty
};

struct PageTable {
  std::string name;  // of the file that is saved: letters, digits and hyphens
  std::string caption;
  std::vector<PageColumn> columns;
  std::vector<std::vector<PageCell>> rows;  // the first cell of a row names it
};
std::string table_html(const PageTable& table);

struct PageFigure {
  std::string name;  // of the file that is saved
  std::string title;
  std::string explanation;  // a sentence or two below the figure
  std::string description;  // what a reader who does not see it is told
  std::string svg;
  PageTable numbers;  // what is drawn; without rows: none
};
std::string figure_html(const PageFigure& figure);

struct PageSection {
  std::string id;
  std::string title;
  std::string body;  // HTML
};

struct Page {
  std::string title;
  std::string subtitle;
  std::vector<PageSection> sections;
  // Documents for the scripts, by the id of their element.
  std::vector<std::pair<std::string, std::string>> documents;
};
std::string page_html(const Page& page);

// <p>...</p> of plain text.
std::string paragraph_html(std::string_view text);

}  // namespace clade
