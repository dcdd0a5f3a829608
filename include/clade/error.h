#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace clade {

// A place in an input: a file and, if known, a line and a column (both from 1; 0: unknown).
struct Where {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

// The one exception of the library. Its text is one line:
//
//   FILE:LINE:COLUMN: what is wrong; what was expected
//
// Unknown parts are left out.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    kInput,      // bad input or wrong usage: the user can fix it
    kSystem,     // the system refused: no permission, disk full, out of memory
    kClosed,     // the reader of a pipe has gone: it wants no more
    kCancelled,  // the user asked to stop
    kInternal,   // a broken invariant: a bug in Clade
  };

  Error(Kind kind, Where where, std::string_view problem, std::string_view expected = {});

  Kind kind() const { return kind_; }
  const Where& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& expected() const { return expected_; }

 private:
  Kind kind_;
  Where where_;
  std::string problem_;
  std::string expected_;
};

// Bad input at a place in a file.
Error input_error(Where where, std::string_view problem, std::string_view expected = {});
// Wrong usage or parameters, at no particular place.
Error usage_error(std::string_view problem, std::string_view expected = {});
// A failed system call: `action` says what was tried, `error_number` (an errno value) gives the reason. EPIPE is
// kClosed, everything else kSystem.
Error system_error(std::string_view file, std::string_view action, int error_number);

}  // namespace clade
