#include <cmath>
#include <set>

#include "array_fuzz.h"
#include "io/named_table/named_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace clade;
  fuzz_bytes(data, size, [&](std::string_view bytes) {
    const NamedTable table = parse_named_table(Input::from_bytes("fuzz", bytes));
    require(!table.rows.empty() && table.rows.size() == table.values.size());
    for (const auto& row : table.values) {
      require(row.size() == table.columns.size());
      for (const double value : row) require(std::isfinite(value));
    }
    require(std::set(table.rows.begin(), table.rows.end()).size() == table.rows.size());
    require(std::set(table.columns.begin(), table.columns.end()).size() == table.columns.size());
    require(table.rows_for(table.rows) == table.values);
    table.square_for(table.rows);  // may lack a column
  });
  return 0;
}
