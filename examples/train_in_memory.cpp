// Trains from arrays in memory: a hierarchy made by hand, and samples as a dense matrix and as compressed rows.
//
//   g++ -std=c++20 train_in_memory.cpp $(pkg-config --cflags --libs clade) -o train_in_memory
//   ./train_in_memory

#include <clade/clade.h>

#include <cstdio>

int main() {
  try {
    clade::TaxonomyBuilder builder;
    for (const char* path : {"mammal/cat", "mammal/dog", "bird/finch", "bird/owl"}) builder.path(path, "/");
    const clade::Taxonomy taxonomy = builder.build();

    // Legs, wings, barks, hoots; two animals of each kind.
    const std::vector<double> values = {4, 0, 0, 0, 4, 0, 0.1, 0, 4, 0, 1, 0, 4, 0, 0.9, 0,
                                        2, 2, 0, 0, 2, 2, 0,   0, 2, 2, 0, 1, 2, 2, 0,   0.8};
    const std::vector<std::vector<std::string>> labels = {{"mammal/cat"}, {"mammal/cat"}, {"mammal/dog"},
                                                          {"mammal/dog"}, {"bird/finch"}, {"bird/finch"},
                                                          {"bird/owl"},   {"bird/owl"}};
    clade::Context ctx;
    const clade::Dataset dense = clade::dense_dataset(values, 4, labels, taxonomy);
    const clade::Model model =
        clade::train(dense, {.classifier = "top-down-svm", .parameters = {{"scale", "none"}}}, ctx);

    // The first and the last of them again, now as compressed rows: offsets, columns, values.
    const std::vector<clade::Index> offsets = {0, 1, 4};
    const std::vector<clade::FeatureIndex> columns = {0, 0, 1, 3};
    const std::vector<double> stored = {4, 2, 2, 0.8};
    const std::vector<std::vector<std::string>> unknown(2);
    const clade::Dataset sparse = clade::sparse_dataset(offsets, columns, stored, 4, unknown, taxonomy);
    const clade::Predictions predictions = clade::predict(model, sparse, {}, ctx);
    for (clade::Index s = 0; s < predictions.samples(); ++s) {
      std::printf("%s\n", model.taxonomy().name(predictions.labels_of(s)[0]).c_str());
    }
  } catch (const clade::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
