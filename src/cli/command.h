#pragma once

#include <clade/context.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"

namespace clade::cli {

// Options of every command.
struct CommonOptions {
  int threads = 0;
  std::int64_t seed = 1;
  std::string memory_limit;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  std::string request;  // not an option: ParsedCommand::request
};

template <class V>
void describe(V& v, CommonOptions& o) {
  v("threads", o.threads, between(0, 1024), "number of threads; 0: one per core; never changes a result");
  v("seed", o.seed, nonnegative(), "seed of all random numbers");
  v("memory-limit", o.memory_limit,
    "memory to stay within, such as 8G; larger data go through temporary files, and no result changes (by default that "
    "of the machine, the control group and the shell)");
  v("quiet", o.quiet, "no progress and no notes on standard error");
  v("verbose", o.verbose, "the time of each step on standard error");
  v("json", o.json, "one JSON document on standard output, and nothing else there");
}

// One command of the tool: its arguments and its work. To add one, write its file, a row in commands.cpp, a test and a
// page.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view help() const = 0;
  virtual void declare(Arguments& arguments) = 0;
  // Do processes that were started together share the work? Otherwise the leader does it alone.
  virtual bool is_shared() const { return false; }
  // Writes the result to standard output. Throws Error.
  virtual void run(Context& ctx, const CommonOptions& common) = 0;
};

// Logs, when it ends, how long it has existed.
class StepTime {
 public:
  StepTime(Context& ctx, std::string_view step) : ctx_(ctx), step_(step) {}
  ~StepTime();
  StepTime(const StepTime&) = delete;
  StepTime& operator=(const StepTime&) = delete;

 private:
  Context& ctx_;
  std::string_view step_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::unique_ptr<Command> make_info_command();
std::unique_ptr<Command> make_convert_command();
std::unique_ptr<Command> make_split_command();
std::unique_ptr<Command> make_synth_command();
std::unique_ptr<Command> make_wordnet_command();
std::unique_ptr<Command> make_learn_taxonomy_command();
std::unique_ptr<Command> make_feature_tree_command();
std::unique_ptr<Command> make_select_command();
std::unique_ptr<Command> make_cluster_command();
std::unique_ptr<Command> make_train_command();
std::unique_ptr<Command> make_predict_command();
std::unique_ptr<Command> make_explain_command();
std::unique_ptr<Command> make_evaluate_command();
std::unique_ptr<Command> make_compare_command();
std::unique_ptr<Command> make_plan_command();
std::unique_ptr<Command> make_experiment_command();
std::unique_ptr<Command> make_diagnose_command();
std::unique_ptr<Command> make_report_command();
std::unique_ptr<Command> make_methods_command();
std::unique_ptr<Command> make_formats_command();
// Those that explain the others; `pages` is filled before they run.
std::unique_ptr<Command> make_help_command(const std::vector<CommandPage>& pages);
std::unique_ptr<Command> make_man_command(const std::vector<CommandPage>& pages);
std::unique_ptr<Command> make_completion_command(const std::vector<CommandPage>& pages);
std::vector<std::unique_ptr<Command>> all_commands(const std::vector<CommandPage>& pages);

// Does a step of a command; --verbose says how long it took.
template <class Work>
auto timed(Context& ctx, std::string_view step, const Work& work) {
  const StepTime time(ctx, step);
  return work();
}

// From now on, print() prints nothing: the leader of a team speaks for all.
void be_silent();
// Writes to standard output; throws Error if that fails (kSystem: a full disk; kClosed: a reader that has gone).
void print(std::string_view text);
// Prints a JSON document (report/json_text.h).
void print_json(const std::string& document);
// Prints methods with their parameters, as text or as JSON.
void show_methods(const std::vector<MethodInfo>& methods, bool as_json);

}  // namespace clade::cli
