#include <clade/error.h>
#include <clade/select.h>

#include <string>

#include "select/filter/filters.h"
#include "select/recursive/recursive_selector.h"
#include "select/selector.h"
#include "select/unsupervised/unsupervised.h"

namespace clade {
namespace {

struct SelectorEntry {
  SelectorInfo info;
  std::unique_ptr<Selector> (*make)();
};

constexpr SelectorEntry kSelectors[] = {
    {{"hier-fs", "sparse regression at every node by itself", "Zhao et al. 2019"}, make_hier_fs},
    {{"hirr-par", "the same, parent and child drawn together", "Zhao et al. 2019"}, make_hirr_par},
    {{"hirr-sib", "the same, siblings driven apart", "Zhao et al. 2019"}, make_hirr_sib},
    {{"hirr-fam", "both: parent and child together, siblings apart", "Zhao et al. 2019"}, make_hirr_fam},
    {{"lccshfs", "nodes with unlike labels get unlike features", "Lin et al. 2022"}, make_lccshfs},
    {{"fs-mgkc", "links of the hierarchy in the fit, redundancy between features", "FS-MGKC"}, make_fs_mgkc},
    {{"fs-base", "fs-mgkc without both parts", "FS-MGKC"}, make_fs_base},
    {{"fs-mc", "fs-mgkc with links only", "FS-MGKC"}, make_fs_mc},
    {{"fs-dr", "fs-mgkc with redundancy only", "FS-MGKC"}, make_fs_dr},
    {{"hfscn", "hirr-par that leaves noisy samples out", "HFSCN"}, make_hfscn},
    {{"hfsdk", "capped loss with slack and intercept, children drawn to their mean", "HFSDK"}, make_hfsdk},
    {{"hfsgr", "every node drawn to its neighbours in the hierarchy", "HFSGR"}, make_hfsgr},
    {{"hier-fisher", "ratio of between- to within-class scatter at every node", "Duda et al. 2001"},
     [] { return make_fisher(false); }},
    {{"hier-fsnm", "robust sparse regression (l2,1 loss and penalty) at every node", "Nie et al. 2010"},
     [] { return make_fsnm(false); }},
    {{"hier-mrmr", "relevance less redundancy, by mutual information, at every node", "Peng et al. 2005"},
     [] { return make_mrmr(false); }},
    {{"fisher", "the Fisher score over the leaves, for the whole data set", "Duda et al. 2001"},
     [] { return make_fisher(true); }},
    {{"fsnm", "robust sparse regression over the leaves", "Nie et al. 2010"}, [] { return make_fsnm(true); }},
    {{"mrmr", "relevance less redundancy over the leaves", "Peng et al. 2005"}, [] { return make_mrmr(true); }},
    {{"hufs", "without labels: clusters and features, by groups of a feature hierarchy", "Wang et al. 2017"},
     make_hufs},
    {{"eufs", "without labels: the same without a hierarchy", "Wang et al. 2015"}, make_eufs},
    {{"laplacian", "without labels: features in which neighbours agree", "He et al. 2005"}, make_laplacian},
    {{"mcfs", "without labels: few features that fit the smoothest functions of the samples", "Cai et al. 2010"},
     make_mcfs},
    {{"ndfs", "without labels: few features that predict clusters of neighbours", "Li et al. 2012"}, make_ndfs},
    {{"rufs", "without labels: the same, with losses that forgive outliers", "Qian and Zhai 2013"}, make_rufs},
};

}  // namespace

std::vector<SelectorInfo> selectors() {
  std::vector<SelectorInfo> infos;
  for (const SelectorEntry& entry : kSelectors) infos.push_back(entry.info);
  return infos;
}

std::unique_ptr<Selector> make_selector(std::string_view name) {
  std::string names;
  for (const SelectorEntry& entry : kSelectors) {
    if (entry.info.name == name) return entry.make();
    names += (names.empty() ? "" : ", ") + std::string(entry.info.name);
  }
  throw usage_error("no selector '" + std::string(name) + "'", "expected one of " + names);
}

}  // namespace clade
