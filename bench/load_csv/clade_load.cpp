// Loads a CSV or ARFF file with Clade and prints one JSON object: the time it took, the peak memory, the size of what
// was loaded, and a checksum that shows whether two contenders loaded the same values.
#include <clade/io.h>
#include <fmt/core.h>

#include <bit>
#include <chrono>
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

// Depends on every value and its position: sum of bits[k] * (2 k + 1), modulo 2^64.
std::uint64_t checksum(const clade::Buffer<double>& values) {
  std::uint64_t sum = 0;
  std::uint64_t factor = 1;
  for (const double value : values) {
    sum += std::bit_cast<std::uint64_t>(value) * factor;
    factor += 2;
  }
  return sum;
}

void load(const char* path, int threads) {
  clade::Context::Options settings;
  settings.threads = threads;
  clade::Context ctx(settings);
  const auto start = std::chrono::steady_clock::now();
  const clade::LoadedData result = clade::read_dataset(path, clade::ReadOptions(), ctx);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const Index peak = peak_memory();
  const auto& matrix = std::get<clade::DenseMatrix<double>>(result.data.matrix());
  fmt::print(R"({{"seconds": {}, "peak": {}, "bytes": {}, "rows": {}, "columns": {}, "checksum": {}}})"
             "\n",
             seconds.count(), peak, matrix.values.span().size_bytes(), matrix.rows, matrix.columns,
             checksum(matrix.values));
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
