#include <clade/split.h>
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "data/equal_rows.h"

namespace clade {
namespace {

// The samples that are left, by number of the given data, with their labels.
class Preparation {
 public:
  Preparation(const Dataset& data, Context& ctx) : data_(data), ctx_(ctx) {
    rows_.resize(static_cast<std::size_t>(data.samples()));
    std::iota(rows_.begin(), rows_.end(), Index{0});
    for (Index s = 0; s < data.samples(); ++s) labels_.emplace_back(data.labels(s).begin(), data.labels(s).end());
  }

  void keep_subtree(const std::string& name) {
    const auto node = data_.taxonomy().find(name);
    if (!node) {
      throw usage_error(fmt::format("`subtree`: '{}' is not in the hierarchy", name),
                        fmt::format("expected one of its {} nodes", data_.taxonomy().size()));
    }
    Index dropped = 0;
    for (auto& labels : labels_) {
      dropped += static_cast<Index>(std::erase_if(
          labels, [&](NodeId label) { return label != *node && !data_.taxonomy().is_ancestor(*node, label); }));
    }
    const Index left_out = keep_rows([&](Index s) { return !labels_of(s).empty(); });
    note(left_out, fmt::format("samples outside '{}' left out", name));
    Index inside = dropped;
    for (Index s = 0; s < data_.samples(); ++s) {
      if (labels_of(s).empty()) inside -= std::ssize(data_.labels(s));
    }
    note(inside, fmt::format("labels outside '{}' dropped from samples inside", name));
    changed_ = changed_ || inside > 0;
  }

  void keep_single_labels() {
    note(keep_rows([&](Index s) { return labels_of(s).size() == 1; }), "samples without exactly one label left out");
  }

  void keep_distinct() {
    const std::vector<Index> first_of = first_equal_rows(data_.subset(rows_), ctx_);
    const std::vector<Index> before = rows_;
    Index others = 0;
    std::vector<Index> kept;
    for (std::size_t k = 0; k < before.size(); ++k) {
      const auto first = static_cast<std::size_t>(first_of[k]);
      if (first == k) kept.push_back(before[k]);
      if (first != k && labels_of(before[k]) != labels_of(before[first])) ++others;
    }
    rows_ = std::move(kept);
    note(std::ssize(before) - std::ssize(rows_), "samples with the features of an earlier one left out");
    note(others, "of them have other labels than the one that was kept");
  }

  // The deepest node first, so that what is merged counts for its parent.
  void merge_small(Index least) {
    const Taxonomy& taxonomy = data_.taxonomy();
    std::vector<std::vector<Index>> samples_of(static_cast<std::size_t>(taxonomy.size()));
    for (const Index s : rows_) {
      for (const NodeId label : labels_of(s)) samples_of[static_cast<std::size_t>(label)].push_back(s);
    }
    Index merged = 0;
    for (NodeId node = taxonomy.size() - 1; node > 0; --node) {
      auto& samples = samples_of[static_cast<std::size_t>(node)];
      const NodeId parent = taxonomy.parents(node)[0];
      const bool at_top = parent == taxonomy.root() && taxonomy.has_virtual_root();
      if (samples.empty() || std::ssize(samples) >= least || at_top) continue;
      ++merged;
      for (const Index s : samples) {
        if (replace_label(s, node, parent)) samples_of[static_cast<std::size_t>(parent)].push_back(s);
      }
      samples.clear();
    }
    note(merged, fmt::format("classes with fewer than {} samples merged into their parents", least));
    changed_ = changed_ || merged > 0;
  }

  PreparedData result() && {
    if (rows_.empty()) throw usage_error("no sample is left", "expected options that keep some");
    if (!changed_) return {.data = data_.subset(rows_), .labels_changed = false, .notes = std::move(notes_)};
    const Taxonomy taxonomy = taxonomy_in_use();
    LabelSets sets;
    for (const Index s : rows_) {
      for (const NodeId label : labels_of(s)) sets.nodes.push_back(*taxonomy.find(data_.taxonomy().name(label)));
      std::sort(sets.nodes.begin() + sets.offsets.back(), sets.nodes.end());
      sets.offsets.push_back(std::ssize(sets.nodes));
    }
    return {.data = data_.subset(rows_).relabelled(taxonomy, std::move(sets)),
            .labels_changed = true,
            .notes = std::move(notes_)};
  }

 private:
  std::vector<NodeId>& labels_of(Index sample) { return labels_[static_cast<std::size_t>(sample)]; }

  // Labels and what is above them.
  Taxonomy taxonomy_in_use() {
    const Taxonomy& whole = data_.taxonomy();
    std::vector<bool> used(static_cast<std::size_t>(whole.size()), false);
    for (const Index s : rows_) {
      for (const NodeId label : labels_of(s)) used[static_cast<std::size_t>(label)] = true;
    }
    for (NodeId node = whole.size() - 1; node > 0; --node) {  // children come after their parents
      if (!used[static_cast<std::size_t>(node)]) continue;
      for (const NodeId above : whole.parents(node)) used[static_cast<std::size_t>(above)] = true;
    }
    std::vector<NodeId> kept;
    for (NodeId node = whole.has_virtual_root() ? 1 : 0; node < whole.size(); ++node) {
      if (used[static_cast<std::size_t>(node)]) kept.push_back(node);
    }
    std::ranges::sort(kept, {}, [&](NodeId node) { return whole.input_position(node); });
    TaxonomyBuilder builder;
    if (whole.has_virtual_root()) builder.imply_root();
    for (const NodeId node : kept) builder.node(whole.name(node));
    for (const NodeId node : kept) {
      for (const NodeId above : whole.parents(node)) {
        const bool stated = above != whole.root() || !whole.has_virtual_root();
        if (stated) builder.edge(whole.name(above), whole.name(node));
      }
    }
    return builder.build();
  }

  template <class Keep>
  Index keep_rows(Keep&& keep) {
    return static_cast<Index>(std::erase_if(rows_, [&](Index s) { return !keep(s); }));
  }

  // Returns false if the sample has the new label, or a more specific one, anyway.
  bool replace_label(Index sample, NodeId old, NodeId parent) {
    auto& labels = labels_of(sample);
    std::erase(labels, old);
    const auto implies = [&](NodeId label) { return label == parent || data_.taxonomy().is_ancestor(parent, label); };
    if (std::ranges::any_of(labels, implies)) return false;
    labels.insert(std::ranges::upper_bound(labels, parent), parent);
    return true;
  }

  void note(Index count, std::string_view what) {
    if (count > 0) notes_.push_back(fmt::format("{} {}", count, what));
  }

  const Dataset& data_;
  Context& ctx_;
  std::vector<Index> rows_;
  std::vector<std::vector<NodeId>> labels_;
  bool changed_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

PreparedData prepare(const Dataset& data, const PrepareOptions& options, Context& ctx) {
  Preparation preparation(data, ctx);
  if (!options.subtree.empty()) preparation.keep_subtree(options.subtree);
  if (options.single_labels) preparation.keep_single_labels();
  if (options.without_duplicates) preparation.keep_distinct();
  if (options.merge_below > 1) preparation.merge_small(options.merge_below);
  return std::move(preparation).result();
}

}  // namespace clade
