#include <clade/error.h>

#include "classify/local/svm_node.h"
#include "classify/local/top_down.h"

namespace clade {
namespace {

struct TopDownSvmOptions {
  SvmNodeOptions node;
  LocalOptions local;
};

template <class V>
void describe(V& v, TopDownSvmOptions& o) {
  describe(v, o.node);
  describe(v, o.local);
}

class TopDownSvm : public Classifier {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }
  bool takes_row_parts() const override {
    return options_.local.takes_row_parts() && SvmNode::takes_blocks(options_.node);
  }

  ModelBody train(const TrainingInput& input, Context& ctx) override {
    LocalOptions local = options_.local;
    if (options_.node.multiclass == Multiclass::kOneVsOne) {
      if (local.calibrate != Calibrate::kNone) {
        throw usage_error("`calibrate` needs a score per child", "expected `multiclass` one-vs-rest or crammer-singer");
      }
      // Votes depend on signs, which pruning or rounding could change.
      local.pack = {.prune = 0, .precision = WeightPrecision::kDouble};
      local.tree.children = 0;
    }
    return train_top_down(input, SvmNode(options_.node, ctx.seed()), local, ctx);
  }

 private:
  TopDownSvmOptions options_;
};

}  // namespace

std::unique_ptr<Classifier> make_top_down_svm() {
  return std::make_unique<TopDownSvm>();
}

}  // namespace clade
