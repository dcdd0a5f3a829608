#include "select/recursive/hirr.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "math/blas/blas.h"
#include "select/recursive/coupled_selector.h"

namespace clade {
namespace {

constexpr std::size_t kFewSiblings = 3;  // up to this many, their products cost less than keeping a total up to date

// The lower triangle of C + U U' - V V', or without C if it is new, in one pass over C by columns that stay in the
// cache: U and V have few, so it takes as long as reading C.
void add_products(const Matrix& u, const Matrix& v, Matrix& c, bool is_new, Context& ctx) {
  constexpr Index kColumnsPerTask = 64;
  const auto as_int = [](Index value) { return static_cast<int>(value); };
  parallel_for(ctx, c.cols(), kColumnsPerTask, [&](Index begin, Index end) {
    auto below = c.block(begin, begin, c.rows() - begin, end - begin);
    if (is_new) below.setZero();
    const auto add = [&](const Matrix& some, double factor) {
      if (some.cols() == 0) return;
      blas::gemm(false, true, as_int(below.rows()), as_int(below.cols()), as_int(some.cols()), factor,
                 some.data() + begin, as_int(some.rows()), some.data() + begin, as_int(some.rows()), 1, below.data(),
                 as_int(c.rows()));
    };
    add(u, 1);
    add(v, -1);
  });
}

// H W: the mean of every column removed.
Matrix centred(const Matrix& w) {
  return w.rowwise() - w.colwise().mean();
}

// ||(H V)' W||^2, which is that of (H W)' V. By blocks that stay in the cache.
double squared_overlap(const Matrix& v, const Matrix& w) {
  constexpr Index kRows = 512;
  Matrix product = Matrix::Zero(v.cols(), w.cols());
  const Eigen::RowVectorXd mean = v.colwise().mean();
  for (Index begin = 0; begin < v.rows(); begin += kRows) {
    const Index rows = std::min(kRows, v.rows() - begin);
    const Matrix part = v.middleRows(begin, rows).rowwise() - mean;
    product.noalias() += part.transpose().lazyProduct(w.middleRows(begin, rows));
  }
  return product.squaredNorm();
}

// Adds a W to R, and returns a ||W||^2.
double add_multiple(double a, const Matrix& w, Matrix& r, Context& ctx) {
  const double square = parallel_reduce(
      ctx, w.cols(), 1, 0.0,
      [&](Index c, Index) {
        r.col(c) += a * w.col(c);
        return w.col(c).squaredNorm();
      },
      [](double& total, double part) { total += part; });
  return a * square;
}

}  // namespace

bool Hirr::has_many_siblings(std::size_t i) const {
  return static_cast<Index>(problem_->siblings(i).size()) * problem_->width() > problem_->features();
}

bool Hirr::has_plain_siblings(std::size_t i) const {
  const auto& parents = problem_->parents(i);
  return parents.size() == 1 && problem_->siblings(i).size() + 1 == problem_->children(parents[0]).size();
}

Hirr::Siblings Hirr::siblings_form(std::size_t i) const {
  const std::size_t count = problem_->siblings(i).size();
  if (coupling_.beta == 0 || count == 0) return Siblings::kNone;
  const bool is_costly = problem_->node(i).is_tall && count > kFewSiblings;
  if ((has_many_siblings(i) || is_costly) && has_plain_siblings(i)) return Siblings::kTotal;
  return has_many_siblings(i) ? Siblings::kSum : Siblings::kLowRank;
}

void Hirr::prepare(const Problem& problem, Context& ctx) {
  CoupledMethod::prepare(problem, ctx);
  form_.assign(problem.size(), Siblings::kNone);
  is_summed_.assign(problem.size(), 0);
  products_.assign(problem.size(), {});
  totals_.assign(problem.size(), {});
  for (std::size_t i = 0; i < problem.size(); ++i) {
    form_[i] = siblings_form(i);
    if (form_[i] != Siblings::kSum) continue;
    for (const std::size_t sibling : problem.siblings(i)) is_summed_[sibling] = 1;
  }
}

Matrix Hirr::product_of(const Matrix& w) const {
  Matrix product = Matrix::Zero(w.rows(), w.rows());
  add_outer_product(centred(w), product, *ctx_);
  return product;
}

void Hirr::begin_iteration(int iteration, const Weights& w, Context& ctx) {
  std::vector<char> is_done(w.size(), 0);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const bool is_new = iteration == 0 || products_[i].size() == 0;
    if (is_new && is_summed_[i] != 0) products_[i] = product_of(w[i]);
    if (form_[i] != Siblings::kTotal) continue;
    // Totals are recomputed in every iteration, so that rounding errors do not build up.
    const std::size_t parent = problem_->parents(i)[0];
    if (is_done[parent] != 0) continue;
    is_done[parent] = 1;
    const auto& children = problem_->children(parent);
    Matrix all(w[i].rows(), std::ssize(children) * w[i].cols());
    parallel_for(ctx, std::ssize(children), 1, [&](Index k, Index) {
      all.middleCols(k * w[i].cols(), w[i].cols()) = centred(w[children[static_cast<std::size_t>(k)]]);
    });
    totals_[parent].resize(all.rows(), all.rows());
    add_products(all, {}, totals_[parent], true, ctx);
  }
}

void Hirr::node_changed(std::size_t i, const Matrix& before, const Matrix& after) {
  for (const std::size_t parent : problem_->parents(i)) {
    if (totals_[parent].size() > 0) add_products(centred(after), centred(before), totals_[parent], false, *ctx_);
  }
  if (is_summed_[i] != 0) products_[i] = product_of(after);
}

Matrix Hirr::sibling_sum(std::size_t i) const {
  Matrix sum = Matrix::Zero(problem_->features(), problem_->features());
  for (const std::size_t sibling : problem_->siblings(i)) sum += products_[sibling];
  return sum;
}

std::vector<std::size_t> Hirr::neighbours(std::size_t i) const {
  std::vector<std::size_t> all;
  const auto add = [&all](const std::vector<std::size_t>& some) { all.insert(all.end(), some.begin(), some.end()); };
  if (coupling_.alpha > 0) {
    add(problem_->parents(i));
    add(problem_->children(i));
  }
  if (coupling_.beta > 0) add(problem_->siblings(i));
  return all;
}

std::vector<std::size_t> Hirr::pulled_towards(std::size_t i) const {
  std::vector<std::size_t> nodes = problem_->parents(i);
  const bool is_root = nodes.empty();
  if (is_root ? coupling_.couples_root : coupling_.couples_children) {
    nodes.insert(nodes.end(), problem_->children(i).begin(), problem_->children(i).end());
  }
  return nodes;
}

std::optional<double> Hirr::multiple_of_identity(std::size_t i) const {
  if (form_[i] != Siblings::kNone && form_[i] != Siblings::kLowRank) return std::nullopt;
  return coupling_.alpha > 0 ? coupling_.alpha * static_cast<double>(pulled_towards(i).size()) : 0;
}

void Hirr::add_terms(std::size_t i, const Weights& w, SystemTerms& terms) const {
  if (coupling_.alpha > 0) {
    for (const std::size_t other : pulled_towards(i)) {
      terms.add_multiple_of_identity(coupling_.alpha);
      terms.square += add_multiple(coupling_.alpha, w[other], terms.right, *ctx_);
    }
  }
  if (coupling_.beta > 0) add_siblings(i, w, terms);
}

void Hirr::add_siblings(std::size_t i, const Weights& w, SystemTerms& terms) const {
  const double root = std::sqrt(2 * coupling_.beta);
  if (form_[i] == Siblings::kTotal) {
    terms.full = &totals_[problem_->parents(i)[0]];
    terms.full_factor = 2 * coupling_.beta;
    terms.removed = root * centred(w[i]);
  } else if (form_[i] == Siblings::kSum) {
    terms.sum = 2 * coupling_.beta * sibling_sum(i);
  } else {
    const auto& siblings = problem_->siblings(i);
    const Index width = problem_->width();
    terms.low_rank.resize(problem_->features(), static_cast<Index>(siblings.size()) * width);
    parallel_for(*ctx_, std::ssize(siblings), 1, [&](Index k, Index) {
      const Matrix& other = w[siblings[static_cast<std::size_t>(k)]];
      const Eigen::RowVectorXd mean = other.colwise().mean();
      terms.low_rank.middleCols(k * width, width) = root * (other.rowwise() - mean);
    });
  }
}

// sum_s ||(H W_s)' W||^2; with many siblings, as <W, (sum of their products) W>.
double Hirr::overlap(std::size_t i, const Weights& w) const {
  const auto times = [&](const Matrix& products) {
    return w[i].cwiseProduct(products.selfadjointView<Eigen::Lower>() * w[i]).sum();
  };
  if (has_many_siblings(i)) {
    if (form_[i] == Siblings::kSum) return times(sibling_sum(i));
    return times(totals_[problem_->parents(i)[0]]) - (centred(w[i]).transpose() * w[i]).squaredNorm();
  }
  // Each pair once: both directions have the same overlap.
  double sum = 0;
  for (const std::size_t sibling : problem_->siblings(i)) {
    if (!has_many_siblings(sibling) && sibling < i) continue;
    sum += (has_many_siblings(sibling) ? 1 : 2) * squared_overlap(w[sibling], w[i]);
  }
  return sum;
}

double Hirr::value(const Weights& w) const {
  return parallel_reduce(
      *ctx_, std::ssize(w), 1, 0.0,
      [&](Index k, Index) {
        const auto i = static_cast<std::size_t>(k);
        double sum = coupling_.beta > 0 ? coupling_.beta * overlap(i, w) : 0;
        if (coupling_.alpha == 0) return sum;
        for (const std::size_t parent : problem_->parents(i)) sum += coupling_.alpha * (w[i] - w[parent]).squaredNorm();
        return sum;
      },
      [](double& total, double part) { total += part; });
}

namespace {

// An upper bound on the features x features matrices that the coupling of siblings keeps.
Index kept_sibling_sums(const Taxonomy& taxonomy, const std::vector<NodeTable>& tables, Index features) {
  std::vector<char> is_tall(static_cast<std::size_t>(taxonomy.size()), 0);
  Index width = 0;
  for (const NodeTable& table : tables) {
    is_tall[static_cast<std::size_t>(table.node)] = is_cheaper_by_features(table.samples(), features) ? 1 : 0;
    width = std::max(width, table.classes());
  }
  Index sums = 0;
  for (const NodeTable& table : tables) {
    Index siblings = -1;
    bool any_tall = false;
    bool has_other_parents = false;
    for (const NodeId child : taxonomy.children(table.node)) {
      if (taxonomy.is_leaf(child)) continue;
      ++siblings;
      any_tall = any_tall || is_tall[static_cast<std::size_t>(child)] != 0;
      has_other_parents = has_other_parents || taxonomy.parents(child).size() > 1;
    }
    const bool has_many = siblings * width > features;
    if (has_many || (any_tall && siblings > static_cast<Index>(kFewSiblings))) sums += 1;
    if (has_many && has_other_parents) sums += siblings + 1;
  }
  return sums;
}

// With either term, both, or none.
class HirrSelector final : public CoupledSelector {
 public:
  HirrSelector(std::string_view name, bool has_parents, bool has_siblings)
      : CoupledSelector(name), has_parents_(has_parents), has_siblings_(has_siblings) {}

 protected:
  void describe_own(ParameterTable& v) override {
    if (has_parents_) v("alpha", alpha_, nonnegative(), "weight of the pull between parent and child");
    if (has_siblings_) v("beta", beta_, nonnegative(), "weight of the push between siblings");
  }
  std::unique_ptr<CoupledMethod> make_method() const override {
    // The published hirr-fam couples the root to its children; the published hirr-par does not.
    const bool is_family = has_parents_ && has_siblings_;
    return std::make_unique<Hirr>(Hirr::Coupling{.alpha = has_parents_ ? alpha_ : 0,
                                                 .beta = has_siblings_ ? beta_ : 0,
                                                 .couples_root = is_family || !common_.as_published,
                                                 .couples_children = !common_.as_published});
  }
  KeptMatrices kept_matrices(const SelectionInput& input) const override {
    if (!has_siblings_ || beta_ == 0) return {};
    return {.others = kept_sibling_sums(input.data.taxonomy(), input.tables, input.data.features())};
  }

  bool can_share_nodes() const override { return true; }

 private:
  bool has_parents_;
  bool has_siblings_;
  double alpha_ = 1;
  double beta_ = 1;
};

}  // namespace

std::unique_ptr<Selector> make_hier_fs() {
  return std::make_unique<HirrSelector>("hier-fs", false, false);
}
std::unique_ptr<Selector> make_hirr_par() {
  return std::make_unique<HirrSelector>("hirr-par", true, false);
}
std::unique_ptr<Selector> make_hirr_sib() {
  return std::make_unique<HirrSelector>("hirr-sib", false, true);
}
std::unique_ptr<Selector> make_hirr_fam() {
  return std::make_unique<HirrSelector>("hirr-fam", true, true);
}

}  // namespace clade
