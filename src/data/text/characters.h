#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace clade {

// How many characters the runs have that TextOptions::characters asks for; 0 and 0: none.
struct CharacterRuns {
  std::size_t least = 0;
  std::size_t most = 0;
};

// Reads "3" or "2-4". Throws Error (kInput) for anything else, and beyond 1 to 10.
CharacterRuns character_runs(std::string_view text);

// Calls visit(run) for the runs of a word of valid UTF-8, which has a border _ at each end: those of "at" are, with 2
// to 3 characters, ~_a ~at ~t_ ~_at ~at_. The mark ~ stands in no word, so that a run is never taken for a word. Of
// equal runs each is visited. The view is valid only during the call.
template <class Visit>
void for_each_character_run(std::string_view word, CharacterRuns runs, Visit&& visit) {
  std::string bordered("_");
  bordered.append(word).append("_");
  std::vector<std::size_t> starts;  // of the code points, and the end
  for (std::size_t k = 0; k < bordered.size(); ++k) {
    if ((static_cast<unsigned char>(bordered[k]) & 0xC0U) != 0x80U) starts.push_back(k);
  }
  starts.push_back(bordered.size());
  std::string run;
  for (std::size_t length = runs.least; length <= runs.most && length < starts.size(); ++length) {
    for (std::size_t k = 0; k + length < starts.size(); ++k) {
      run.assign("~").append(bordered, starts[k], starts[k + length] - starts[k]);
      visit(std::string_view(run));
    }
  }
}

}  // namespace clade
