#include "select/naive.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "plain_inverse.h"

namespace clade::testing {

NaiveProblem naive_problem(const Dataset& data) {
  const Taxonomy& taxonomy = data.taxonomy();
  NaiveProblem problem;
  problem.features = data.features();
  const auto below = [&](NodeId node, Index s) {
    for (const NodeId label : data.labels(s)) {
      if (label == node || taxonomy.is_ancestor(node, label)) return true;
    }
    return false;
  };
  std::vector<NodeId> internal;
  for (NodeId node = 0; node < taxonomy.size(); ++node) {
    if (!taxonomy.is_leaf(node)) internal.push_back(node);
  }
  for (const NodeId node : internal) {
    NaiveNode n;
    n.node = node;
    std::vector<Index> rows;
    for (Index s = 0; s < data.samples(); ++s) {
      if (below(node, s)) rows.push_back(s);
    }
    n.x = NaiveMatrix::Zero(static_cast<Index>(rows.size()), data.features());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      data.for_each_value(rows[r],
                          [&](FeatureIndex f, auto v) { n.x(static_cast<Index>(r), f) = static_cast<double>(v); });
    }
    std::vector<std::vector<double>> columns;
    for (NodeId child = 0; child < taxonomy.size(); ++child) {
      const auto parents = taxonomy.parents(child);
      if (std::find(parents.begin(), parents.end(), node) == parents.end()) continue;
      std::vector<double> column;
      double sum = 0;
      for (const Index s : rows) {
        column.push_back(below(child, s) ? 1 : 0);
        sum += column.back();
      }
      if (sum > 0) columns.push_back(column);
    }
    n.classes = static_cast<Index>(columns.size());
    n.y = NaiveMatrix::Zero(n.x.rows(), n.classes);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t r = 0; r < rows.size(); ++r) n.y(static_cast<Index>(r), static_cast<Index>(c)) = columns[c][r];
    }
    problem.width = std::max(problem.width, n.classes);
    for (std::size_t k = 0; k < internal.size(); ++k) {
      const NodeId other = internal[k];
      if (other == node) continue;
      const auto has = [](std::span<const NodeId> list, NodeId v) {
        return std::find(list.begin(), list.end(), v) != list.end();
      };
      const bool is_parent = has(taxonomy.parents(node), other);
      const bool is_child = has(taxonomy.parents(other), node);
      bool shares = false;
      for (const NodeId p : taxonomy.parents(node)) shares = shares || has(taxonomy.parents(other), p);
      if (is_parent) n.parents.push_back(k);
      if (is_child) n.children.push_back(k);
      if (shares && !is_parent && !is_child) n.siblings.push_back(k);
    }
    problem.nodes.push_back(n);
  }
  for (NaiveNode& n : problem.nodes) {
    const Index before = n.y.cols();
    n.y.conservativeResize(n.y.rows(), problem.width);
    n.y.rightCols(problem.width - before).setZero();
  }
  return problem;
}

NaiveMatrix naive_centre(const NaiveMatrix& w) {
  const Index p = w.rows();
  return (NaiveMatrix::Identity(p, p) - NaiveMatrix::Constant(p, p, 1.0 / static_cast<double>(p))) * w;
}

double naive_similarity(const NaiveProblem& problem, const Dataset& data, std::size_t i, std::size_t j,
                        bool ancestors) {
  const Taxonomy& taxonomy = data.taxonomy();
  double both = 0, one = 0, two = 0;
  const auto count = [&](bool a, bool b) {
    both += a && b ? 1 : 0;
    one += a ? 1 : 0;
    two += b ? 1 : 0;
  };
  const NodeId a = problem.nodes[i].node, b = problem.nodes[j].node;
  if (ancestors) {
    for (NodeId v = 0; v < taxonomy.size(); ++v) {
      count(v == a || taxonomy.is_ancestor(v, a), v == b || taxonomy.is_ancestor(v, b));
    }
  } else {
    for (Index s = 0; s < data.samples(); ++s) {
      bool in_a = false, in_b = false;
      for (const NodeId label : data.labels(s)) {
        in_a = in_a || taxonomy.is_ancestor(a, label);
        in_b = in_b || taxonomy.is_ancestor(b, label);
      }
      count(in_a, in_b);
    }
  }
  return both == 0 ? 0 : both / std::sqrt(one * two);
}

double naive_kept(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto kept = std::max<long>(1, std::lround(share * static_cast<double>(values.size())));
  return values[static_cast<std::size_t>(kept - 1)];
}

std::vector<std::size_t> naive_order(const NaiveProblem& problem, const Dataset& data, bool as_published) {
  std::vector<std::size_t> order{0};
  const auto add = [&](std::size_t k) {
    if (std::find(order.begin(), order.end(), k) == order.end()) order.push_back(k);
  };
  for (int k = 0; as_published; ++k) {
    const auto node = data.taxonomy().find("n" + std::to_string(k));
    if (!node) break;
    for (const NodeId parent : data.taxonomy().parents(*node)) {
      for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
        if (problem.nodes[i].node == parent) add(i);
      }
    }
  }
  for (std::size_t k = 0; k < problem.nodes.size(); ++k) add(k);  // the rest: those with miscellaneous leaves only
  return order;
}

namespace {

struct NaiveRows {
  Eigen::VectorXd& weights;
  NaiveMatrix& targets;
  double& cap;
};

// What the published hfsdk does with the rows of a node after its weights are solved for.
void naive_published_rows(const NaiveNode& n, const NaiveMatrix& w, bool moves_cap, double power, NaiveRows rows) {
  const double epsilon = std::pow(2.0, -52);
  const Index size = n.x.rows();
  const double total = rows.weights.sum();
  const Eigen::RowVectorXd b =
      (rows.weights.transpose() * rows.targets - (n.x.transpose() * rows.weights).transpose() * w) / total;
  std::vector<std::pair<double, Index>> sorted;
  for (Index r = 0; r < size; ++r) {
    double square = 0;
    for (Index c = 0; c < w.cols(); ++c) {
      const double e1 = n.x.row(r).dot(w.col(c)) + b(c) - n.y(r, c);
      const double slack = std::max(n.y(r, c) * e1, 0.0);
      rows.targets(r, c) = n.y(r, c) + n.y(r, c) * slack;
      square += std::pow(e1 - n.y(r, c) * slack, 2);
    }
    sorted.emplace_back(std::pow(std::sqrt(square + epsilon), power), r);
  }
  std::sort(sorted.begin(), sorted.end());
  const auto kept = static_cast<std::size_t>(std::ceil(0.8 * static_cast<double>(size)));
  if (moves_cap) rows.cap = kept < sorted.size() ? sorted[kept].first : HUGE_VAL;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const auto& [loss, r] = sorted[k];
    const bool counts = moves_cap ? k < kept : loss < rows.cap;
    rows.weights(r) = counts ? power / 2 * std::pow(std::pow(loss, 1 / power), (power - 2) / 2) : epsilon;
  }
}

}  // namespace

std::vector<NaiveMatrix> naive_solve(const NaiveProblem& problem, const Dataset& data, std::vector<NaiveMatrix> w,
                                     const NaiveSettings& s) {
  const Index p = problem.features;
  const NaiveMatrix identity = NaiveMatrix::Identity(p, p);
  std::vector<Eigen::VectorXd> f;
  std::vector<NaiveMatrix> z;
  std::vector<double> cap(w.size(), 0);
  for (const NaiveNode& n : problem.nodes) {
    f.push_back(Eigen::VectorXd::Ones(n.x.rows()));
    z.push_back(n.y);
  }
  std::vector<NaiveMatrix> fixed_d;
  const std::vector<std::size_t> order = naive_order(problem, data, s.as_published);
  for (int t = 0; t < s.iterations; ++t) {
    std::vector<NaiveMatrix> d;
    const double eps = s.method == "hfscn" ? std::pow(2.0, -52) : 1e-8;
    for (const NaiveMatrix& wi : w) {
      NaiveMatrix di = NaiveMatrix::Zero(p, p);
      for (Index j = 0; j < p; ++j) di(j, j) = 1 / (2 * std::max(wi.row(j).norm(), eps));
      d.push_back(di);
    }
    if (t == 0) fixed_d = d;
    if (s.method == "hfsdk" && s.as_published) d = fixed_d;
    if (s.method == "hfscn" && (t > 0 || s.as_published)) {
      for (std::size_t i = 0; i < w.size(); ++i) {
        const NaiveMatrix r = problem.nodes[i].x * w[i] - problem.nodes[i].y;
        if (r.rows() == 0) continue;
        std::vector<double> norms;
        for (Index k = 0; k < r.rows(); ++k) norms.push_back(r.row(k).norm());
        const double limit = naive_kept(norms, 1 - s.cap);
        for (Index k = 0; k < r.rows(); ++k) {
          const double norm = norms[static_cast<std::size_t>(k)];
          f[i](k) = norm <= limit ? 1 / std::max(norm, std::pow(2.0, -52)) : 0;
        }
      }
    }
    if (s.method == "hfsdk" && !s.as_published) {
      for (std::size_t i = 0; i < w.size(); ++i) {
        const NaiveNode& n = problem.nodes[i];
        if (n.x.rows() == 0) continue;
        NaiveMatrix values = n.x * w[i];
        const Eigen::RowVectorXd b = (f[i].transpose() * (z[i] - values)) / f[i].sum();
        values.rowwise() += b;
        std::vector<double> squares;
        for (Index r = 0; r < n.x.rows(); ++r) {
          double square = 0;
          for (Index c = 0; c < problem.width; ++c) {
            const double slack = std::max(n.y(r, c) * (values(r, c) - n.y(r, c)), 0.0);
            z[i](r, c) = n.y(r, c) + n.y(r, c) * slack;
            square += std::pow(values(r, c) - z[i](r, c), 2);
          }
          squares.push_back(square);
        }
        if (t < 0.4 * s.iterations) cap[i] = naive_kept(squares, 0.8);
        for (Index r = 0; r < n.x.rows(); ++r) {
          const double q = squares[static_cast<std::size_t>(r)];
          f[i](r) = q <= cap[i] ? s.power / 2 * std::pow(q, (s.power - 2) / 2) : 0;
        }
        if (f[i].sum() == 0) f[i].setOnes();
      }
    }
    for (const std::size_t i : order) {
      const NaiveNode& n = problem.nodes[i];
      const bool root = n.parents.empty();
      NaiveMatrix a = n.x.transpose() * n.x + s.lambda * d[i];
      NaiveMatrix b = n.x.transpose() * n.y;
      if (s.method == "hfscn") {
        a = n.x.transpose() * f[i].asDiagonal() * n.x + s.lambda * d[i];
        b = n.x.transpose() * f[i].asDiagonal() * n.y;
      }
      const bool par = s.method == "hirr-par" || s.method == "hirr-fam" || s.method == "hfscn";
      if (par) {
        for (const std::size_t k : n.parents) {
          a += s.alpha * identity;
          b += s.alpha * w[k];
        }
        const bool pulls = root ? (!s.as_published || s.method == "hirr-fam") : !s.as_published;
        for (const std::size_t k : n.children) {
          if (!pulls) continue;
          a += s.alpha * identity;
          b += s.alpha * w[k];
        }
      }
      if (s.method == "hirr-sib" || s.method == "hirr-fam") {
        for (const std::size_t k : n.siblings) {
          const NaiveMatrix h = naive_centre(w[k]);
          a += 2 * s.beta * (h * h.transpose());
        }
      }
      if (s.method == "hfsgr") {
        std::vector<std::size_t> all = n.parents;
        all.insert(all.end(), n.children.begin(), n.children.end());
        for (const std::size_t k : all) {
          a += s.beta * identity;
          b += s.beta * w[k];
        }
      }
      if (s.method == "lccshfs") {
        for (std::size_t k = 0; k < w.size(); ++k) {
          if (k != i) b -= s.alpha * (1 - naive_similarity(problem, data, i, k, s.ancestors)) * w[k];
        }
      }
      if (s.method == "fs-mgkc" || s.method == "fs-mc" || s.method == "fs-dr") {
        const double al = s.method == "fs-dr" ? 0 : s.alpha;
        const double be = s.method == "fs-mc" ? 0 : s.beta;
        double l = 0;
        for (std::size_t k = 0; k < w.size(); ++k) {
          const auto in = [k](const std::vector<std::size_t>& list) {
            return std::find(list.begin(), list.end(), k) != list.end();
          };
          double m = s.as_published ? 1 : 0;
          if (in(n.siblings)) m = 1 / std::numbers::e;
          if (in(n.parents) || in(n.children)) m = std::numbers::e;
          if (s.as_published && k == 0) continue;  // the root's column
          l += m;
        }
        a += al * l * n.x.transpose() * n.x;
        NaiveMatrix r = NaiveMatrix::Zero(p, p);
        for (Index j = 0; j < p; ++j) {
          for (Index k = 0; k < p; ++k) {
            const double square = (n.x.col(j) - n.x.col(k)).squaredNorm();
            r(j, k) = s.as_published ? square : std::sqrt(square);
          }
        }
        if (s.psd) {
          const NaiveMatrix h = identity - NaiveMatrix::Constant(p, p, 1.0 / static_cast<double>(p));
          r = h * n.x.transpose() * n.x * h;
        }
        a += be * r;
      }
      if (s.method == "hfsdk") {
        NaiveMatrix mean = NaiveMatrix::Zero(p, problem.width);
        if (!s.as_published && !n.children.empty()) {
          for (const std::size_t k : n.children) mean += w[k] / static_cast<double>(n.children.size());
        }
        a = s.lambda * d[i] + s.beta * identity;
        b = s.beta * mean;
        if (n.x.rows() > 0) {
          const NaiveMatrix h = NaiveMatrix(f[i].asDiagonal()) - f[i] * f[i].transpose() / f[i].sum();
          a += n.x.transpose() * h * n.x;
          b += n.x.transpose() * h * z[i];
        }
      }
      w[i] = plain_inverse(a) * b;
      if (s.method == "hfsdk" && s.as_published && n.x.rows() > 0) {
        naive_published_rows(n, w[i], t + 1 <= std::floor(0.4 * s.iterations), s.power, {f[i], z[i], cap[i]});
      }
    }
  }
  return w;
}
}  // namespace clade::testing
