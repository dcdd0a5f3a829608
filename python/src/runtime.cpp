#include "runtime.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "arrays.h"
#include "bindings.h"

namespace clade::python {
namespace {

// The work that Ctrl-C cancels, and what Python does on it.
std::atomic<CancelToken*> g_interrupted{nullptr};
struct sigaction g_python_action;

void on_interrupt(int signal, siginfo_t* info, void* state) {
  if (CancelToken* token = g_interrupted.load()) token->cancel();
  if ((g_python_action.sa_flags & SA_SIGINFO) != 0) {
    g_python_action.sa_sigaction(signal, info, state);
  } else {
    g_python_action.sa_handler(signal);
  }
}

// The calls of all threads. Threads may be at work when the interpreter ends, which ends every thread that asks for its
// lock from then on; inside a call, that would abort the process.
class RunningCalls {
 public:
  void add(CancelToken& token) {
    const std::lock_guard guard(mutex_);
    tokens_.insert(&token);
    if (is_closed_) token.cancel();
  }
  void remove(CancelToken& token) {
    const std::lock_guard guard(mutex_);
    tokens_.erase(&token);
    none_.notify_all();
  }
  bool is_closed() const {
    const std::lock_guard guard(mutex_);
    return is_closed_;
  }
  // Cancels all and waits until they are gone, though not forever.
  void close() {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    for (CancelToken* token : tokens_) token->cancel();
    none_.wait_for(lock, std::chrono::seconds(10), [this] { return tokens_.empty(); });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable none_;
  std::set<CancelToken*> tokens_;
  bool is_closed_ = false;
};
RunningCalls* g_calls = new RunningCalls;  // never destroyed: threads may outlive the static objects

// A forked process has none of the threads of its parent.
void forget_calls() {
  g_calls = new RunningCalls;
}

// Only the main thread of Python sees interrupts.
bool is_main_thread() {
  return ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid));
}

bool is_parameter_name(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

// What the command line says by a flag that Python has not.
constexpr std::pair<std::string_view, std::string_view> kOtherWords[] = {
    {"`force`", "`overwrite`"}, {"`storage` dense", "dense data"}, {"`storage` sparse", "sparse data"}};

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
  }
  return "info";
}

// The exceptions that users of Python see; the module keeps them.
struct Exceptions {
  py::object input;
  py::object system;
  py::object internal;
};
Exceptions& exceptions() {
  static auto* kept = new Exceptions;  // never destroyed: the interpreter may be gone by then
  return *kept;
}

py::object new_exception(py::module_& module, const char* name, const char* doc, const py::object& bases) {
  const std::string full = std::string("clade.") + name;
  py::object type =
      py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr));
  if (!type) throw py::error_already_set();
  module.attr(name) = type;
  return type;
}

void translate(std::exception_ptr raised) {
  try {
    if (raised) std::rethrow_exception(raised);
  } catch (const Error& error) {
    const py::str message = text_of(with_keywords(error.what()));
    switch (error.kind()) {
      case Error::Kind::kInput:
        PyErr_SetObject(exceptions().input.ptr(), message.ptr());
        break;
      case Error::Kind::kCancelled:  // threads end in silence with SystemExit
        PyErr_SetObject(g_calls->is_closed() ? PyExc_SystemExit : PyExc_KeyboardInterrupt, message.ptr());
        break;
      case Error::Kind::kSystem:
      case Error::Kind::kClosed:
        PyErr_SetObject(exceptions().system.ptr(), message.ptr());
        break;
      case Error::Kind::kInternal:
        PyErr_SetObject(exceptions().internal.ptr(), message.ptr());
        break;
    }
  }
}

}  // namespace

InterruptScope::InterruptScope(CancelToken& token) {
  if (!is_main_thread() || g_interrupted.load() != nullptr) return;
  struct sigaction present;
  if (::sigaction(SIGINT, nullptr, &present) != 0) return;
  const bool has_handler =
      (present.sa_flags & SA_SIGINFO) != 0 || (present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN);
  if (!has_handler) return;
  g_python_action = present;
  struct sigaction action = present;
  action.sa_sigaction = on_interrupt;
  action.sa_flags |= SA_SIGINFO;
  g_interrupted.store(&token);
  is_installed_ = ::sigaction(SIGINT, &action, nullptr) == 0;
  if (!is_installed_) g_interrupted.store(nullptr);
}

InterruptScope::~InterruptScope() {
  if (!is_installed_) return;
  ::sigaction(SIGINT, &g_python_action, nullptr);
  g_interrupted.store(nullptr);
}

class CallContext::Progress : public ProgressSink {
 public:
  Progress(CallContext& call, py::object report) : call_(call), report_(std::move(report)) {}
  ~Progress() override {
    const py::gil_scoped_acquire locked;
    report_ = {};
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::string_view task, std::int64_t done, std::int64_t total) override {
    const py::gil_scoped_acquire locked;
    try {
      report_(text_of(std::string(task)), done, total);
    } catch (...) {
      call_.keep(std::current_exception());
    }
  }

 private:
  CallContext& call_;
  py::object report_;
};

CallContext::CallContext(const Settings& settings) : cancel_(std::make_shared<CancelToken>()) {
  Context::Options options{.threads = settings.threads, .seed = settings.seed, .cancel = cancel_};
  if (!settings.log.is_none()) {
    options.log = [this, report = py::handle(settings.log)](LogLevel level, std::string_view message) {
      const py::gil_scoped_acquire locked;
      try {
        report(level_name(level), text_of(with_keywords(message)));
      } catch (...) {
        keep(std::current_exception());
      }
    };
  }
  if (!settings.progress.is_none()) options.progress = std::make_shared<Progress>(*this, settings.progress);
  context_ = std::make_unique<Context>(std::move(options));
  interrupt_ = std::make_unique<InterruptScope>(*cancel_);
  g_calls->add(*cancel_);
}

CallContext::~CallContext() {
  g_calls->remove(*cancel_);
}

void CallContext::keep(std::exception_ptr raised) {
  const std::lock_guard guard(mutex_);
  if (!raised_) raised_ = raised;
  cancel_->cancel();
}

void CallContext::rethrow() {
  if (raised_) std::rethrow_exception(raised_);
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::string with_keywords(std::string_view message) {
  std::string text(message);
  for (const auto& [flag, words] : kOtherWords) {
    for (std::size_t at = text.find(flag); at != std::string::npos; at = text.find(flag, at + words.size())) {
      text.replace(at, flag.size(), words);
    }
  }
  for (std::size_t begin = text.find('`'); begin != std::string::npos;) {
    const std::size_t end = text.find('`', begin + 1);
    if (end == std::string::npos) break;
    if (is_parameter_name(std::string_view(text).substr(begin + 1, end - begin - 1))) {
      for (std::size_t k = begin; k < end; ++k) {
        if (text[k] == '-') text[k] = '_';
      }
    }
    begin = text.find('`', end + 1);
  }
  return text;
}

py::list notes_of(std::span<const std::string> notes) {
  py::list list;
  for (const std::string& note : notes) list.append(text_of(with_keywords(note)));
  return list;
}

void bind_runtime(py::module_& module) {
  const py::object base =
      new_exception(module, "Error", "What went wrong, in one line; the base of Clade's exceptions.",
                    py::handle(PyExc_Exception).cast<py::object>());
  const auto also = [&](PyObject* type) { return py::make_tuple(base, py::handle(type)); };
  exceptions().input =
      new_exception(module, "InputError", "Bad input or wrong usage: the user can mend it.", also(PyExc_ValueError));
  exceptions().system = new_exception(module, "SystemFailure",
                                      "The system refused: no permission, disk full, no memory.", also(PyExc_OSError));
  exceptions().internal =
      new_exception(module, "InternalError", "A broken invariant: a bug in Clade.", also(PyExc_RuntimeError));
  py::register_exception_translator(translate);

  py::class_<Settings>(module, "Settings")
      .def(py::init([](int threads, std::uint64_t seed, py::object log, py::object progress) {
             return Settings{threads, seed, std::move(log), std::move(progress)};
           }),
           py::arg("threads") = 0, py::arg("seed") = 1, py::arg("log") = py::none(), py::arg("progress") = py::none())
      .def_readonly("threads", &Settings::threads)
      .def_readonly("seed", &Settings::seed);

  ::pthread_atfork(nullptr, nullptr, &forget_calls);
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const py::gil_scoped_release released;
    g_calls->close();
  }));

  module.def("use_openblas", &use_openblas, py::arg("path"));
}

}  // namespace clade::python
