#pragma once

#include <string>
#include <string_view>

namespace clade {

// Receives the bytes of a writer. A failed write throws Error (kSystem).
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
};

// Keeps the bytes in memory.
class StringSink : public Sink {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Temporary files that killed processes have left in a folder.
enum class Leftovers {
  kRemove,  // those of the same path; looks at all files of the folder
  kStay,    // for one of many files of a folder that was cleared once
};

// Removes those of all paths in a folder.
void remove_leftovers(const std::string& folder);

// A file that appears whole or not at all: bytes go to a temporary file beside it (PATH.tmp. and 16 random hexadecimal
// digits), which commit() flushes to the disk and renames. Without commit(), nothing is left behind; temporary files of
// a killed process are removed by the next process that writes to the same path. A path in /dev, or one that exists and
// is not a regular file (a pipe), is written directly.
class OutputFile : public Sink {
 public:
  // Throws Error (kInput) if the file exists and `overwrite` is false, and Error (kSystem) if it cannot be created.
  OutputFile(std::string path, bool overwrite, Leftovers leftovers = Leftovers::kRemove);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes) override;
  // Flushes all bytes to the disk, so that hardly anything can fail afterwards. For files that must appear together.
  void finish();
  // Calls finish(), then makes the file appear.
  void commit();
  const std::string& path() const { return path_; }
  bool is_regular() const { return !temporary_.empty(); }

 private:
  void create_temporary(Leftovers leftovers);
  void flush();
  void pass_on(std::string_view bytes);
  void discard() noexcept;
  [[noreturn]] void fail(std::string_view action, int error_number);

  std::string path_;
  std::string temporary_;  // empty: the path is written directly
  std::string buffer_;
  int descriptor_ = -1;
  bool overwrite_;
  bool finished_ = false;
};

// Removes the temporary files of all OutputFiles of this process, which cannot appear then: for an end that leaves the
// threads that write them no time to clean up. Any thread may call it.
void remove_temporary_files();

}  // namespace clade
