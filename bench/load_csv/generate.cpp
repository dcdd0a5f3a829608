// Writes the same random table as CSV and as ARFF: values of six digits, as in measurements and surveys, and one of 20
// labels per row.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/random.h"

namespace {

constexpr int kFeatures = 100;

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

File create(const std::string& path) {
  File file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (file == nullptr) {
    std::perror(path.c_str());
    std::exit(1);
  }
  return file;
}

void write_headers(std::FILE* csv, std::FILE* arff) {
  fmt::print(arff, "@relation r\n");
  for (int k = 0; k < kFeatures; ++k) {
    fmt::print(csv, "x{},", k);
    fmt::print(arff, "@attribute x{} numeric\n", k);
  }
  fmt::print(csv, "label\n");
  fmt::print(arff, "@attribute class {{c0");
  for (int k = 1; k < 20; ++k) fmt::print(arff, ",c{}", k);
  fmt::print(arff, "}}\n@data\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: generate CSV ARFF MEGABYTES\n");
    return 2;
  }
  const File csv = create(argv[1]);
  const File arff = create(argv[2]);
  write_headers(csv.get(), arff.get());
  const auto bytes = std::atoll(argv[3]) * 1000000;
  std::string row;
  clade::Index written = 0;
  for (std::uint64_t r = 0; written < bytes; ++r) {
    clade::RandomStream random(1, {r});
    row.clear();
    for (int k = 0; k < kFeatures; ++k) row += fmt::format("{:.6g},", random.normal());
    row += fmt::format("c{}\n", random.below(20));
    std::fwrite(row.data(), 1, row.size(), csv.get());
    std::fwrite(row.data(), 1, row.size(), arff.get());
    written += static_cast<clade::Index>(row.size());
  }
  return 0;
}
