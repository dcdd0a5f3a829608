#include <clade/error.h>
#include <clade/feature_tree.h>
#include <clade/text.h>

#include "core/memory_size.h"
#include "induce/feature_tree/feature_tree_maker.h"

namespace clade {
namespace {

double memory_limit(const FeatureTreeOptions& options) {
  return options.memory.empty() ? default_memory_limit() : parse_bytes(options.memory);
}

}  // namespace

void check_request(const FeatureTreeOptions& options) {
  feature_tree_table().make(options.method, options.parameters)->check();
  memory_limit(options);
}

FeatureHierarchy make_feature_tree(const Dataset& data, const FeatureTreeOptions& options, Context& ctx) {
  const std::unique_ptr<FeatureTreeMaker> maker = feature_tree_table().make(options.method, options.parameters);
  if (data.features() == 0) throw usage_error("the data has no features", "expected some to arrange");
  if (holds_sequences(data)) {
    throw usage_error("the data are sequences, whose features are positions",
                      "expected vectors, or text read as words");
  }
  FeatureHierarchy hierarchy = maker->make({data, memory_limit(options)}, ctx);
  hierarchy.method = options.method;
  hierarchy.feature_names.assign(data.feature_names().begin(), data.feature_names().end());
  // Read after the work, because a method may have completed some itself.
  hierarchy.parameters.clear();
  const ParameterTable parameters = maker->parameters();
  for (const Parameter& p : parameters.parameters()) hierarchy.parameters.emplace_back(p.name, p.get());
  return hierarchy;
}

}  // namespace clade
