// Writes a LIBSVM file of a given size for the benchmark: rows of about 60 values with ascending indices up to 50,000,
// values between 0 and 1 with 5 significant digits, 100 classes. The same bytes every time.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/random.h"

namespace {

constexpr clade::Index kColumns = 50000;
constexpr clade::Index kClasses = 100;
constexpr std::size_t kMaxValueText = 40;

void append_index(std::string& text, clade::Index index) {
  char buffer[24];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, index).ptr);
}

void append_value(std::string& text, double value) {
  char buffer[kMaxValueText];
  text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 5).ptr);
}

void append_row(std::string& text, clade::RandomStream& random) {
  append_index(text, 1 + random.below(kClasses));
  const clade::Index gap = 2 * kColumns / (30 + random.below(61));
  for (clade::Index index = 1 + random.below(gap); index <= kColumns; index += 1 + random.below(gap)) {
    text += ' ';
    append_index(text, index);
    text += ':';
    append_value(text, 0.0001 + 0.9999 * random.uniform());
  }
  text += '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: generate FILE MEGABYTES\n");
    return 2;
  }
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  const auto target = static_cast<std::size_t>(std::strtoull(argv[2], nullptr, 10)) * 1000000;
  clade::RandomStream random(1, {clade::kTestStream});
  std::string text;
  std::size_t written = 0;
  while (written < target) {
    text.clear();
    while (text.size() < 1000000) append_row(text, random);
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) break;
    written += text.size();
  }
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    std::perror(argv[1]);
    return 1;
  }
  return 0;
}
