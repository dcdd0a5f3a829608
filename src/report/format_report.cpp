#include "report/format_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "report/json_text.h"

namespace clade {
namespace {

using nlohmann::json;

json rows_of(const std::vector<FormatInfo>& formats) {
  json rows = json::array();
  for (const FormatInfo& format : formats) {
    rows.push_back(
        {{"name", format.name}, {"endings", format.endings}, {"writes", format.writes}, {"help", format.help}});
  }
  return rows;
}

}  // namespace

std::string formats_text(std::string_view title, const std::vector<FormatInfo>& formats) {
  std::string text = fmt::format("{}\n", title);
  for (const FormatInfo& format : formats) {
    text += fmt::format("  {:<14} {:<10} {:<24} {}\n", format.name, format.writes ? "read/write" : "read",
                        fmt::format("{}", fmt::join(format.endings, " ")), format.help);
  }
  return text;
}

std::string formats_json(const std::vector<FormatInfo>& data, const std::vector<FormatInfo>& taxonomies) {
  return json_text({{"data", rows_of(data)}, {"taxonomies", rows_of(taxonomies)}});
}

}  // namespace clade
