#include <clade/context.h>

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace clade {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMega = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMega);  // the most that glibc allows
  mallopt(M_TRIM_THRESHOLD, 512 * kMega);
#endif
}

}  // namespace clade
