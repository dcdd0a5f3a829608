// The command-line tool: finds the command, sets up its context, and turns every outcome into an exit status.

#include <clade/context.h>
#include <clade/error.h>
#include <clade/team.h>
#include <clade/version.h>
#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "cli/command.h"
#include "cli/terminal.h"
#include "core/large_memory.h"
#include "core/loop_record.h"
#include "core/memory_size.h"
#include "report/version_report.h"

namespace {

using clade::Error;
using clade::with_flags;
using namespace clade::cli;

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

// For measurements of how Clade would scale (CONTRIBUTING.md): where a record of the parallel loops goes, if anywhere.
const char* loop_record_file() {
  return std::getenv("CLADE_LOOP_RECORD");  // NOLINT(concurrency-mt-unsafe): nothing sets variables meanwhile
}

// The cores that this process may use: mpirun and Slurm may bind it to some of those that there are.
int own_cores() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : CPU_SETSIZE;
}

// Processes on one machine share its cores and its memory.
int threads_of(const CommonOptions& common, const clade::Team& team) {
  if (common.threads != 0 || clade::size(team) == 1) return common.threads;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores / clade::processes_of_host(team), 1, own_cores());
}

double memory_of(const CommonOptions& common, const clade::Team& team) {
  if (!common.memory_limit.empty()) return clade::parse_bytes(common.memory_limit, "memory-limit");
  return clade::available_memory() / clade::processes_of_host(team);
}

int run(int argc, char** argv, const std::shared_ptr<clade::Team>& team,
        const std::shared_ptr<clade::CancelToken>& cancel) {
  if (loop_record_file() != nullptr) clade::record_loops();
  std::vector<CommandPage> pages;
  auto commands = all_commands(pages);
  CommonOptions common;
  const clade::ParameterTable common_table(common);
  std::vector<CommandEntry> entries;
  for (const auto& command : commands) {
    entries.push_back({command->name(), command->help(), [&common_table, &command](Arguments& arguments) {
                         command->declare(arguments);
                         arguments.parameters("Every command", common_table);
                       }});
  }
  const ParsedCommand choice = parse_command_line(argc, argv, entries, pages);
  if (choice.command < 0) {
    if (!choice.usage_error) {
      print(choice.text);
      return kDone;
    }
    if (clade::rank(*team) == 0) std::fputs(choice.text.c_str(), stderr);
    throw clade::usage_error("no command", "expected one of those above");
  }

  const auto display = std::make_shared<ProgressDisplay>(stderr);
  Command& command = *commands[static_cast<std::size_t>(choice.command)];
  clade::Context::Options options{
      .threads = threads_of(common, *team), .seed = static_cast<std::uint64_t>(common.seed), .cancel = cancel};
  common.request = choice.request;
  if (clade::size(*team) > 1) {
    clade::require_same(*team, "the version of Clade", CLADE_VERSION);
    clade::require_same(*team, "the build of Clade", clade::build_line(clade::program_build));
    clade::require_same(*team, "the command", choice.request);
    if (!command.is_shared() && clade::rank(*team) > 0) return kDone;
  }
  if (command.is_shared()) options.team = team;
  if (clade::rank(*team) > 0) common.quiet = true;
  if (!common.quiet) {
    options.progress = display;
  }
  if (!common.quiet || common.verbose) {
    options.log = [display, common](clade::LogLevel level, std::string_view message) {
      const bool is_wanted = level == clade::LogLevel::kDebug ? common.verbose : !common.quiet;
      if (!is_wanted) return;
      display->clear();
      const char* kind = level == clade::LogLevel::kWarning ? "warning: " : "";
      say(Colour::kYellow, fmt::format("{}{}", kind, with_flags(message)));
    };
  }
  clade::set_memory_limit(memory_of(common, *team));
  clade::Context ctx(std::move(options));
  clade::keep_freed_memory();
  if (!choice.note.empty()) ctx.info(choice.note);
  if (clade::size(*team) > 1 && !command.is_shared()) {
    ctx.info(fmt::format("clade {} is the work of one process; the others wait", command.name()));
  }
  try {
    const StepTime whole(ctx, "all");
    command.run(ctx, common);
    if (clade::size(*team) > 1) {
      ctx.log(clade::LogLevel::kDebug,
              fmt::format("sent: {:.0f} bytes to other processes, and waited {:.3f} s for them",
                          clade::bytes_sent(*team), clade::seconds_waited(*team)));
    }
    if (const clade::FiledMemory filed = clade::filed_memory(); filed.bytes > 0) {
      ctx.info(fmt::format("memory: {} went through temporary files in {}",
                           clade::bytes_text(static_cast<double>(filed.bytes)), filed.folder));
    }
  } catch (...) {
    display->clear();
    throw;
  }
  if (loop_record_file() != nullptr) clade::write_loop_record(loop_record_file());
  return kDone;
}

// Says why this process ends, or that the whole team does.
int fail(const std::shared_ptr<clade::Team>& team, const char* message, int status, bool was_asked = false) {
  if (!team || clade::size(*team) == 1) {
    say(Colour::kRed, with_flags(message));
    return status;
  }
  const std::string line = fmt::format("{}: {}", clade::place(*team), message);
  was_asked ? clade::stop(*team, status, line) : clade::fail(*team, status, line);
  return clade::failure(*team);
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away ends the work in order, and not at any point: no half-made files are left.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const auto cancel = std::make_shared<clade::CancelToken>();
  stop_on_signals(cancel);
  std::shared_ptr<clade::Team> team;
  try {
    team = clade::join_team({.print = [](const std::string& line) { say(Colour::kRed, with_flags(line)); },
                             .give_up = [cancel] { cancel->cancel(); },
                             .was_asked = [cancel] { return cancel->cancelled(); }});
    if (clade::rank(*team) > 0) be_silent();
    const int status = run(argc, argv, team, cancel);
    clade::finish(*team);
    return status;
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kClosed) end_by_closed_pipe();
    const int status = error.kind() == Error::Kind::kInput ? kBadInput : kFailed;
    return fail(team, error.what(), status, cancel->cancelled());
  } catch (const std::bad_alloc&) {
    return fail(team, "out of memory; expected data that fits, or --precision float or --storage sparse", kFailed);
  } catch (const std::exception& error) {
    return fail(team, error.what(), kFailed);
  }
}
