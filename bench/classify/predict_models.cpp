// What does prediction alone cost, without starting a process, reading and writing?
//
//   predict_models DATA TAXONOMY THREADS MODEL...
//
// Prints, for every model file, the milliseconds in which it opens, and the microseconds per sample of the first call,
// which prepares the model for many samples, and of the best of four more. Also the microseconds per sample of reading
// the data.
#include <clade/context.h>
#include <clade/io.h>
#include <clade/model.h>
#include <clade/predict.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

namespace {

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: predict_models DATA TAXONOMY THREADS MODEL...\n");
    return 2;
  }
  clade::keep_freed_memory();
  clade::Context ctx({.threads = std::atoi(argv[3])});
  std::optional<clade::Dataset> data;
  const double reading = seconds([&] { data = clade::read_dataset(argv[1], {.taxonomy = argv[2]}, ctx).data; });
  const double to_microseconds = 1e6 / static_cast<double>(data->samples());
  fmt::print("reading {:.2f} microseconds per sample\n", reading * to_microseconds);
  for (int k = 4; k < argc; ++k) {
    std::optional<clade::Model> model;
    const double open = seconds([&] { model = clade::read_model(argv[k]); });
    const auto predict = [&] { return seconds([&] { clade::predict(*model, *data, {}, ctx); }); };
    const double first = predict();
    double later = predict();
    for (int repeat = 0; repeat < 3; ++repeat) later = std::min(later, predict());
    fmt::print("{} opens in {:.1f} ms, first {:.2f}, later {:.2f} microseconds per sample\n", model->classifier(),
               1e3 * open, first * to_microseconds, later * to_microseconds);
  }
}
