#include <clade/error.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

#include "cli/command.h"
#include "cli/terminal.h"
#include "report/json_text.h"
#include "report/parameter_tables.h"

namespace clade::cli {

StepTime::~StepTime() {
  if (std::uncaught_exceptions() > 0) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  ctx_.log(LogLevel::kDebug, fmt::format("{}: {:.3f} s", step_, seconds));
}

std::vector<std::unique_ptr<Command>> all_commands(const std::vector<CommandPage>& pages) {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_info_command());
  commands.push_back(make_convert_command());
  commands.push_back(make_split_command());
  commands.push_back(make_synth_command());
  commands.push_back(make_wordnet_command());
  commands.push_back(make_learn_taxonomy_command());
  commands.push_back(make_feature_tree_command());
  commands.push_back(make_select_command());
  commands.push_back(make_cluster_command());
  commands.push_back(make_train_command());
  commands.push_back(make_predict_command());
  commands.push_back(make_explain_command());
  commands.push_back(make_evaluate_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_plan_command());
  commands.push_back(make_experiment_command());
  commands.push_back(make_diagnose_command());
  commands.push_back(make_report_command());
  commands.push_back(make_methods_command());
  commands.push_back(make_formats_command());
  commands.push_back(make_help_command(pages));
  commands.push_back(make_man_command(pages));
  commands.push_back(make_completion_command(pages));
  return commands;
}

namespace {

bool is_silent = false;

}  // namespace

void be_silent() {
  is_silent = true;
}

void print(std::string_view text) {
  if (is_silent) return;
  std::string shown;
  if (::isatty(STDOUT_FILENO) != 0) text = shown = without_controls(text, "\n\t");
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) throw system_error("standard output", "cannot write", errno);
}

void print_json(const std::string& document) {
  print(document + "\n");
}

void show_methods(const std::vector<MethodInfo>& methods, bool as_json) {
  as_json ? print_json(methods_json(methods)) : print(with_flags(methods_text(methods, "--")));
}

}  // namespace clade::cli
