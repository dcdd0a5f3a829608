#include "core/check.h"

namespace clade {

void check_failed(const char* condition, const char* file, int line) {
  throw Error(Error::Kind::kInternal, {.file = file, .line = line}, std::string("internal check failed: ") + condition,
              "this is a fault in Clade: please report it");
}

}  // namespace clade
