// Loads a LIBSVM file with Clade and prints one JSON object: the time it took, the peak memory, the size of what was
// loaded, and checksums that show whether two contenders loaded the same values.
#include <clade/io.h>
#include <fmt/core.h>

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

using clade::Index;

// Reads the kernel's VmHWM, because getrusage() would count the parent's memory before exec.
Index peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::strtoll(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

// Depends on every value and its position: sum of item[k] * (2 k + 1), modulo 2^64.
class Checksum {
 public:
  void add(std::uint64_t item) { sum_ += item * (2 * count_++ + 1); }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 0;
};

struct Loaded {
  Index bytes = 0;
  Checksum values;
  Checksum columns;
  Checksum row_ends;
  Checksum labels;
};

Loaded examine(const clade::Dataset& data) {
  Loaded loaded;
  const auto& matrix = std::get<clade::SparseMatrix<double>>(data.matrix());
  for (const double value : matrix.values) loaded.values.add(std::bit_cast<std::uint64_t>(value));
  for (const clade::FeatureIndex column : matrix.indices) loaded.columns.add(static_cast<std::uint64_t>(column));
  for (const Index offset : matrix.offsets) loaded.row_ends.add(static_cast<std::uint64_t>(offset));
  Index labels = 0;
  for (Index sample = 0; sample < data.samples(); ++sample) {
    for (const clade::NodeId node : data.labels(sample)) {
      loaded.labels.add(std::bit_cast<std::uint64_t>(std::stod(data.taxonomy().name(node))));
      ++labels;
    }
  }
  const auto bytes = [](const auto& buffer) { return static_cast<Index>(buffer.span().size_bytes()); };
  loaded.bytes = bytes(matrix.values) + bytes(matrix.indices) + bytes(matrix.offsets) +
                 static_cast<Index>(sizeof(Index)) * (data.samples() + 1) +
                 static_cast<Index>(sizeof(clade::NodeId)) * labels;
  return loaded;
}

void load(const char* path, int threads) {
  clade::Context::Options settings;
  settings.threads = threads;
  clade::Context ctx(settings);
  const auto start = std::chrono::steady_clock::now();
  const clade::LoadedData result = clade::read_dataset(path, clade::ReadOptions(), ctx);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const Index peak = peak_memory();
  const Loaded loaded = examine(result.data);
  fmt::print(R"({{"seconds": {}, "peak": {}, "bytes": {}, "rows": {}, "columns": {}, "checksums": [{}, {}, {}, {}]}})"
             "\n",
             seconds.count(), peak, loaded.bytes, result.data.samples(), result.data.features(), loaded.values.value(),
             loaded.columns.value(), loaded.row_ends.value(), loaded.labels.value());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: clade_load FILE THREADS\n");
    return 2;
  }
  try {
    load(argv[1], std::atoi(argv[2]));
  } catch (const clade::Error& error) {
    fmt::print(stderr, "clade_load: {}\n", error.what());
    return 2;
  }
  return 0;
}
