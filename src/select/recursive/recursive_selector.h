#pragma once

#include <memory>

#include "select/selector.h"

namespace clade {

// The coupled family: one solver, and what each method adds to it.
std::unique_ptr<Selector> make_hier_fs();
std::unique_ptr<Selector> make_hirr_par();
std::unique_ptr<Selector> make_hirr_sib();
std::unique_ptr<Selector> make_hirr_fam();
std::unique_ptr<Selector> make_hfsgr();
std::unique_ptr<Selector> make_lccshfs();
std::unique_ptr<Selector> make_fs_mgkc();
std::unique_ptr<Selector> make_fs_base();
std::unique_ptr<Selector> make_fs_mc();
std::unique_ptr<Selector> make_fs_dr();
std::unique_ptr<Selector> make_hfscn();
std::unique_ptr<Selector> make_hfsdk();

}  // namespace clade
