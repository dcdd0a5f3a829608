#include <clade/io.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace clade::cli {
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

std::string table(std::string_view title, const json& rows) {
  std::string text = fmt::format("{}\n", title);
  for (const auto& row : rows) {
    const auto endings = row["endings"].get<std::vector<std::string>>();
    text += fmt::format("  {:<14} {:<10} {:<24} {}\n", row["name"].get<std::string>(),
                        row["writes"].get<bool>() ? "read/write" : "read", fmt::format("{}", fmt::join(endings, " ")),
                        row["help"].get<std::string>());
  }
  return text;
}

class FormatsCommand : public Command {
 public:
  std::string_view name() const override { return "formats"; }
  std::string_view help() const override { return "list the formats of data and taxonomies"; }
  void declare(Arguments& arguments) override { arguments.examples("  clade formats\n"); }

  void run(Context& /*ctx*/, const CommonOptions& common) override {
    const json data = rows_of(data_format_infos());
    const json taxonomies = rows_of(taxonomy_format_infos());
    if (common.json) return print_json({{"data", data}, {"taxonomies", taxonomies}});
    print(table("data (--format, --to)", data) + "\n" + table("taxonomies (--taxonomy-format, --to)", taxonomies) +
          "\n.gz, .xz, .zst and .bz2 files are read and written as they are.\n");
  }
};

}  // namespace

std::unique_ptr<Command> make_formats_command() {
  return std::make_unique<FormatsCommand>();
}

}  // namespace clade::cli
