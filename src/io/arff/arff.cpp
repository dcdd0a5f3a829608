#include "io/arff/arff.h"

#include "io/arff/arff_header.h"
#include "io/arff/arff_rows.h"

namespace clade {

ParsedData read_arff(const Input& input, const ReadOptions& options, Context& ctx) {
  ParsedData parsed;
  const DelimitedText text =
      DelimitedText::of(input, options, "expected @relation, @attribute and @data", parsed.notes);
  ArffHeader header = read_arff_header(text, options, parsed.notes);
  read_arff_rows(text, header, options, parsed, ctx);
  parsed.feature_names = std::move(header.feature_names);
  if (header.classes) {
    parsed.hierarchy = std::move(header.classes->hierarchy);
    parsed.labels_are_names = true;
  }
  return parsed;
}

}  // namespace clade
