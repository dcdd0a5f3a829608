#include "experiment/journal.h"

#include <clade/error.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

namespace clade {

struct Journal::Connection {
  Connection() = default;
  ~Connection() { sqlite3_close(handle); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[noreturn]] void fail(const std::string& path) const {
    const int code = sqlite3_errcode(handle);
    const char* message = handle == nullptr ? "out of memory" : sqlite3_errmsg(handle);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
      throw input_error({.file = path}, "another process is running this experiment", "expected one at a time");
    }
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) {
      throw input_error({.file = path}, fmt::format("not a journal of an experiment ({})", message),
                        "expected the folder of one, or an empty one");
    }
    throw Error(Error::Kind::kSystem, {.file = path}, message);
  }

  sqlite3* handle = nullptr;
};

class Journal::Statement {
 public:
  Statement(Connection& connection, const std::string& path, const char* sql) : connection_(connection), path_(path) {
    if (sqlite3_prepare_v2(connection.handle, sql, -1, &handle_, nullptr) != SQLITE_OK) connection.fail(path);
  }
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int place, Index value) { sqlite3_bind_int64(handle_, place, value); }
  void bind(int place, const std::string& text) {
    sqlite3_bind_text64(handle_, place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  // True if there is a row.
  bool step() {
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) connection_.fail(path_);
    sqlite3_reset(handle_);
    return false;
  }
  Index number(int column) { return sqlite3_column_int64(handle_, column); }
  std::string text(int column) {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
  }

 private:
  Connection& connection_;
  const std::string& path_;
  sqlite3_stmt* handle_ = nullptr;
};

Journal::Journal(const std::string& path) : path_(path), connection_(std::make_unique<Connection>()) {
  if (sqlite3_open(path.c_str(), &connection_->handle) != SQLITE_OK) connection_->fail(path_);
  // Exclusive: a second process is refused.
  execute("PRAGMA locking_mode = EXCLUSIVE");
  // A commit survives the end of the process as soon as the system has its bytes. Waiting for the disk takes longer
  // than a small cell does, so save() does that, beside the cells; and the log may grow before it is copied into the
  // file.
  execute("PRAGMA synchronous = NORMAL");
  execute("PRAGMA journal_mode = WAL");
  execute("PRAGMA wal_autocheckpoint = 16384");
  execute("BEGIN EXCLUSIVE");
  execute("CREATE TABLE IF NOT EXISTS facts (place INTEGER PRIMARY KEY, name TEXT, value TEXT)");
  execute("CREATE TABLE IF NOT EXISTS cells (cell INTEGER PRIMARY KEY, result TEXT)");
  execute("COMMIT");
  insert_ = std::make_unique<Statement>(*connection_, path_, "INSERT OR REPLACE INTO cells VALUES (?, ?)");
}

Journal::~Journal() = default;

void Journal::execute(const char* sql) {
  if (sqlite3_exec(connection_->handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) connection_->fail(path_);
}

Journal::Facts Journal::facts() {
  Facts result;
  Statement statement(*connection_, path_, "SELECT name, value FROM facts ORDER BY place");
  while (statement.step()) result.emplace_back(statement.text(0), statement.text(1));
  return result;
}

void Journal::begin(const Facts& facts) {
  execute("BEGIN");
  Statement statement(*connection_, path_, "INSERT INTO facts (name, value) VALUES (?, ?)");
  for (const auto& [name, value] : facts) {
    statement.bind(1, name);
    statement.bind(2, value);
    statement.step();
  }
  execute("COMMIT");
}

std::map<Index, std::string> Journal::results() {
  std::map<Index, std::string> found;
  Statement statement(*connection_, path_, "SELECT cell, result FROM cells");
  while (statement.step()) found.emplace(statement.number(0), statement.text(1));
  return found;
}

void Journal::keep(const std::vector<std::pair<Index, std::string>>& results) {
  const std::lock_guard lock(mutex_);
  execute("BEGIN");
  for (const auto& [cell, result] : results) {
    insert_->bind(1, cell);
    insert_->bind(2, result);
    insert_->step();
  }
  execute("COMMIT");
}

void Journal::save() {
  // Another descriptor of the same file: SQLite and its lock, which is on the other file, know nothing of it.
  const std::string log = path_ + "-wal";
  const int file = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;  // everything is in the journal itself
  const int failure = ::fdatasync(file) == 0 ? 0 : errno;
  ::close(file);
  if (failure != 0) throw system_error(log, "cannot write", failure);
}

}  // namespace clade
