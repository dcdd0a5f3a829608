#pragma once

// Includes all public headers. Each subject has its own:
//
//   data.h      data sets from files and from memory, taxonomies, splits, text, generated data
//   select.h    ranks the features at each node
//   train.h     trains a model from a recipe; recipes.h finds one, decide.h says how label sets are decided; model.h
//               stores the model, predict.h applies it, explain.h shows its weights, node_scores.h gives its scores at
//               every node, conformal.h answers with a guarantee
//   evaluate.h  measures predictions; pipeline.h cross-validates recipes; compare.h tests whether methods differ, and
//               paired.h whether two models do; experiment.h runs many recipes on many data sets,
//               experiment_results.h reads what they found, plan.h says what a piece of work will take
//   learn.h     learns a hierarchy where there is none; diagnose.h says whether one fits the data; cluster.h groups
//               samples; feature_tree.h groups features
//
// context.h has the settings of a piece of work (threads, seed, log, progress), error.h the one exception, build.h says
// how the library was built.

#include <clade/build.h>
#include <clade/cluster.h>
#include <clade/compare.h>
#include <clade/conformal.h>
#include <clade/data.h>
#include <clade/decide.h>
#include <clade/diagnose.h>
#include <clade/evaluate.h>
#include <clade/experiment.h>
#include <clade/experiment_results.h>
#include <clade/explain.h>
#include <clade/feature_tree.h>
#include <clade/learn.h>
#include <clade/model.h>
#include <clade/node_scores.h>
#include <clade/paired.h>
#include <clade/pipeline.h>
#include <clade/plan.h>
#include <clade/predict.h>
#include <clade/recipes.h>
#include <clade/select.h>
#include <clade/train.h>
#include <clade/version.h>
