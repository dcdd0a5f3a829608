# Puts sources together into batches that the compiler takes as one file, so that headers are read once for many sources.
#
#   awk -f batches.awk -v lines=N FILE...
#
# prints "BATCH FILE" for every file that found company; files of one batch have at most N lines together, and stand in
# one folder (the first component after src/ or tests/) where there are enough that go together. Two files share a batch
# only if no name that one of them keeps to itself (in an unnamed namespace, static, or by a using) occurs in the other,
# so that neither changes what the other means. Files with preprocessor conditions, macros or using directives stay alone.

FNR == 1 {
  file = FILENAME
  files[++count] = file
  is_private = 0
  pending = ""
}

{ size[file]++ }

/^ *#/ && !/^#include/ { alone[file] = 1 }
/^using namespace/ { alone[file] = 1 }
/^#include/ { next }
/^}  \/\/ namespace$/ { is_private = 0; next }  # clang-format writes it so at the end of an unnamed namespace

{
  gsub(/\\./, "")
  gsub(/"[^"]*"/, "")
  gsub(/'[^']*'/, "")
  sub(/\/\/.*/, "")
  sub(/^ *\*.*/, "")
}

/^namespace \{/ { is_private = 1; next }
/^}$/ || /^}  *$/ { next }
/^namespace / || /^extern / { next }

# A declaration at the left margin; it may go on in the next line.
is_private || /^static / || /^using / {
  if (pending != "" || $0 ~ /^[A-Za-z_\[]/) {
    pending = pending " " $0
    if ($0 ~ /[({;=]/) {
      declare(pending)
      pending = ""
    }
  }
}

{ collect_words($0) }

function collect_words(text,    parts, n, i) {
  gsub(/(\.|->|::) *[A-Za-z_][A-Za-z_0-9]*/, " ", text)  # members and qualified names are not looked up here
  n = split(text, parts, /[^A-Za-z_0-9]+/)
  for (i = 1; i <= n; i++) {
    if (parts[i] ~ /^[A-Za-z_]/) words[file, parts[i]] = 1
  }
}

function add(name, declaration) {
  if (name !~ /^[A-Za-z_]/ || ((file, name) in how)) return
  how[file, name] = declaration
  names[file] = names[file] " " name
}

function declare(text,    original, parts, n, i) {
  original = text
  sub(/^ +/, "", text)
  while (gsub(/<[^<>]*>/, " ", text)) {}
  sub(/^template /, "", text)
  gsub(/\[\[[a-z_]*\]\]/, "", text)
  gsub(/  +/, " ", text)
  sub(/^ +/, "", text)
  if (text ~ /^TEST/ || text ~ /^(TYPED_TEST|INSTANTIATE)/ || text ~ /^static_assert/) return
  if (text ~ /^using /) {  # the same twice is no conflict
    sub(/^using /, "", text)
    sub(/ *[=;].*/, "", text)
    sub(/.*:: */, "", text)
    add(text, original)
    return
  }
  if (text ~ /^enum / && text !~ /^enum (class|struct) / || text ~ /^[A-Z_0-9]+\(/) {  # all that it names
    if (text !~ /[;)]/) alone[file] = 1
    sub(/: *std::[a-z0-9_]+/, "", text)
    n = split(text, parts, /[^A-Za-z_0-9]+/)
    for (i = 1; i <= n; i++) add(parts[i], "")
    return
  }
  if (text ~ /operator|^void describe\(/) return  # overloads for types of their own
  sub(/^(class|struct|union|enum class|enum struct) /, "", text)
  if (text ~ /^concept /) sub(/^concept /, "", text)
  sub(/ *(: |\(|\{|;|=|\[).*/, "", text)
  sub(/ final$/, "", text)
  if (text ~ /::[A-Za-z_0-9~]*$/) return  # a member, defined outside its class
  n = split(text, parts, /[^A-Za-z_0-9]+/)
  add(parts[n], "")
}

function folder_of(path) {
  sub(/.*\/(src|tests)\//, "", path)
  if (!sub(/\/.*/, "", path)) return "files"
  return path
}

# True if a private name of `a` occurs in `b`.
function disturbs(a, b,    parts, n, i, name) {
  n = split(names[a], parts, " ")
  for (i = 1; i <= n; i++) {
    name = parts[i]
    if (((b, name) in words || (b, name) in how) && !(how[a, name] != "" && how[a, name] == how[b, name])) return 1
  }
  return 0
}

function fits(candidate, batch,    i) {
  if (total[batch] + size[candidate] > lines) return 0
  for (i = 1; i <= members[batch]; i++) {
    if (disturbs(candidate, member[batch, i]) || disturbs(member[batch, i], candidate)) return 0
  }
  return 1
}

# Gives every member of batch `b` to batch `a`, if all fit.
function merge(a, b,    i) {
  if (total[a] + total[b] > lines) return 0
  for (i = 1; i <= members[b]; i++) {
    if (!fits(member[b, i], a)) return 0
  }
  for (i = 1; i <= members[b]; i++) member[a, ++members[a]] = member[b, i]
  total[a] += total[b]
  members[b] = total[b] = 0
  return 1
}

END {
  for (f = 1; f <= count; f++) {
    file = files[f]
    if (alone[file]) continue
    folder = folder_of(file)
    for (b = 1; b <= open[folder]; b++) {
      if (fits(file, folder "_" b)) break
    }
    if (b > open[folder]) {
      open[folder] = b
      batches[++batch_count] = folder "_" b
    }
    batch = folder "_" b
    member[batch, ++members[batch]] = file
    total[batch] += size[file]
  }
  # What found little company in its own folder looks for it in others.
  for (b = batch_count; b > 1; b--) {
    for (a = 1; a < b; a++) {
      if (merge(batches[a], batches[b])) break
    }
  }
  for (b = 1; b <= batch_count; b++) {
    batch = batches[b]
    if (members[batch] < 2) continue
    for (i = 1; i <= members[batch]; i++) print batch, member[batch, i]
  }
}
