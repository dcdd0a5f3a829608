// The command-line tool: finds the command, sets up its context, and turns every outcome into an exit status.

#include <clade/context.h>
#include <clade/error.h>
#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "cli/command.h"
#include "cli/terminal.h"
#include "core/large_memory.h"
#include "core/loop_record.h"
#include "core/memory_size.h"

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

int run(int argc, char** argv) {
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
    std::fputs(choice.text.c_str(), stderr);
    throw clade::usage_error("no command", "expected one of those above");
  }

  const auto display = std::make_shared<ProgressDisplay>(stderr);
  const auto cancel = std::make_shared<clade::CancelToken>();
  stop_on_signals(cancel);
  clade::Context::Options options{
      .threads = common.threads, .seed = static_cast<std::uint64_t>(common.seed), .cancel = cancel};
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
  clade::set_memory_limit(common.memory_limit.empty() ? clade::available_memory()
                                                      : clade::parse_bytes(common.memory_limit, "memory-limit"));
  clade::Context ctx(std::move(options));
  clade::keep_freed_memory();
  if (!choice.note.empty()) ctx.info(choice.note);
  try {
    const StepTime whole(ctx, "all");
    commands[static_cast<std::size_t>(choice.command)]->run(ctx, common);
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

int fail(const char* message, int status) {
  say(Colour::kRed, with_flags(message));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away ends the work in order, and not at any point: no half-made files are left.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kClosed) end_by_closed_pipe();
    return fail(error.what(), error.kind() == Error::Kind::kInput ? kBadInput : kFailed);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; expected data that fits, or --precision float or --storage sparse", kFailed);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailed);
  }
}
