#include "cli/terminal.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>

namespace clade::cli {
namespace {

constexpr int kBarCells = 24;
constexpr double kQuietSeconds = 0.5;
constexpr double kPlainLineSeconds = 10;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string bar_of(double share) {
  const int full = std::clamp(static_cast<int>(share * kBarCells), 0, kBarCells);
  std::string bar = "[";
  bar.append(static_cast<std::size_t>(full), '#');
  bar.append(static_cast<std::size_t>(kBarCells - full), '.');
  return bar + "] ";
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f} M/s", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.1f} k/s", per_second / 1e3);
  return fmt::format("{:.1f}/s", per_second);
}

CancelToken* signalled_token = nullptr;

extern "C" void on_signal(int signal_number) {
  if (signalled_token == nullptr || signalled_token->cancelled()) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
    return;
  }
  signalled_token->cancel();
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

std::string progress_line(std::string_view task, std::int64_t done, std::int64_t total, double seconds, bool bar) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  std::string line = fmt::format("{} {}{:3.0f} %", task, bar ? bar_of(share) : "", 100 * share);
  if (seconds > 0 && done > 0) line += fmt::format(", {}", rate_text(static_cast<double>(done) / seconds));
  if (done > 0 && done < total) line += fmt::format(", {} left", duration_text(seconds * (1 - share) / share));
  return line;
}

ProgressDisplay::ProgressDisplay(std::FILE* stream)
    : stream_(stream), terminal_(::isatty(::fileno(stream)) != 0), last_line_(Clock::now()) {}

void ProgressDisplay::update(std::string_view task, std::int64_t done, std::int64_t total) {
  if (task != task_ || done == 0) {
    clear();
    task_ = task;
    started_ = Clock::now();
    return;
  }
  const double seconds = seconds_since(started_);
  if (seconds < kQuietSeconds) return;
  const std::string line = progress_line(task, done, total, seconds, terminal_);
  if (terminal_) {
    std::fputs(fmt::format("\r\x1b[K{}", line).c_str(), stream_);
    drawn_ = true;
    if (done >= total) clear();
    std::fflush(stream_);
  } else if (done < total && seconds_since(last_line_) >= kPlainLineSeconds) {
    std::fputs(fmt::format("clade: {}\n", line).c_str(), stream_);
    last_line_ = Clock::now();
  }
}

void ProgressDisplay::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  drawn_ = false;
}

std::string without_controls(std::string_view text, std::string_view kept) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {  // U+0080 to U+009F control terminals, too
      shown += fmt::format("\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 || byte == 0x7F) && kept.find(text[i]) == std::string_view::npos) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[i];
    }
  }
  return shown;
}

void say(Colour colour, std::string_view message) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_coloured = ::isatty(STDERR_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
                           terminal != nullptr && std::string_view(terminal) != "dumb";
  const int code = colour == Colour::kRed ? 31 : 33;
  const std::string name = is_coloured ? fmt::format("\x1b[{}mclade:\x1b[0m", code) : "clade:";
  std::fputs(fmt::format("{} {}\n", name, without_controls(message, "")).c_str(), stderr);
}

void end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);  // where the signal is blocked
}

void stop_on_signals(const std::shared_ptr<CancelToken>& token) {
  static std::shared_ptr<CancelToken> kept;  // lives as long as the handler may run
  kept = token;
  signalled_token = kept.get();
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

}  // namespace clade::cli
