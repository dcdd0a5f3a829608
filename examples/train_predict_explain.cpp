// Trains a classifier on a file, saves it, and applies it to another file: what it predicts, why, and how good it is.
//
//   g++ -std=c++20 train_predict_explain.cpp $(pkg-config --cflags --libs clade) -o train_predict_explain
//   ./train_predict_explain train.jsonl test.jsonl model.clade

#include <clade/clade.h>

#include <cstdio>

namespace {

void show_first(const clade::Model& model, const clade::Dataset& data, const clade::Predictions& predictions) {
  const clade::Taxonomy& taxonomy = model.taxonomy();
  const clade::NodeId label = predictions.labels_of(0)[0];
  std::printf("%s: %s (%.3f)\n", data.sample_name(0).c_str(), taxonomy.name(label).c_str(),
              predictions.scores_of(0)[0]);
  for (const clade::Step& step : clade::explain(model, data, 0, label, 3)) {
    std::printf("  %s -> %s\n", taxonomy.name(step.node).c_str(), taxonomy.name(step.child).c_str());
    for (const auto& reason : step.reasons) {
      std::printf("    %+.3f %s\n", reason.contribution, data.feature_name(reason.feature).c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: train_predict_explain TRAIN TEST MODEL\n", stderr);
    return 2;
  }
  try {
    clade::Context ctx;  // all cores, seed 1, no messages
    const clade::LoadedData train = clade::read_dataset(argv[1], {}, ctx);
    clade::write_model(clade::train(train, {.classifier = "top-down-logistic", .parameters = {{"c", 5}}}, ctx), argv[3],
                       true);

    const clade::Model model = clade::read_model(argv[3]);
    const clade::LoadedData test = clade::read_dataset(argv[2], clade::reading_for(model), ctx);
    show_first(model, test, clade::predict(model, test, {.top_k = 3}, ctx));
    const clade::Evaluation result = clade::evaluate(model, test, {}, ctx);
    std::printf("accuracy %.17g\nhierarchical_f1 %.17g\n", *result.value("accuracy"), *result.value("hierarchical_f1"));
  } catch (const clade::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
