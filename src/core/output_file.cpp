#include "core/output_file.h"

#include <clade/error.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <utility>

namespace clade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 1U << 20U;
constexpr std::string_view kTemporary = ".tmp.";
constexpr std::size_t kRandomDigits = 16;
constexpr std::size_t kLongestName = 255;

// How the names of a path's temporary files begin: with its own name, cut if the whole would be too long.
std::string temporary_prefix(const std::string& path) {
  const fs::path whole(path);
  const std::string name = whole.filename().string().substr(0, kLongestName - kTemporary.size() - kRandomDigits);
  return (whole.parent_path() / name).string() + std::string(kTemporary);
}

std::string random_digits() {
  std::random_device random;
  std::string digits;
  while (digits.size() < kRandomDigits) digits += "0123456789abcdef"[random() % 16];
  return digits;
}

// A running process holds a lock on its temporary files; the lock ends with the process, however it dies.
bool lock(int descriptor) {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
}

// The temporary files that this process has not put in place yet.
class OwnTemporaries {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_.insert(name);
  }
  void forget(const std::string& name) noexcept {
    const std::lock_guard lock(mutex_);
    names_.erase(name);
  }
  void remove_all() {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : names_) ::unlink(name.c_str());
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

OwnTemporaries& own_temporaries() {
  static auto* const all = new OwnTemporaries;  // files may be open when the process ends
  return *all;
}

// How a name begins if it is one of a temporary file; else nothing.
std::string_view prefix_of(std::string_view name) {
  if (name.size() < kTemporary.size() + kRandomDigits) return {};
  const std::string_view prefix = name.substr(0, name.size() - kRandomDigits);
  const bool has_digits = name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
  return has_digits && prefix.ends_with(kTemporary) ? prefix : std::string_view();
}

// Removes the temporary files of processes that are gone, with such a prefix; empty: any. A file that cannot be locked
// stays: either a running process is writing it, or the file system has no locks.
void remove_leftovers(const fs::path& folder, const std::string& prefix) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string found = entry->path().filename().string();
    const std::string_view own = prefix_of(found);
    if (own.empty() || (!prefix.empty() && own != prefix)) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (lock(descriptor)) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

}  // namespace

void remove_leftovers(const std::string& folder) {
  remove_leftovers(folder, {});
}

OutputFile::OutputFile(std::string path, bool overwrite, Leftovers leftovers)
    : path_(std::move(path)), overwrite_(overwrite) {
  if (path_ == "-") {
    throw input_error({.file = path_}, "is not the name of a file", "expected a name, or /dev/stdout");
  }
  struct stat status{};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw input_error({.file = path_}, "is a directory", "expected the name of a file to write");
  }
  // /dev/stdout may stand for a regular file; replacing the link in /dev would be a disaster.
  const bool is_device = path_.starts_with("/dev/") || path_.starts_with("/proc/");
  if (exists && (is_device || !S_ISREG(status.st_mode))) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw system_error(path_, "cannot open for writing", errno);
    return;
  }
  if (exists && !overwrite) {
    throw input_error({.file = path_}, "exists already", "use `force` to overwrite it");
  }
  if (!exists && ::lstat(path_.c_str(), &status) == 0) {
    throw input_error({.file = path_}, "is a link to a file that does not exist", "expected a file name");
  }
  create_temporary(leftovers);
}

void OutputFile::create_temporary(Leftovers leftovers) {
  const std::string prefix = temporary_prefix(path_);
  if (leftovers == Leftovers::kRemove) {
    const fs::path start(prefix);
    remove_leftovers(start.has_parent_path() ? start.parent_path() : fs::path("."), start.filename().string());
  }
  for (;;) {
    const std::string name = prefix + random_digits();
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) throw system_error(path_, "cannot create a temporary file beside it", errno);
    // Another process may have taken the file for a leftover before it was locked: either it now holds the lock, or the
    // name is gone.
    struct stat status{};
    const bool taken = !lock(descriptor_) && errno == EWOULDBLOCK;
    if (!taken && ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0) {
      temporary_ = name;
      own_temporaries().add(name);
      return;
    }
    ::close(std::exchange(descriptor_, -1));
  }
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::write(std::string_view bytes) {
  if (bytes.size() >= kBufferBytes) {
    flush();
    return pass_on(bytes);
  }
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  pass_on(buffer_);
  buffer_.clear();
}

void OutputFile::pass_on(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot write", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::finish() {
  if (finished_) return;
  flush();
  finished_ = true;
  // A temporary file stays open, and so locked, until it is in place.
  if (is_regular()) {
    if (::fsync(descriptor_) != 0) fail("cannot write", errno);
  } else if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail("cannot write", errno);
  }
}

void OutputFile::commit() {
  finish();
  if (!is_regular()) return;
  if (overwrite_) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename into place", errno);
  } else {
    // link() refuses where rename() would silently replace a file that has appeared in the meantime.
    if (::link(temporary_.c_str(), path_.c_str()) != 0) {
      if (errno != EPERM && errno != EOPNOTSUPP) fail("cannot rename into place", errno);
      if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename into place", errno);
    } else {
      ::unlink(temporary_.c_str());
    }
  }
  own_temporaries().forget(temporary_);
  temporary_.clear();
  ::close(std::exchange(descriptor_, -1));
}

void OutputFile::discard() noexcept {
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    own_temporaries().forget(temporary_);
  }
  temporary_.clear();
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void OutputFile::fail(std::string_view action, int error_number) {
  discard();
  throw system_error(path_, action, error_number);
}

void remove_temporary_files() {
  own_temporaries().remove_all();
}

}  // namespace clade
