#include "select/unsupervised/unsupervised_support.h"

namespace clade::testing {

Dataset dataset_of(const NaiveMatrix& x, bool sparse) {
  Dataset::Parts parts;
  DenseMatrix<double> dense{x.rows(), x.cols(), Buffer<double>(x.size())};
  for (Index s = 0; s < x.rows(); ++s) {
    for (Index f = 0; f < x.cols(); ++f) dense.values[s * x.cols() + f] = x(s, f);
  }
  parts.features = std::move(dense);
  if (sparse) {
    SparseMatrix<double> rows{x.rows(), x.cols(), Buffer<Index>(x.rows() + 1), {}, {}};
    std::vector<FeatureIndex> indices;
    std::vector<double> values;
    rows.offsets[0] = 0;
    for (Index s = 0; s < x.rows(); ++s) {
      for (Index f = 0; f < x.cols(); ++f) {
        if (x(s, f) == 0) continue;
        indices.push_back(static_cast<FeatureIndex>(f));
        values.push_back(x(s, f));
      }
      rows.offsets[s + 1] = std::ssize(indices);
    }
    rows.indices = Buffer<FeatureIndex>(std::ssize(indices));
    rows.values = Buffer<double>(std::ssize(values));
    std::ranges::copy(indices, rows.indices.begin());
    std::ranges::copy(values, rows.values.begin());
    parts.features = std::move(rows);
  }
  TaxonomyBuilder builder;
  builder.node("root");
  parts.taxonomy = builder.build();
  parts.labels.offsets.assign(static_cast<std::size_t>(x.rows()) + 1, 0);
  return Dataset(std::move(parts));
}

NaiveMatrix random_values(Index samples, Index features, std::uint64_t seed) {
  RandomStream random(seed, {kTestStream, 7});
  NaiveMatrix x(samples, features);
  for (double& value : x.reshaped()) value = random.normal();
  return x;
}

NaiveMatrix clustered_values(Index samples, Index features, Index clusters, std::uint64_t seed) {
  const NaiveMatrix centres = 2 * random_values(clusters, features, seed + 100);
  NaiveMatrix x = random_values(samples, features, seed);
  for (Index s = 0; s < samples; ++s) x.row(s) += centres.row(s % clusters);
  return x.cwiseAbs();
}

NaiveMatrix soft_clusters(Index samples, Index clusters) {
  NaiveMatrix f = NaiveMatrix::Constant(samples, clusters, 0.2);
  for (Index s = 0; s < samples; ++s) f(s, s % clusters) += 1;
  for (Index k = 0; k < clusters; ++k) f.col(k).normalize();
  return f;
}

void expect_near(const NaiveMatrix& found, const NaiveMatrix& expected, double relative, const char* what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), relative * std::max(expected.cwiseAbs().maxCoeff(), 1e-300))
      << what;
}

FeatureRanking select_without_labels(const std::string& method, const Dataset& data,
                                     const std::vector<std::pair<std::string, std::string>>& parameters, int threads) {
  Context ctx({.threads = threads});
  const std::unique_ptr<Selector> selector = selector_table().make(method);
  ParameterTable table = selector->parameters();
  for (const auto& [name, value] : parameters) table.set(name, value);
  const std::vector<NodeTable> tables;
  return selector->select({data, tables, {}}, ctx);
}

NaiveVector weights_of(const FeatureRanking& ranking) {
  const NodeRanking& node = ranking.nodes.at(0);
  NaiveVector weights(std::ssize(node.ranking));
  for (std::size_t k = 0; k < node.ranking.size(); ++k) weights[node.ranking[k]] = node.weight[k];
  return weights;
}
}  // namespace clade::testing
