// Reads a data set and prints, for every inner node, how many samples lie below it.
//
//   g++ -std=c++20 read_data.cpp $(pkg-config --cflags --libs clade) -o read_data
//   ./read_data train.arff

#include <clade/dataset.h>
#include <clade/io.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: read_data DATA\n", stderr);
    return 2;
  }
  try {
    clade::Context context;
    clade::ReadOptions options;
    options.missing = clade::Missing::kMean;
    const clade::LoadedData loaded = clade::read_dataset(argv[1], options, context);
    const clade::Taxonomy& taxonomy = loaded.data.taxonomy();
    for (const clade::NodeId node : taxonomy.internal_nodes()) {
      const clade::Dataset below = loaded.data.subset(clade::samples_below(loaded.data, node));
      std::printf("%s: %lld samples, %zu children\n", taxonomy.name(node).c_str(),
                  static_cast<long long>(below.samples()), taxonomy.children(node).size());
    }
  } catch (const clade::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
