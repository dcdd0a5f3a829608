#include "classify/classifier.h"
#include "classify/nodes/node_decisions.h"
#include "classify/nodes/node_model.h"
#include "data/closed_labels.h"

namespace clade {
namespace {

// Every node's share of the training samples is its score, whatever the features say: what any classifier must beat.
class Prior : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  bool takes_missing_values() const override { return true; }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    const ClosedLabels labels = closed_labels(input.data, input.weight);
    auto nodes = std::make_shared<NodeModel>();
    nodes->nodes = labels.nodes;
    nodes->mean = labels.frequency;
    Matrix scores(input.data.samples(), labels.columns());
    for (Index c = 0; c < labels.columns(); ++c) {
      scores.col(c).setConstant(labels.frequency[static_cast<std::size_t>(c)]);
    }
    ModelBody model;
    model.kind = ModelKind::kNodes;
    model.has_probabilities = true;
    learn_decisions(*nodes, model.node_threshold, input.data, labels, std::move(scores), ctx);
    model.node_model = std::move(nodes);
    return model;
  }

 private:
  struct Options {};
  template <class V>
  friend void describe(V&, Options&) {}
  Options options_;
};

}  // namespace

std::unique_ptr<Classifier> make_prior() {
  return std::make_unique<Prior>();
}

}  // namespace clade
