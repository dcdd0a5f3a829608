#pragma once

// Everything. Each subject has a header of its own:
//
//   data.h      data sets from files and from memory, taxonomies, splits, text, generated data
//   select.h    which features matter at which node
//   train.h     a recipe becomes a model; model.h keeps it, predict.h applies it
//   evaluate.h  measures of predictions; pipeline.h cross-validates recipes; compare.h tests whether methods differ
//   learn.h     a hierarchy where there is none; cluster.h groups of samples; feature_tree.h groups of features
//
// context.h has what a piece of work runs with (threads, seed, log, progress), error.h the one exception.

#include <clade/cluster.h>
#include <clade/compare.h>
#include <clade/data.h>
#include <clade/evaluate.h>
#include <clade/feature_tree.h>
#include <clade/learn.h>
#include <clade/model.h>
#include <clade/pipeline.h>
#include <clade/predict.h>
#include <clade/select.h>
#include <clade/train.h>
#include <clade/version.h>
