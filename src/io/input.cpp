#include "io/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "io/growing_bytes.h"
#include "io/lines.h"
#include "io/unpack/unpacker.h"

namespace clade {
namespace {

constexpr std::array<std::string_view, 4> kCompressionEndings = {".gz", ".xz", ".zst", ".bz2"};
constexpr std::size_t kReadBlock = 1U << 20U;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// A FIFO is opened at once, and not when somebody writes to it: open() would not hear that it should give up.
int open_flags(const std::string& path) {
  struct stat status{};
  const bool is_fifo = ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  return O_RDONLY | O_CLOEXEC | (is_fifo ? O_NONBLOCK : 0);
}

// Until there is something to read, or the end.
void wait_for_bytes(int descriptor, Context& ctx) {
  constexpr int kMilliseconds = 100;
  for (;;) {
    ctx.check_cancelled();
    pollfd input{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (::poll(&input, 1, kMilliseconds) > 0) return;
  }
}

GrowingBytes read_stream(const std::string& name, int descriptor, Context& ctx) {
  GrowingBytes bytes;
  for (;;) {
    wait_for_bytes(descriptor, ctx);
    const ssize_t count = ::read(descriptor, bytes.reserve(kReadBlock), kReadBlock);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) throw system_error(name, "cannot read", errno);
    if (count == 0) return bytes;
    bytes.added(static_cast<std::size_t>(count));
    check_unpacked_size(name, bytes.size());
  }
}

}  // namespace

std::string from_utf16(const std::string& name, std::string_view bytes) {
  if (bytes.size() % 2 != 0) {
    throw input_error({.file = name}, "the text is UTF-16 and ends within a character", "expected a whole file");
  }
  return utf16_to_utf8(bytes);
}

struct Input::Body {
  std::string_view bytes;
  GrowingBytes owned;   // decompressed or streamed content
  std::string kept;     // or what the caller gave
  void* map = nullptr;  // or a memory map
  std::size_t map_bytes = 0;

  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() {
    if (map != nullptr) ::munmap(map, map_bytes);
  }
};

Input::Input(std::string name, std::shared_ptr<const Body> body)
    : name_(std::move(name)), body_(std::move(body)), bytes_(body_->bytes) {}

Input Input::from_bytes(std::string name, std::string_view bytes) {
  auto body = std::make_shared<Body>();
  body->bytes = bytes;
  return {std::move(name), std::move(body)};
}

Input Input::keeping(std::string name, std::string bytes) {
  auto body = std::make_shared<Body>();
  body->kept = std::move(bytes);
  body->bytes = body->kept;
  return {std::move(name), std::move(body)};
}

Input Input::from_unpacked(std::string name, GrowingBytes bytes) {
  auto body = std::make_shared<Body>();
  body->owned = std::move(bytes);
  body->bytes = body->owned.view();
  return {std::move(name), std::move(body)};
}

Input Input::open_as_is(const std::string& path, Context& ctx) {
  const int number = ::open(path.c_str(), open_flags(path));
  if (number < 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      throw input_error({.file = path}, "no such file", "expected a file to read");
    throw system_error(path, "cannot open", errno);
  }
  const Descriptor file(number);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) throw system_error(path, "cannot read", errno);
  if (S_ISDIR(status.st_mode)) throw input_error({.file = path}, "is a directory", "expected a file");

  auto body = std::make_shared<Body>();
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    body->map_bytes = static_cast<std::size_t>(status.st_size);
    void* map = ::mmap(nullptr, body->map_bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (map == MAP_FAILED) throw system_error(path, "cannot map into memory", errno);
    body->map = map;
    body->bytes = {static_cast<const char*>(map), body->map_bytes};
  } else if (!S_ISREG(status.st_mode)) {
    body->owned = read_stream(path, file.number(), ctx);
    body->bytes = body->owned.view();
  }
  return {path, std::move(body)};
}

Input Input::unpacked_text(Input file, Context& ctx) {
  const std::string& name = file.name();
  if (!is_compressed(file.bytes())) {
    return is_utf16(file.bytes()) ? keeping(name, from_utf16(name, file.bytes())) : std::move(file);
  }
  Input plain = from_unpacked(name, unpacked(name, file.bytes(), ctx));
  return is_utf16(plain.bytes()) ? keeping(name, from_utf16(name, plain.bytes())) : plain;
}

Input Input::open(const std::string& path, Context& ctx) {
  return unpacked_text(open_as_is(path, ctx), ctx);
}

Input Input::part(std::size_t begin, std::size_t end, Index first_line) const {
  Input result = *this;
  result.bytes_ = bytes_.substr(begin, end - begin);
  result.first_line_ = first_line;
  return result;
}

std::shared_ptr<const void> Input::file() const {
  return body_->map != nullptr ? body_ : nullptr;
}

std::string Input::base_name() const {
  return without_compression_ending(std::filesystem::path(name_).filename().string());
}

void Input::release(std::size_t begin, std::size_t end) const {
  if (body_->map == nullptr) return;
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto before = static_cast<std::size_t>(bytes_.data() - body_->bytes.data());
  begin += before;
  end += before;
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = end == body_->map_bytes ? end : end / page * page;
  if (first < last) ::madvise(static_cast<char*>(body_->map) + first, last - first, MADV_DONTNEED);
}

Index Input::line_of(std::size_t offset) const {
  const std::string_view before = bytes().substr(0, offset);
  return static_cast<Index>(std::count(before.begin(), before.end(), '\n')) + 1;
}

std::size_t largest_decompressed_size() {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return pages * page_bytes / 2;
}

std::string without_compression_ending(std::string_view path) {
  for (const std::string_view ending : kCompressionEndings) {
    if (path.size() > ending.size() && path.ends_with(ending))
      return std::string(path.substr(0, path.size() - ending.size()));
  }
  return std::string(path);
}

}  // namespace clade
