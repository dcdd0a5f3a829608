#include "core/output_file.h"

#include <clade/error.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace clade {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20U;

}  // namespace

OutputFile::OutputFile(std::string path, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
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
  temporary_ = path_ + ".tmp." + std::to_string(::getpid());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int error_number = errno;
    temporary_.clear();
    throw system_error(path_, "cannot create", error_number);
  }
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot write", errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void OutputFile::finish() {
  if (descriptor_ < 0) return;
  flush();
  if (is_regular() && ::fsync(descriptor_) != 0) fail("cannot write", errno);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("cannot write", errno);
}

void OutputFile::commit() {
  finish();
  if (!is_regular()) return;
  if (overwrite_) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename into place", errno);
  } else {
    // link() refuses where rename() would silently replace a file that has appeared meanwhile.
    if (::link(temporary_.c_str(), path_.c_str()) != 0) {
      if (errno != EPERM && errno != EOPNOTSUPP) fail("cannot rename into place", errno);
      if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename into place", errno);
    } else {
      ::unlink(temporary_.c_str());
    }
  }
  temporary_.clear();
}

void OutputFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::fail(std::string_view action, int error_number) {
  discard();
  throw system_error(path_, action, error_number);
}

}  // namespace clade
