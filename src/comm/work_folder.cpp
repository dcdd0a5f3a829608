#include "comm/work_folder.h"

#include <clade/error.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/byte_string.h"
#include "core/output_file.h"

namespace clade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "CLADEPIECE1\n";
constexpr std::string_view kFacts = "job";
constexpr std::size_t kSeal = sizeof(XXH64_hash_t);

// A hash of the bytes and of what they are, so that a file with the name of another is noticed.
std::uint64_t seal_of(std::string_view what, std::string_view bytes) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), XXH3_64bits(what.data(), what.size()));
}

void write_sealed(const std::string& path, std::string_view what, std::string_view bytes) {
  OutputFile file(path, true, Leftovers::kStay);
  file.write(kMagic);
  file.write(bytes);
  file.write(ByteWriter().put(seal_of(what, bytes)).take());
  file.commit();
}

// Is there a file of this name?
bool has_file(const std::string& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status) && fs::status_known(status)) return false;
  if (!fs::status_known(status)) throw system_error(path, "cannot read", failure.value());
  if (!fs::is_regular_file(status)) {
    throw input_error({.file = path}, "is no file", "expected a finished piece of the work, or none");
  }
  return true;
}

// The bytes of a whole, undamaged file.
std::optional<std::string> read_sealed(const std::string& path, std::string_view what) {
  if (!has_file(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw system_error(path, "cannot open", errno);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) throw system_error(path, "cannot read", errno);
  if (text.size() < kMagic.size() + kSeal || !text.starts_with(kMagic)) return std::nullopt;
  const std::string_view bytes = std::string_view(text).substr(kMagic.size(), text.size() - kMagic.size() - kSeal);
  const auto stored = ByteReader(std::string_view(text).substr(text.size() - kSeal)).get<std::uint64_t>();
  if (stored != seal_of(what, bytes)) return std::nullopt;
  return std::string(bytes);
}

std::string written(const WorkFolder::Facts& facts) {
  ByteWriter text;
  text.put(std::uint64_t{facts.size()});
  for (const auto& [name, value] : facts) text.put(name).put(value);
  return text.take();
}

void make_folder(const std::string& folder) {
  constexpr std::string_view kExpected = "expected a folder for finished pieces of the work, or nothing";
  std::error_code failure;
  const bool is_there = fs::exists(folder, failure);
  if (is_there && !fs::is_directory(folder, failure)) {
    throw input_error({.file = folder}, "is no folder", kExpected);
  }
  if (!is_there && fs::is_symlink(folder, failure)) {
    throw input_error({.file = folder}, "is a link to a folder that is not there", kExpected);
  }
  fs::create_directories(folder, failure);
  if (failure) throw system_error(folder, "cannot make the folder", failure.value());
}

// Nothing, or what a process has left that was ended while it wrote down the facts.
bool is_as_new(const std::string& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    return entry.path().filename().string().starts_with(fmt::format("{}.", kFacts));
  });
}

}  // namespace

WorkFolder::WorkFolder(std::string folder, bool resumes, const Facts& facts, bool leads)
    : folder_(std::move(folder)), facts_(written(facts)) {
  leads ? begin(resumes, facts) : join();
}

// A folder of the same name may be another one on another machine.
void WorkFolder::join() const {
  constexpr int kLooks = 30;  // some file systems show a new file to other machines a little later
  constexpr auto kPause = std::chrono::milliseconds(100);
  const std::string path = (fs::path(folder_) / kFacts).string();
  for (int look = 0; look < kLooks; ++look) {
    if (read_sealed(path, kFacts) == facts_) return;
    std::this_thread::sleep_for(kPause);
  }
  throw input_error({.file = folder_}, "is not the work folder of rank 0",
                    "expected a folder that all processes share and see under this name");
}

void WorkFolder::begin(bool resumes, const Facts& facts) const {
  make_folder(folder_);
  const std::string path = (fs::path(folder_) / kFacts).string();
  const std::optional<std::string> before = read_sealed(path, kFacts);
  if (!before) {
    if (!is_as_new(folder_)) {
      throw input_error({.file = folder_}, "holds something else", "expected an empty folder, or one of this job");
    }
    remove_leftovers(folder_);
    return write_sealed(path, kFacts, facts_);
  }
  if (!resumes) {
    throw input_error({.file = folder_}, "holds work that was begun", "`resume` goes on with it; else another folder");
  }
  ByteReader text(*before);
  Facts begun(text.get<std::uint64_t>());
  for (auto& [name, value] : begun) text.get(name).get(value);
  for (std::size_t k = 0; k < std::max(begun.size(), facts.size()); ++k) {
    if (k < begun.size() && k < facts.size() && begun[k] == facts[k]) continue;
    const std::string& name = k < facts.size() ? facts[k].first : begun[k].first;
    throw input_error({.file = folder_}, fmt::format("the work was begun with another {}", name),
                      "expected the same data, command and build; else another folder");
  }
  remove_leftovers(folder_);
}

std::string WorkFolder::file_of(std::string_view job, Index piece) const {
  return (fs::path(folder_) / fmt::format("{}.{:06}.piece", job, piece)).string();
}

// Pieces may have been put from one folder into another, or be copies of each other.
std::string WorkFolder::identity_of(std::string_view job, Index piece) const {
  return ByteWriter().put(facts_).put(job).put(piece).take();
}

void WorkFolder::keep(std::string_view job, Index piece, std::string_view bytes) const {
  write_sealed(file_of(job, piece), identity_of(job, piece), bytes);
}

std::optional<std::string> WorkFolder::find(std::string_view job, Index piece) const {
  return read_sealed(file_of(job, piece), identity_of(job, piece));
}

}  // namespace clade
