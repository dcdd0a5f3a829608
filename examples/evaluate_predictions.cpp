// Measures predictions against the labels of a data set and prints every measure that applies.
//
//   g++ -std=c++20 evaluate_predictions.cpp $(pkg-config --cflags --libs clade) -o evaluate_predictions
//   ./evaluate_predictions test.arff predictions.csv

#include <clade/evaluate.h>
#include <clade/io.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: evaluate_predictions DATA PREDICTIONS\n", stderr);
    return 2;
  }
  try {
    clade::Context context;
    clade::ReadOptions options;
    options.missing = clade::Missing::kKeep;
    const clade::LoadedData loaded = clade::read_dataset(argv[1], options, context);
    const clade::Predictions predictions = clade::read_predictions(argv[2], loaded.data, context);
    const clade::Evaluation found = clade::evaluate(loaded.data, predictions, clade::EvaluateOptions{}, {}, context);
    for (std::size_t m = 0; m < clade::measures().size(); ++m) {
      if (found.values[m]) std::printf("%s %.4f\n", clade::measures()[m].name.data(), *found.values[m]);
    }
  } catch (const clade::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
