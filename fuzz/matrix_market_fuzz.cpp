#include "array_fuzz.h"
#include "io/matrix_market/matrix_market.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  return fuzz_bytes(data, size, [&](std::string_view bytes) {
    // The folder does not exist, so no file beside the matrix is found. The last byte chooses the direction.
    ReadOptions options;
    options.transpose = size > 0 && (data[size - 1] & 1U) != 0;
    require_valid(read_matrix_market(Input::from_bytes("no/such/fuzz.mtx", bytes), options, fuzz_context()));
  });
}
