// The table of selectors. To add one, write its file; declare its factory function here and list it.

#include "core/method_table.h"
#include "select/selector.h"

namespace clade {

std::unique_ptr<Selector> make_hier_fs();
std::unique_ptr<Selector> make_hirr_par();
std::unique_ptr<Selector> make_hirr_sib();
std::unique_ptr<Selector> make_hirr_fam();
std::unique_ptr<Selector> make_lccshfs();
std::unique_ptr<Selector> make_fs_mgkc();
std::unique_ptr<Selector> make_fs_base();
std::unique_ptr<Selector> make_fs_mc();
std::unique_ptr<Selector> make_fs_dr();
std::unique_ptr<Selector> make_hfscn();
std::unique_ptr<Selector> make_hfsdk();
std::unique_ptr<Selector> make_hfsgr();
std::unique_ptr<Selector> make_forest_selector();
std::unique_ptr<Selector> make_ridge_selector();
std::unique_ptr<Selector> make_fisher(bool is_flat);
std::unique_ptr<Selector> make_fsnm(bool is_flat);
std::unique_ptr<Selector> make_mrmr(bool is_flat);
std::unique_ptr<Selector> make_hufs();
std::unique_ptr<Selector> make_eufs();
std::unique_ptr<Selector> make_laplacian();
std::unique_ptr<Selector> make_mcfs();
std::unique_ptr<Selector> make_ndfs();
std::unique_ptr<Selector> make_rufs();

namespace {

constexpr MethodRow<Selector> kSelectors[] = {
    {"hier-fs", "sparse regression at every node by itself", "Zhao et al. 2019", make_hier_fs},
    {"hirr-par", "the same, parent and child drawn together", "Zhao et al. 2019", make_hirr_par},
    {"hirr-sib", "the same, siblings driven apart", "Zhao et al. 2019", make_hirr_sib},
    {"hirr-fam", "both: parent and child together, siblings apart", "Zhao et al. 2019", make_hirr_fam},
    {"lccshfs", "nodes with unlike labels get unlike features", "Lin et al. 2022", make_lccshfs},
    {"fs-mgkc", "links of the hierarchy in the fit, redundancy between features", "Shi and Zhao 2023", make_fs_mgkc},
    {"fs-base", "fs-mgkc without both parts", "Shi and Zhao 2023", make_fs_base},
    {"fs-mc", "fs-mgkc with links only", "Shi and Zhao 2023", make_fs_mc},
    {"fs-dr", "fs-mgkc with redundancy only", "Shi and Zhao 2023", make_fs_dr},
    {"hfscn", "hirr-par that leaves noisy samples out", "Liu and Zhao 2021", make_hfscn},
    {"hfsdk", "capped loss with slack and intercept, children drawn to their mean", "Liu et al. 2021", make_hfsdk},
    {"hfsgr", "every node drawn to its neighbours in the hierarchy", "Tuo et al. 2019", make_hfsgr},
    {"hier-fisher", "ratio of between- to within-class scatter at every node", "Duda et al. 2001",
     [] { return make_fisher(false); }},
    {"hier-fsnm", "robust sparse regression (l2,1 loss and penalty) at every node", "Nie et al. 2010",
     [] { return make_fsnm(false); }},
    {"hier-mrmr", "relevance less redundancy, by mutual information, at every node", "Peng et al. 2005",
     [] { return make_mrmr(false); }},
    {"forest", "how much the splits of a forest tell the children of every node apart", "Clade", make_forest_selector},
    {"kernel-ridge", "how much the scores of kernel ridge regression at every node change with a feature", "Clade",
     make_ridge_selector},
    {"fisher", "the Fisher score over the leaves, for the whole data set", "Duda et al. 2001",
     [] { return make_fisher(true); }},
    {"fsnm", "robust sparse regression over the leaves", "Nie et al. 2010", [] { return make_fsnm(true); }},
    {"mrmr", "relevance less redundancy over the leaves", "Peng et al. 2005", [] { return make_mrmr(true); }},
    {"hufs", "without labels: clusters and features, by groups of a feature hierarchy", "Wang et al. 2017", make_hufs},
    {"eufs", "without labels: the same without a hierarchy", "Wang et al. 2015", make_eufs},
    {"laplacian", "without labels: features in which neighbours agree", "He et al. 2005", make_laplacian},
    {"mcfs", "without labels: few features that fit the smoothest functions of the samples",
     "Cai et al. 2010; Efron et al. 2004", make_mcfs},
    {"ndfs", "without labels: few features that predict clusters of neighbours", "Li et al. 2012", make_ndfs},
    {"rufs", "without labels: the same, with losses that forgive outliers", "Qian and Zhai 2013", make_rufs},
};

}  // namespace

const MethodTable<Selector>& selector_table() {
  static constexpr MethodTable<Selector> kTable("selector", kSelectors);
  return kTable;
}

std::vector<MethodInfo> selectors() {
  return selector_table().infos();
}

}  // namespace clade
