#pragma once

#include <clade/dataset.h>
#include <clade/parameters.h>
#include <clade/select.h>
#include <clade/types.h>

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace clade {

// What several recipes learn alike from the same samples: vectorised texts, rankings of features. Each thing is made
// once, by whoever needs it first; others who need it at the same time wait. Of more than `most_bytes`, what was not
// used for longest is forgotten. Safe for threads.
class SharedLearning {
 public:
  explicit SharedLearning(double most_bytes) : most_bytes_(most_bytes) {}

  struct Made {
    std::shared_ptr<const void> value;
    double bytes = 0;
  };

  // `spared` grows by the seconds that it took to make the thing, if it is there already, so that the times of a recipe
  // are those that it would take alone.
  template <class T>
  std::shared_ptr<const T> get(const std::string& key, double& spared, const std::function<Made()>& make) {
    return std::static_pointer_cast<const T>(find(key, spared, make));
  }

 private:
  struct Entry {
    std::mutex mutex;
    Made made;
    double seconds = 0;
  };
  using Recent = std::list<std::string>;
  struct Place {
    std::shared_ptr<Entry> entry;
    Recent::iterator recent;
    double bytes = 0;
  };

  std::shared_ptr<const void> find(const std::string& key, double& spared, const std::function<Made()>& make);
  std::shared_ptr<Entry> entry_of(const std::string& key);
  void charge(const std::string& key, double bytes);

  std::mutex mutex_;
  std::map<std::string, Place> places_;
  Recent recent_;  // the latest first
  double bytes_ = 0;
  double most_bytes_;
};

// The things that recipes over the same data and taxonomy share.
struct SharedScope {
  SharedLearning* learning = nullptr;
  std::string name;                  // of the data and the taxonomy
  std::vector<ParameterValue> tops;  // numbers of features that the recipes with the same selection use
  // Is shown every ranking that a recipe learns with, whoever made it.
  std::function<void(const FeatureRanking& ranking)> show = {};
};

// Names some samples of a data set, which may be a view.
std::string samples_key(const Dataset& data, std::span<const Index> samples);

double feature_bytes(const Dataset& data);
double ranking_bytes(const FeatureRanking& ranking);

}  // namespace clade
