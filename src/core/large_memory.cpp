#include "core/large_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>

namespace clade {
namespace {

constexpr double kShareOfLargeBlocks = 0.6;

struct FiledBlock {
  void* data = nullptr;
  std::size_t bytes = 0;
};

// All of it is of the process, as its memory is. It takes no memory itself, because it serves those who take memory.
std::atomic<std::size_t> most_in_memory = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> most_at_all = std::numeric_limits<std::size_t>::max();
std::atomic<double> given_limit = std::numeric_limits<double>::infinity();
std::atomic<std::ptrdiff_t> in_memory = 0;
std::atomic<std::size_t> in_files = 0;  // ever
std::atomic<int> filed_blocks = 0;      // now
std::mutex blocks_mutex;
std::array<FiledBlock, 8192> blocks;
std::atomic<const char*> used_folder = nullptr;

// A control group's limit, or none.
double control_group_limit() {
  double limit = std::numeric_limits<double>::infinity();
  const auto read = [&](const std::string& path) {
    double value = 0;
    if (std::ifstream(path) >> value && value > 0) limit = std::min(limit, value);
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t name = line.find(':');
    const std::size_t place = name == std::string::npos ? name : line.find(':', name + 1);
    if (place == std::string::npos) continue;
    const bool is_second_version = line.starts_with("0::");
    if (!is_second_version && line.substr(name, place - name).find("memory") == std::string::npos) continue;
    const std::string root = is_second_version ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const char* file = is_second_version ? "/memory.max" : "/memory.limit_in_bytes";
    // A group is also bound by those that it is part of.
    for (std::string group = line.substr(place + 1); !group.empty(); group.resize(group.rfind('/'))) {
      read(root + group + file);
      if (group.find('/') == std::string::npos) break;
    }
    read(root + file);
  }
  return limit;
}

double shell_limit(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<double>::infinity();
  }
  return static_cast<double>(limit.rlim_cur);
}

// Does the folder lie on a disk? A file in memory would help nobody.
bool is_on_disk(const char* folder) {
  struct statfs status{};
  return ::statfs(folder, &status) == 0 && status.f_type != TMPFS_MAGIC && status.f_type != RAMFS_MAGIC;
}

bool has_room(int descriptor, std::size_t bytes) {
  struct statfs status{};
  return ::fstatfs(descriptor, &status) == 0 &&
         static_cast<double>(status.f_bavail) * static_cast<double>(status.f_bsize) > static_cast<double>(bytes);
}

int file_in(const char* folder) {
  if (!is_on_disk(folder)) return -1;
  const int descriptor = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return descriptor;
  // Some file systems cannot make a file without a name: it is given one for a moment.
  std::array<char, 4096> path{};
  const int length = std::snprintf(path.data(), path.size(), "%s/clade.XXXXXX", folder);
  if (length < 0 || static_cast<std::size_t>(length) >= path.size()) return -1;
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.data());
  return named;
}

}  // namespace

double available_memory() {
  const double machine = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  static const double group = control_group_limit();
  return std::min({given_limit.load(), machine, group, shell_limit(RLIMIT_DATA), shell_limit(RLIMIT_AS)});
}

void set_memory_limit(double bytes) {
  const auto whole = [](double most) {
    return most < 0x1p62 ? static_cast<std::size_t>(most) : std::numeric_limits<std::size_t>::max();
  };
  given_limit = bytes;
  most_in_memory = whole(kShareOfLargeBlocks * bytes);
  most_at_all = whole(bytes);
}

void count_large_block(std::ptrdiff_t bytes) {
  in_memory += bytes;
}

namespace {

bool fits_below(std::size_t most, std::size_t bytes) {
  const auto held = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, in_memory));
  return bytes <= most && held <= most - bytes;
}

}  // namespace

bool is_beyond_limit(std::size_t bytes) {
  return !fits_below(most_in_memory, bytes);
}

bool fits_below_limit(std::size_t bytes) {
  return fits_below(most_at_all, bytes);
}

bool grow_nameless_file(int descriptor, std::size_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  if (size < 0 || static_cast<double>(bytes) > shell_limit(RLIMIT_FSIZE)) return false;
  // Room is set aside now: later, when pages are written, nobody could say that there is none.
  if (::fallocate(descriptor, 0, 0, size) == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  return has_room(descriptor, bytes) && ::ftruncate(descriptor, size) == 0;
}

int make_nameless_file(std::size_t bytes) {
  for (const char* folder : {static_cast<const char*>(std::getenv("TMPDIR")), "/var/tmp", "/tmp", "."}) {
    if (folder == nullptr) continue;
    const int descriptor = file_in(folder);
    if (descriptor < 0) continue;
    if (grow_nameless_file(descriptor, bytes)) {
      used_folder = folder;
      in_files += bytes;
      return descriptor;
    }
    ::close(descriptor);
  }
  return -1;
}

void* take_filed_block(std::size_t bytes) {
  const int descriptor = make_nameless_file(bytes);
  if (descriptor < 0) return nullptr;
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (data == MAP_FAILED) return nullptr;
  const std::lock_guard lock(blocks_mutex);
  for (FiledBlock& block : blocks) {
    if (block.data != nullptr) continue;
    block = {.data = data, .bytes = bytes};
    ++filed_blocks;
    return data;
  }
  ::munmap(data, bytes);
  return nullptr;
}

bool give_back_filed_block(void* data) {
  constexpr std::uintptr_t kPage = 4096;
  if (filed_blocks == 0 || reinterpret_cast<std::uintptr_t>(data) % kPage != 0) return false;
  const std::lock_guard lock(blocks_mutex);
  for (FiledBlock& block : blocks) {
    if (block.data != data) continue;
    ::munmap(block.data, block.bytes);
    block = {};
    --filed_blocks;
    return true;
  }
  return false;
}

FiledMemory filed_memory() {
  const char* folder = used_folder;
  return {.bytes = in_files, .folder = folder == nullptr ? "" : folder};
}

}  // namespace clade
