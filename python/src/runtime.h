#pragma once

#include <clade/context.h>
#include <clade/error.h>
#include <clade/parameters.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

namespace clade::python {

namespace py = pybind11;

// The settings of calls, as Python gives them: every call makes a context of its own from them, so that calls of
// several threads do not disturb each other and a forked process has no threads to miss.
struct Settings {
  int threads = 0;
  std::uint64_t seed = 1;
  py::object log;       // called with a level ("debug", "info", "warning") and a message; None: messages are dropped
  py::object progress;  // called with a task, what is done and the total; None: nothing is reported
};

// Options and parameters by name, as text.
using Texts = std::map<std::string, std::string>;

// Cancels the work of the main thread on Ctrl-C, while it exists, and lets Python's own handler know, too.
class InterruptScope {
 public:
  explicit InterruptScope(CancelToken& token);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  bool is_installed_ = false;
};

// The context of one call. Callbacks take the lock of the interpreter; if one raises, the work is cancelled, and
// rethrow() raises it again.
class CallContext {
 public:
  explicit CallContext(const Settings& settings);
  ~CallContext();
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;
  Context& context() { return *context_; }
  // Raises what stopped the work, if it was not an error of its own: an exception of a callback, or an interrupt. Both
  // may come too late to stop it.
  void rethrow();

 private:
  void keep(std::exception_ptr raised);

  class Progress;
  std::shared_ptr<CancelToken> cancel_;
  std::mutex mutex_;
  std::exception_ptr raised_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<InterruptScope> interrupt_;
};

// Runs `work`, which takes a context, without the lock of the interpreter.
template <class Work>
auto run(const Settings& settings, Work&& work) {
  CallContext call(settings);
  const auto unlocked = [&] {
    const py::gil_scoped_release released;
    return std::forward<Work>(work)(call.context());
  };
  try {
    if constexpr (std::is_void_v<decltype(unlocked())>) {
      unlocked();
      call.rethrow();
    } else {
      auto result = unlocked();
      call.rethrow();
      return result;
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kCancelled) throw;
    call.rethrow();
    throw;
  }
}

// Sets options that are declared by describe(), by their names.
template <class Options>
Options with_options(Options options, const Texts& texts) {
  ParameterTable table(options);
  for (const auto& [name, text] : texts) table.set(name, text);
  return options;
}

inline Parameters parameters_of(const Texts& texts) {
  return {texts.begin(), texts.end()};
}

// A message of the library as a user of Python reads it: parameters in backquotes are keywords.
std::string with_keywords(std::string_view message);

void bind_runtime(py::module_& module);

}  // namespace clade::python
