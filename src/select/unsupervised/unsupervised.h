#pragma once

#include <memory>

#include "select/selector.h"

namespace clade {

// Selectors that look at no label: one ranking for the whole data set. Described where they are implemented.
std::unique_ptr<Selector> make_hufs();
std::unique_ptr<Selector> make_eufs();
std::unique_ptr<Selector> make_laplacian();
std::unique_ptr<Selector> make_mcfs();
std::unique_ptr<Selector> make_ndfs();
std::unique_ptr<Selector> make_rufs();

}  // namespace clade
