#include <clade/compare.h>
#include <clade/diagnose.h>
#include <clade/error.h>
#include <clade/learn.h>
#include <clade/recipes.h>
#include <clade/split.h>
#include <clade/text.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "core/progress.h"
#include "data/missing.h"
#include "experiment/diagnose/centroid_fit.h"
#include "experiment/diagnose/edit_taxonomy.h"
#include "experiment/diagnose/findings.h"
#include "experiment/diagnose/node_gains.h"
#include "experiment/diagnose/trials.h"
#include "pipeline/other_taxonomy.h"

namespace clade {
namespace {

std::vector<Index> labelled_only(const Dataset& data) {
  std::vector<Index> samples;
  for (Index s = 0; s < data.samples(); ++s) {
    if (!data.labels(s).empty()) samples.push_back(s);
  }
  return samples;
}

std::vector<NodeId> labels_of(const Dataset& data) {
  std::set<NodeId> labels;
  for (Index s = 0; s < data.samples(); ++s) labels.insert(data.labels(s).begin(), data.labels(s).end());
  return {labels.begin(), labels.end()};
}

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  // n - 1
};

MeanAndDeviation mean_and_deviation(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

// Which halves of the samples suggested an edit.
struct Candidate {
  TaxonomyEdit edit;
  bool by_half[2] = {false, false};
};

bool is_same(const TaxonomyEdit& a, const TaxonomyEdit& b) {
  return a.kind == b.kind && a.node == b.node && a.to == b.to;
}

// Does one of them undo the other, or need what it takes away?
bool clashes(const TaxonomyEdit& a, const TaxonomyEdit& b) {
  const bool moves = a.kind == TaxonomyEdit::Kind::kMove;
  if (moves && b.kind == TaxonomyEdit::Kind::kMove) return a.node == b.node;
  return a.node == b.node || a.to == b.node || b.to == a.node;
}

// Takes the progress of inner work, which is too fine to be shown, and hands on requests to stop.
class InnerProgress : public ProgressSink {
 public:
  InnerProgress(const Context& outer, std::shared_ptr<CancelToken> cancel)
      : outer_(outer), cancel_(std::move(cancel)) {}
  void update(std::string_view, std::int64_t, std::int64_t) override {
    if (outer_.cancelled()) cancel_->cancel();
  }

 private:
  const Context& outer_;
  std::shared_ptr<CancelToken> cancel_;
};

Context::Options inner_options(const Context& outer) {
  auto cancel = std::make_shared<CancelToken>();
  return {.threads = outer.threads(),
          .seed = outer.seed(),
          .log = [&outer](LogLevel level, std::string_view message) { outer.log(level, message); },
          .progress = std::make_shared<InnerProgress>(outer, cancel),
          .cancel = cancel};
}

class Diagnostician {
 public:
  Diagnostician(const Dataset& data, const DiagnoseOptions& options, Context& outer)
      : data_(data), options_(options), outer_(outer), ctx_(inner_options(outer)), labels_(labels_of(data)) {
    recipe_ = options.recipe.classifier.empty() ? top_down_recipe(data, options.recipe) : options.recipe;
    if (labels_.size() < 2) {
      throw usage_error(labels_.empty() ? "no sample has a label"
                                        : fmt::format("all {} labelled samples are of the class '{}'", data.samples(),
                                                      data.taxonomy().name(labels_[0])),
                        "expected at least two classes with samples");
    }
    const int fold_count = static_cast<int>(std::min<Index>(options.folds, data.samples()));
    const std::vector<int> dealt = stratified_folds(data, fold_count, outer.seed());
    folds_.assign(dealt.begin(), dealt.end());
    is_flat_ = data.taxonomy().levels() <= 2;
    has_several_labels_ = has_several_labels(data);
  }

  Diagnosis run() {
    compare_centroids();
    try_hierarchies();
    try_random();
    look_at_nodes();
    find_small();
    find_edits();
    result_.samples = data_.samples();
    result_.has_several_labels = has_several_labels_;
    result_.classes = std::ssize(labels_);
    result_.classifier = recipe_text(recipe_);
    result_.folds = static_cast<int>(*std::ranges::max_element(folds_) + 1);
    return std::move(result_);
  }

 private:
  void leave_out(std::string line) { result_.left_out.push_back(std::move(line)); }

  void compare_centroids() {
    if (holds_sequences(data_)) return leave_out("similarity of classes: sequences have no centroids");
    try {
      require_finite(data_, 0, data_.samples());
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      return leave_out("similarity of classes: some values are missing");
    }
    if (std::ssize(labels_) > kMostFitClasses) {
      leave_out(fmt::format("similarity of classes: {} of the {} classes were drawn", kMostFitClasses, labels_.size()));
    }
    result_.centroids = centroid_fit(data_, options_.permutations, ctx_);
  }

  TrialAnswers answers(const TaxonomySource& source) {
    outer_.check_cancelled();
    return answers_over(data_, recipe_, folds_, source, ctx_);
  }
  TrialAnswers answers(const Taxonomy& taxonomy) {
    return answers([&](const Dataset&, const std::vector<Index>&, Context&) { return taxonomy; });
  }

  void add_trial(std::string name, const TrialAnswers& found) {
    HierarchyTrial trial;
    trial.name = std::move(name);
    trial.accuracy = found.accuracy();
    trial.hierarchical_f1 = found.hierarchical_f1();
    if (!result_.trials.empty()) trial.given_gain = paired_gain(given_, found);
    result_.trials.push_back(std::move(trial));
  }

  // The given hierarchy, none, and those of all learners that suit the data.
  void try_hierarchies() {
    const std::vector<MethodInfo> learners = taxonomy_learners();
    Progress progress(outer_, "hierarchies", std::ssize(learners) + 2);
    given_ = answers(TaxonomySource());
    add_trial("given", given_);
    progress.advance();
    flat_ = is_flat_ ? given_ : answers(flattened(data_));
    if (!is_flat_) add_trial("flat", flat_);
    progress.advance();
    for (const MethodInfo& learner : learners) {
      LearnTaxonomyOptions learn;
      learn.method = std::string(learner.name);
      try {
        add_trial(learn.method, answers([&](const Dataset& all, const std::vector<Index>& training, Context& ctx) {
                    return learn_taxonomy(all.subset(training), learn, ctx).taxonomy;
                  }));
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::kInput) throw;
        HierarchyTrial trial;
        trial.name = learn.method;
        trial.problem = error.problem();
        result_.trials.push_back(std::move(trial));
      }
      progress.advance();
    }
  }

  void try_random() {
    if (is_flat_) return leave_out("random hierarchies: the data has no hierarchy to draw others like");
    if (options_.draws == 0) return;
    std::vector<double> accuracy;
    std::vector<double> f1;
    Progress progress(outer_, "random hierarchies", options_.draws);
    try {
      for (int draw = 0; draw < options_.draws; ++draw) {
        const TrialAnswers found =
            answers(random_taxonomy_like(data_.taxonomy(), ctx_.seed() + static_cast<std::uint64_t>(draw)));
        accuracy.push_back(found.accuracy());
        f1.push_back(found.hierarchical_f1());
        progress.advance();
      }
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::kInput) throw;
      return leave_out("random hierarchies: " + error.problem());
    }
    RandomTrials random;
    random.draws = options_.draws;
    const MeanAndDeviation of_accuracy = mean_and_deviation(accuracy);
    const MeanAndDeviation of_f1 = mean_and_deviation(f1);
    random.accuracy = of_accuracy.mean;
    random.accuracy_deviation = of_accuracy.deviation;
    random.hierarchical_f1 = of_f1.mean;
    random.hierarchical_f1_deviation = of_f1.deviation;
    random.best_accuracy = *std::ranges::max_element(accuracy);
    random.best_hierarchical_f1 = *std::ranges::max_element(f1);
    const double own = has_several_labels_ ? given_.hierarchical_f1() : given_.accuracy();
    random.as_good = std::ranges::count_if(has_several_labels_ ? f1 : accuracy, [&](double v) { return v >= own; });
    random.p = static_cast<double>(random.as_good + 1) / static_cast<double>(random.draws + 1);
    result_.random = random;
  }

  void look_at_nodes() {
    if (options_.nodes == 0) return;
    if (is_flat_) return leave_out("gain of each node: the data has no hierarchy");
    if (has_several_labels_) return leave_out("gain of each node: samples have several labels");
    if (!data_.taxonomy().is_tree()) return leave_out("gain of each node: the hierarchy is a DAG");
    const auto inner = std::ssize(data_.taxonomy().internal_nodes());
    if (inner > options_.nodes) {
      leave_out(fmt::format("gain of each node: the {} of {} inner nodes with the most samples; `nodes` allows more",
                            options_.nodes, inner));
    }
    Progress progress(outer_, "nodes", std::min<Index>(inner, options_.nodes));
    result_.nodes = node_gains(data_, recipe_, folds_, labels_, given_, flat_, options_.nodes, progress, ctx_);
  }

  void find_small() { result_.small = small_classes(data_, options_.fewest); }

  void find_edits() {
    if (has_several_labels_) {
      leave_out("siblings that cannot be told apart, moves and removals: samples have several labels");
    } else {
      std::vector<Index> all(static_cast<std::size_t>(data_.samples()));
      std::iota(all.begin(), all.end(), Index{0});
      result_.alike = alike_siblings(data_.taxonomy(), class_counts(data_, given_, all));
    }
    if (can_edit()) measure_edits(candidates());
    for (TaxonomyEdit& chain : chains_of(data_.taxonomy(), labels_)) {
      chain.is_accepted = true;
      result_.edits.push_back(std::move(chain));
    }
    std::vector<TaxonomyEdit> accepted;
    std::ranges::copy_if(result_.edits, std::back_inserter(accepted), &TaxonomyEdit::is_accepted);
    result_.edited = accepted.empty() ? data_.taxonomy() : edited_taxonomy(data_.taxonomy(), accepted, labels_);
    const auto measured =
        std::ranges::count_if(accepted, [](const TaxonomyEdit& edit) { return edit.gain.has_value(); });
    if (measured > 0) result_.edited_gain = paired_gain(answers(result_.edited), given_);
  }

  // Are moves and removals to be tried?
  bool can_edit() {
    constexpr std::size_t kMostClasses = 5000;  // their cosines take 200 MB
    if (is_flat_ || has_several_labels_ || options_.edits == 0) return false;
    std::string reason;
    if (!data_.taxonomy().is_tree()) reason = "the hierarchy is a DAG";
    if (!result_.centroids) reason = "classes have no centroids";
    if (labels_.size() > kMostClasses) reason = fmt::format("more than {} classes", kMostClasses);
    if (!reason.empty()) leave_out("moves and removals: " + reason);
    return reason.empty();
  }

  // Each half of the samples suggests some.
  std::vector<Candidate> candidates() {
    halves_ = stratified_folds(data_, 2, ctx_.seed() + 1);
    std::vector<Candidate> all;
    for (int half = 0; half < 2; ++half) {
      for (TaxonomyEdit& edit :
           suggested_edits(data_, given_, flat_, fold_split(halves_, half).test, options_.edits, ctx_)) {
        auto found = std::ranges::find_if(all, [&](const Candidate& c) { return is_same(c.edit, edit); });
        if (found == all.end()) found = all.insert(all.end(), Candidate{.edit = std::move(edit)});
        found->by_half[half] = true;
      }
    }
    return all;
  }

  // On the samples of the half that did not suggest the edit. If both did, each measures what the other suggested.
  void measure_edits(std::vector<Candidate> all) {
    Progress progress(outer_, "edits", std::ssize(all));
    std::vector<double> p;
    for (Candidate& candidate : all) {
      std::vector<Index> samples;
      for (Index s = 0; s < data_.samples(); ++s) {
        if (candidate.by_half[1 - halves_[static_cast<std::size_t>(s)]]) samples.push_back(s);
      }
      const TrialAnswers found = answers(edited_taxonomy(data_.taxonomy(), {&candidate.edit, 1}, labels_));
      candidate.edit.gain = paired_gain(found, given_, samples);
      p.push_back(candidate.edit.gain->p);
      progress.advance();
    }
    const std::vector<double> adjusted = holm_adjusted(p);
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k].edit.p = adjusted[k];
      result_.edits.push_back(std::move(all[k].edit));
    }
    std::ranges::sort(result_.edits, {}, [](const TaxonomyEdit& edit) {
      return std::tuple(-edit.gain->accuracy, edit.kind, edit.node, edit.to);
    });
    std::vector<TaxonomyEdit> accepted;
    for (TaxonomyEdit& edit : result_.edits) {
      const bool is_free = std::ranges::none_of(accepted, [&](const TaxonomyEdit& a) { return clashes(a, edit); });
      edit.is_accepted = is_free && edit.gain->accuracy > 0 && edit.p <= options_.alpha;
      if (edit.is_accepted) accepted.push_back(edit);
    }
  }

  const Dataset& data_;
  const DiagnoseOptions& options_;
  Context& outer_;
  Context ctx_;                 // of the work, whose progress is not shown
  std::vector<NodeId> labels_;  // that samples have
  Recipe recipe_;
  std::vector<Index> folds_;
  std::vector<int> halves_;
  bool is_flat_ = false;
  bool has_several_labels_ = false;
  TrialAnswers given_;
  TrialAnswers flat_;
  Diagnosis result_{.edited = flat_taxonomy({})};
};

}  // namespace

void describe(ParameterTable& v, DiagnoseOptions& o) {
  v("folds", o.folds, between(2, 1000), "folds of the cross-validations");
  v("draws", o.draws, between(0, 100'000), "random hierarchies to compare with");
  v("permutations", o.permutations, between(1, 10'000'000), "of the classes, to test whether near classes are alike");
  v("nodes", o.nodes, between(0, 1e15), "most inner nodes that are looked at one by one, those with the most samples");
  v("edits", o.edits, between(0, 100'000), "most edits that each half of the samples suggests");
  v("fewest", o.fewest, between(0, 1e15), "classes with fewer samples are listed");
  v("alpha", o.alpha, inside(0, 1), "largest adjusted p-value of an edit that is proposed");
}

Diagnosis diagnose(const Dataset& data, const DiagnoseOptions& options, Context& ctx) {
  const auto start = std::chrono::steady_clock::now();
  const Context::NotesOnce once(ctx);
  if (!options.recipe.classifier.empty()) check_request(options.recipe);
  const std::vector<Index> labelled = labelled_only(data);
  const bool has_all = std::ssize(labelled) == data.samples();
  if (!has_all) ctx.info(fmt::format("samples without a label, left out: {}", data.samples() - std::ssize(labelled)));
  Diagnosis result = Diagnostician(has_all ? data : data.subset(labelled), options, ctx).run();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace clade
