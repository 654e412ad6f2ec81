// A forward-only reader of one JSON text.
//
// simdjson's first stage finds the structural characters (brackets, colons,
// commas, the first character of strings and scalars), checks UTF-8, unclosed
// strings and raw control characters; the reader walks that index. Only what is
// asked for is looked at; the rest is skipped bracket by bracket, so a 12 KB Pod
// costs what its interesting fields cost. docs/decisions/0001-json-reader.md says
// why not simdjson On-Demand.
//
// Every reading function returns false on failure and leaves the sentence and the
// path of the place in error(); the caller passes the false on. object() and
// array() add the steps of the path on the way out.
//
//   depth     at most 64 (max_depth): counts every bracket, also of skipped values
//   grammar   checked, but for the spelling of skipped numbers and literals, and
//             escapes of skipped strings: nothing there is used
//   strings   views into the text; into an arena of the reader where an escape
//             had to be decoded
//   cost      no allocation once the buffers have grown to the largest text
#pragma once

#include "base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tpuwh::base::json {

// A string as it stands in the text, escapes and all, without its quotes.
struct RawString {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

// Which members of an object were seen; JSON lets a key stand twice, and a reader
// that takes one of them may see another object than the API server did.
using Seen = std::uint32_t;

// What a value that is neither object nor array begins with. Whether it is a number or a literal to
// the end is not looked at where it is skipped: nobody uses it.
inline constexpr auto scalar_beginnings = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '-', 't', 'f', 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();
inline bool begins_scalar(char c) {
  return scalar_beginnings[static_cast<unsigned char>(c)];
}

// "{}" or "[]", as programs write them.
constexpr bool holds_nothing(const char* at) {
  static_assert('}' == '{' + 2 && ']' == '[' + 2);
  return (at[0] == '{' || at[0] == '[') && at[1] == at[0] + 2;
}

enum class ValueKind { object, array, string, number, boolean, null, invalid };

class Reader {
 public:
  static constexpr unsigned max_depth = 64;

  Reader();
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Indexes `text`, of which 64 bytes past the end must be readable. Fails on bad
  // UTF-8, an unclosed string, raw control characters in a string, or no text.
  bool start(std::string_view text);
  // After the root value: fails if anything follows it.
  bool finish();

  ValueKind kind() const;
  // Takes a null if one is next.
  bool take_null() { return peek() == 'n' && take_literal_null(); }

  // Calls `member(key)` for each member, or `member(key, seen)`, of which first() takes the second;
  // it must take exactly one value.
  template <class F>
  bool object(F&& member);
  // Takes an object without members if one is next and written as "{}". What may be there a million
  // times asks this first: to go into an object takes several times as long.
  bool take_empty_object() {
    if (next_ >= end_ || depth_ >= max_depth) return false;
    const char* const at = text_ + *next_;
    if (at[0] != '{' || at[1] != '}') return false;
    next_ += 2;
    return true;
  }
  // Calls `element(index)` for each element; it must take exactly one value.
  template <class F>
  bool array(F&& element);

  bool string(std::string_view& out) {
    if (!plain_string(out)) return any_string(out);
    ++next_;
    return true;
  }
  // A string, or null, which leaves `out` as it is.
  bool optional_string(std::string_view& out) {
    if (!plain_string(out)) return take_null() || any_string(out);
    ++next_;
    return true;
  }
  // The closing quote is the last character that is not a space before the next
  // structural one: simdjson indexes whatever else would stand between.
  bool raw_string(RawString& out) {
    if (peek() != '"') return fail_type("a string");
    const std::string_view token = scalar_token();
    if (token.size() < 2 || token.back() != '"') return fail_syntax("a closed string");
    out = {token.data() + 1, token.data() + token.size() - 1};
    ++next_;
    return true;
  }
  bool decode(RawString raw, std::string_view& out) {
    out = raw.text();
    return !has_escape(raw) || decode_escapes(raw, out);
  }
  bool boolean(bool& out);
  // A number as it is written: "4", "4e0", "-1".
  bool number(std::string_view& out);
  bool skip() {
    if (next_ < end_ && begins_scalar(text_[*next_])) {
      ++next_;
      return true;
    }
    if (next_ >= checked_) return skip_brackets();
    if (!holds_nothing(text_ + *next_)) return skip_checked();
    next_ += 2;
    return true;
  }
  // Skips a value and gives it as it stands in the text.
  bool raw_value(std::string_view& out);

  // False, with an error, if `bit` is in `seen` already; else puts it there.
  bool first(Seen& seen, unsigned bit) {
    if ((seen >> bit & 1u) != 0) return fail_duplicate();
    seen |= Seen{1} << bit;
    return true;
  }

  bool fail(ErrorCode code, std::string message);
  bool fail(Error why);  // as error() said it before clear_error()
  // What was found instead of `wanted`.
  bool fail_type(std::string_view wanted);
  // Puts a step in front of the path of the error.
  void within(std::string_view step) { error_ = std::move(error_).within(step); }
  bool failed() const { return failed_; }
  const Error& error() const { return error_; }
  void clear_error();

  // Where the next value stands, to come back to it after skipping it.
  struct Mark {
    const std::uint32_t* next = nullptr;
    unsigned depth = 0;
    explicit operator bool() const { return next != nullptr; }
  };
  Mark mark() const { return {next_, depth_}; }
  // What is known of backslashes stays: forgotten, each string behind a mark searched the rest of
  // the text, and an object of many templates took as long as its square.
  void go_to(Mark mark) {
    next_ = mark.next;
    depth_ = mark.depth;
  }

 private:
  struct Stage1;

  char peek() const { return next_ < end_ ? text_[*next_] : '\0'; }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++next_;
    return true;
  }
  bool enter(char bracket) {
    if (!take(bracket)) return fail_type(bracket == '{' ? "an object" : "an array");
    return ++depth_ <= max_depth || fail_depth();
  }
  // From the first character of a scalar to the next structural character, without
  // the white space between.
  std::string_view scalar_token() const {
    const char* first = text_ + *next_;
    const char* last = text_ + next_[1];  // simdjson puts the size behind the last one
    while (last > first && is_space(last[-1])) --last;
    return {first, static_cast<std::size_t>(last - first)};
  }
  bool skip_brackets();
  bool skip_checked();
  bool skip_long();
  void note_long_values();
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  // The string that is next, if nothing in it is escaped and no space is behind it, as in nearly
  // all that a program wrote; it is not taken.
  bool plain_string(std::string_view& out) const {
    if (next_ >= end_) return false;
    const char* const quote = text_ + next_[0];
    const char* const after = text_ + next_[1];  // simdjson puts the size behind the last one
    if (*quote != '"' || after - quote < 2 || after[-1] != '"') return false;
    if (quote < searched_ || escape_ < after) return false;
    out = {quote + 1, static_cast<std::size_t>(after - quote - 2)};
    return true;
  }
  [[gnu::always_inline]] bool key(std::string_view& out) {
    if (!plain_string(out) || next_ + 1 >= end_ || text_[next_[1]] != ':') return any_key(out);
    next_ += 2;
    return true;
  }
  bool any_string(std::string_view& out);
  bool any_key(std::string_view& out);
  bool take_literal_null();
  // Strings are mostly asked about front to back, so one search for the next backslash
  // serves all strings before it: none stands in [searched_, escape_), whichever way the reader
  // went since. Searches only go forward, so that all of them together cost one pass. A string in
  // front of that (an env value that stands before its name, a template that was skipped first) is
  // searched by itself.
  bool has_escape(RawString raw) {
    if (escape_ < raw.begin) find_escape(raw.begin);
    if (raw.begin >= searched_) return escape_ < raw.end;
    return raw.text().find('\\') != std::string_view::npos;
  }
  void find_escape(const char* from);
  bool decode_escapes(RawString raw, std::string_view& out);
  bool fail_duplicate();
  bool fail_syntax(std::string_view wanted);
  bool fail_depth();
  void step(std::string_view key);
  void step(std::size_t index);

  std::unique_ptr<Stage1> stage1_;
  const char* text_ = nullptr;
  std::size_t size_ = 0;
  const std::uint32_t* next_ = nullptr;
  const std::uint32_t* end_ = nullptr;
  const std::uint32_t* checked_ = nullptr;  // what was skipped once ends here; all before is JSON
  // Long values in the part of the index that was looked at for them, by where they begin.
  struct LongValue {
    std::uint32_t begin, end;
  };
  std::vector<LongValue> long_values_;
  const std::uint32_t* noted_begin_ = nullptr;
  const std::uint32_t* noted_end_ = nullptr;
  const char* searched_ = nullptr;  // where the last search for a backslash began
  const char* escape_ = nullptr;    // what it found; null before the first of a text
  unsigned depth_ = 0;
  bool failed_ = false;
  Error error_;
  // For strings that are decoded: not filled with zeros, which took longer than decoding short
  // ones.
  std::unique_ptr<char[]> arena_;
  std::size_t arena_capacity_ = 0;
  std::size_t arena_size_ = 0;
};

template <class F>
bool Reader::object(F&& member) {
  Seen seen = 0;
  if (!enter('{')) return false;
  if (peek() == '}') {
    ++next_;
  } else {
    for (;;) {
      std::string_view name;
      if (!key(name)) return false;
      bool taken;
      if constexpr (std::is_invocable_v<F, std::string_view, Seen&>)
        taken = member(name, seen);
      else
        taken = member(name);
      if (!taken) {
        step(name);
        return false;
      }
      const char after = peek();
      if (after == '}') {
        ++next_;
        break;
      }
      if (after != ',') return fail_syntax("',' or '}'");
      ++next_;
    }
  }
  --depth_;
  return true;
}

template <class F>
bool Reader::array(F&& element) {
  if (!enter('[')) return false;
  if (peek() == ']') {
    ++next_;
  } else {
    for (std::size_t index = 0;; ++index) {
      if (!element(index)) {
        step(index);
        return false;
      }
      const char after = peek();
      if (after == ']') {
        ++next_;
        break;
      }
      if (after != ',') return fail_syntax("',' or ']'");
      ++next_;
    }
  }
  --depth_;
  return true;
}

}  // namespace tpuwh::base::json
