#include "data/text/stop_words.h"

#include <algorithm>
#include <array>

namespace clade {
namespace {

// Sorted, for a binary search. Negations are spelled as the tokeniser joins them; it cuts other contractions.
// clang-format off
constexpr auto kEnglish = std::to_array<std::string_view>({
    "a", "about", "above", "across", "after", "again", "against", "aint", "all", "almost", "along", "already", "also",
    "although", "always", "am", "amid", "among", "amongst", "an", "and", "another", "any", "anybody", "anyone",
    "anything", "anyway", "anywhere", "are", "arent", "around", "as", "at", "be", "because", "been", "before",
    "behind", "being", "below", "beneath", "beside", "besides", "between", "beyond", "both", "but", "by", "can",
    "cannot", "cant", "could", "couldnt", "despite", "did", "didnt", "do", "does", "doesnt", "doing", "done", "dont",
    "down", "during", "each", "either", "else", "elsewhere", "enough", "etc", "even", "ever", "every", "everybody",
    "everyone", "everything", "everywhere", "except", "few", "for", "from", "furthermore", "had", "hadnt", "has",
    "hasnt", "have", "havent", "having", "he", "hence", "her", "here", "hereby", "herein", "hers", "herself", "him",
    "himself", "his", "how", "however", "i", "if", "im", "in", "inside", "instead", "into", "is", "isnt", "it", "its",
    "itself", "ive", "just", "least", "less", "lest", "like", "many", "may", "maybe", "me", "meanwhile", "might",
    "mightnt", "mine", "more", "moreover", "most", "much", "must", "mustnt", "my", "myself", "near", "neednt",
    "neither", "never", "nevertheless", "no", "nobody", "none", "nonetheless", "nor", "not", "nothing", "now",
    "nowhere", "of", "off", "often", "on", "once", "one", "ones", "oneself", "only", "onto", "or", "other", "others",
    "otherwise", "ought", "our", "ours", "ourselves", "out", "outside", "over", "own", "per", "perhaps", "quite",
    "rather", "same", "several", "shall", "shant", "she", "should", "shouldnt", "since", "so", "some", "somebody",
    "somehow", "someone", "something", "somewhat", "somewhere", "still", "such", "than", "that", "the", "their",
    "theirs", "them", "themselves", "then", "there", "thereby", "therefore", "therein", "thereof", "these", "they",
    "theyre", "theyve", "this", "those", "though", "through", "throughout", "thus", "till", "to", "too", "toward",
    "towards", "under", "underneath", "unless", "until", "unto", "up", "upon", "us", "very", "via", "was", "wasnt",
    "we", "were", "werent", "weve", "what", "whatever", "when", "whenever", "where", "whereas", "whereby", "wherein",
    "whereupon", "wherever", "whether", "which", "whichever", "while", "whilst", "who", "whoever", "whom", "whomever",
    "whose", "why", "will", "with", "within", "without", "wont", "would", "wouldnt", "yet", "you", "your", "youre",
    "yours", "yourself", "yourselves", "youve",
});
// clang-format on
static_assert(std::ranges::is_sorted(kEnglish));

}  // namespace

bool is_english_stop_word(std::string_view word) {
  return std::ranges::binary_search(kEnglish, word);
}

}  // namespace clade
