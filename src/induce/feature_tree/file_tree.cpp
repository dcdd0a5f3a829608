#include <clade/error.h>

#include "induce/feature_tree/feature_tree_maker.h"

namespace clade {
namespace {

struct FileTreeOptions {
  std::string groups;
};

template <class V>
void describe(V& v, FileTreeOptions& o) {
  v("groups", o.groups, "a feature tree (JSON) that names or numbers the features of the data");
}

class FileTree : public FeatureTreeMaker {
 public:
  ParameterTable parameters() override { return ParameterTable(options_); }

  void check() const override {
    if (options_.groups.empty()) throw usage_error("no file of groups", "expected `groups` FILE with `method` file");
  }

  FeatureHierarchy make(const FeatureTreeInput& input, Context& ctx) override {
    check();
    return read_feature_tree(options_.groups, input.data, ctx);
  }

 private:
  FileTreeOptions options_;
};

}  // namespace

std::unique_ptr<FeatureTreeMaker> make_file_tree() {
  return std::make_unique<FileTree>();
}

}  // namespace clade
