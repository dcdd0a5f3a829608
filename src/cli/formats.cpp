#include <clade/io.h>

#include "cli/command.h"
#include "report/format_report.h"

namespace clade::cli {
namespace {

class FormatsCommand : public Command {
 public:
  std::string_view name() const override { return "formats"; }
  std::string_view help() const override { return "list the formats of data and taxonomies"; }
  void declare(Arguments& arguments) override { arguments.examples("  clade formats\n"); }

  void run(Context& /*ctx*/, const CommonOptions& common) override {
    if (common.json) return print_json(formats_json(data_format_infos(), taxonomy_format_infos()));
    print(formats_text("data (--format, --to)", data_format_infos()) + "\n" +
          formats_text("taxonomies (--taxonomy-format, --to)", taxonomy_format_infos()) +
          "\n.gz, .xz, .zst and .bz2 files are read and written as they are.\n");
  }
};

}  // namespace

std::unique_ptr<Command> make_formats_command() {
  return std::make_unique<FormatsCommand>();
}

}  // namespace clade::cli
