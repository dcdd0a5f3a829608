// How long does training take, compared with liblinear on the same problems?
//
//   train_models TRAIN TEST TAXONOMY THREADS
//
// Reads sparse text and prints, for the local classifiers with default settings, the seconds of training and the
// microseconds of prediction per sample (one thread); for path-svm also the time that its solver takes for the flat
// one-vs-rest problem.
#include <clade/context.h>
#include <clade/io.h>
#include <clade/predict.h>
#include <clade/train.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "classify/linear/hinge_dual.h"
#include "core/parallel.h"

namespace {

using clade::Index;

template <class Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Each leaf against all other samples, solved as path-svm solves its nodes.
double flat_seconds(const clade::Dataset& data, clade::Context& ctx) {
  std::vector<Index> all(static_cast<std::size_t>(data.samples()));
  std::iota(all.begin(), all.end(), 0);
  return seconds([&] {
    const clade::TrainingRows rows = clade::training_rows(data, all, {}, ctx);
    std::vector<clade::NodeId> leaves;
    for (Index s = 0; s < data.samples(); ++s) leaves.push_back(data.labels(s)[0]);
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    clade::parallel_for(ctx, std::ssize(leaves), 1, [&](Index k, Index) {
      std::vector<std::int8_t> sign;
      for (Index s = 0; s < data.samples(); ++s) {
        sign.push_back(data.labels(s)[0] == leaves[static_cast<std::size_t>(k)] ? 1 : -1);
      }
      clade::hinge_dual(rows, sign, {}, {},
                        {.loss = clade::Loss::kSquaredHinge, .stream = static_cast<std::uint64_t>(k)}, ctx);
    });
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: train_models TRAIN TEST TAXONOMY THREADS\n");
    return 2;
  }
  clade::keep_freed_memory();
  clade::Context ctx({.threads = std::atoi(argv[4])});
  clade::Context single({.threads = 1});
  clade::ReadOptions options{.taxonomy = argv[3]};
  const clade::Dataset train = clade::read_dataset(argv[1], options, ctx).data;
  options.features = train.features();
  const clade::Dataset test = clade::read_dataset(argv[2], options, ctx).data;
  const double flat = flat_seconds(train, ctx);
  fmt::print("flat one-vs-rest   {:7.2f} s\n", flat);
  for (const std::string name : {"top-down-svm", "top-down-logistic", "path-svm"}) {
    clade::Recipe recipe;
    recipe.classifier = name;
    const clade::Model model = clade::train(train, recipe, ctx);
    clade::Predictions predictions;
    const double time = seconds([&] { predictions = clade::predict(model, test, {}, single); });
    fmt::print("{:18} {:7.2f} s, {:.2f} x flat; prediction {:.1f} microseconds per sample\n", name, model.seconds(),
               model.seconds() / flat, 1e6 * time / static_cast<double>(test.samples()));
  }
}
