#pragma once

#include <string>
#include <string_view>

namespace clade {

// Where a writer puts its bytes. A failed write throws Error (kSystem).
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
};

// Bytes kept in memory.
class StringSink : public Sink {
 public:
  void write(std::string_view bytes) override { text_ += bytes; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A file that appears whole or not at all: bytes go to a temporary file beside it (PATH.tmp. and 16 random hexadecimal
// digits), commit() flushes them to the disk and renames. Destroyed without commit(), it leaves nothing behind; what a
// killed process has left behind is removed by the next one that writes to the same path. A path that exists and is not
// a regular file (a pipe), or that lies in /dev, is written directly.
class OutputFile : public Sink {
 public:
  // Throws Error (kInput) if the file exists and `overwrite` is false, (kSystem) if it cannot be created.
  OutputFile(std::string path, bool overwrite);
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes) override;
  // Brings all bytes to the disk; what can fail has failed after it. For files that must appear together.
  void finish();
  // finish(), then the file appears.
  void commit();
  const std::string& path() const { return path_; }
  bool is_regular() const { return !temporary_.empty(); }

 private:
  void create_temporary();
  void flush();
  void discard() noexcept;
  [[noreturn]] void fail(std::string_view action, int error_number);

  std::string path_;
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  int descriptor_ = -1;
  bool overwrite_;
  bool finished_ = false;
};

}  // namespace clade
