#pragma once

#include <clade/context.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace clade::cli {

// Progress. On a terminal: one line, redrawn again and again, with a bar, a rate and the time left. Elsewhere (a log
// file, a pipe): a plain line every ten seconds, whatever the number of tasks, so that logs stay readable. Work of less
// than half a second shows nothing.
class ProgressDisplay : public ProgressSink {
 public:
  explicit ProgressDisplay(std::FILE* stream);
  void update(std::string_view task, std::int64_t done, std::int64_t total) override;
  // Removes the line, so that other text can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* stream_;
  bool terminal_;
  bool drawn_ = false;
  std::string task_;
  Clock::time_point started_;
  Clock::time_point last_line_;
};

// "1 h 02 min", "3 min 10 s", "12 s".
std::string duration_text(double seconds);
// The text of a progress line: bar (on a terminal), percentage, rate and time left.
std::string progress_line(std::string_view task, std::int64_t done, std::int64_t total, double seconds, bool bar);

// Names come from files, and must not control the terminal: control characters other than those `kept` become "\x1b".
std::string without_controls(std::string_view text, std::string_view kept);

// Writes one line to standard error: "clade: message". On a terminal the name is coloured, unless NO_COLOR is set.
enum class Colour { kRed, kYellow };
void say(Colour colour, std::string_view message);

// Ends the program as the system does when the reader of a pipe has gone: at once, and without a word.
[[noreturn]] void end_by_closed_pipe();

// Ctrl-C and termination requests set the token; a second Ctrl-C ends the program at once.
void stop_on_signals(const std::shared_ptr<CancelToken>& token);

}  // namespace clade::cli
