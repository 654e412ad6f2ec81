#include "base/json/reader.hpp"

#include "base/enum_names.hpp"
#include "base/names.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tpuwh::base::json {

// simdjson's implementation object: index buffer and string decoder.
struct Reader::Stage1 {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;

  // simdjson sizes the index buffer by capacity (4 bytes for each byte of text),
  // so it starts small and doubles: a steady stream of Pods stays under 64 KiB.
  simdjson::error_code reserve(std::size_t bytes) {
    constexpr std::size_t smallest = 64u << 10;
    if (parser && parser->capacity() >= bytes) return simdjson::SUCCESS;
    const std::size_t capacity = std::max(smallest, std::bit_ceil(bytes));
    if (parser) return parser->allocate(capacity, Reader::max_depth);
    return simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity, Reader::max_depth, parser);
  }
};

namespace {

std::string_view sentence(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "the text is not valid UTF-8";
    case simdjson::UNESCAPED_CHARS:
      return "a string has a raw control character; JSON requires it escaped";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed: the text ends inside it";
    default:
      return "the text is not JSON";
  }
}

constexpr EnumNames<ValueKind::invalid> kind_names("an object", "an array", "a string", "a number",
                                                   "true or false", "null",
                                                   "something that is not JSON");

std::string_view name_of(ValueKind kind) {
  return kind_names[kind];
}

}  // namespace

Reader::Reader() : stage1_(std::make_unique<Stage1>()) {}
Reader::~Reader() = default;

bool Reader::start(std::string_view text) {
  clear_error();
  depth_ = 0;
  arena_size_ = 0;
  text_ = text.data();
  size_ = text.size();
  next_ = end_ = checked_ = noted_begin_ = noted_end_ = nullptr;
  long_values_.clear();
  escape_ = nullptr;
  if (stage1_->reserve(text.size()) != simdjson::SUCCESS)
    return fail(Errc::internal, "no memory for the index of the text");
  const auto code = stage1_->parser->stage1(reinterpret_cast<const std::uint8_t*>(text.data()),
                                            text.size(), simdjson::stage1_mode::regular);
  if (code == simdjson::EMPTY) return fail(Errc::bad_json, "the text has no JSON value");
  if (code != simdjson::SUCCESS) return fail(Errc::bad_json, std::string(sentence(code)));
  next_ = stage1_->parser->structural_indexes.get();
  end_ = next_ + stage1_->parser->n_structural_indexes;
  return true;
}

bool Reader::finish() {
  if (next_ == end_) return true;
  return fail(Errc::bad_json, "more text follows the JSON value");
}

ValueKind Reader::kind() const {
  switch (peek()) {
    case '{':
      return ValueKind::object;
    case '[':
      return ValueKind::array;
    case '"':
      return ValueKind::string;
    case 't':
    case 'f':
      return ValueKind::boolean;
    case 'n':
      return ValueKind::null;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return ValueKind::number;
    default:
      return ValueKind::invalid;
  }
}

bool Reader::take_literal_null() {
  if (peek() != 'n' || scalar_token() != "null") return false;
  ++next_;
  return true;
}

bool Reader::any_string(std::string_view& out) {
  RawString raw;
  return raw_string(raw) && decode(raw, out);
}

bool Reader::any_key(std::string_view& out) {
  if (peek() != '"') return fail_syntax("a key");
  return any_string(out) && (take(':') || fail_syntax("':' after a key"));
}

void Reader::find_escape(const char* from) {
  const auto rest = static_cast<std::size_t>(text_ + size_ - from);
  const void* found = std::memchr(from, '\\', rest);
  searched_ = from;
  escape_ = found != nullptr ? static_cast<const char*>(found) : text_ + size_;
}

// The arena grows before its first string only, so views handed out stay good: the
// decoded strings of a text are together no longer than the text, and one more is
// the most that is written ahead.
bool Reader::decode_escapes(RawString raw, std::string_view& out) {
  const std::size_t wanted = 2 * size_ + simdjson::SIMDJSON_PADDING;
  if (arena_size_ == 0 && arena_capacity_ < wanted) {
    arena_.reset(new char[wanted]);
    arena_capacity_ = wanted;
  }
  if (arena_capacity_ < arena_size_ + out.size() + simdjson::SIMDJSON_PADDING)
    return fail(Errc::internal, "string arena too small");
  char* const begin = arena_.get() + arena_size_;
  auto* to = reinterpret_cast<std::uint8_t*>(begin);
  const auto* end =
      stage1_->parser->parse_string(reinterpret_cast<const std::uint8_t*>(raw.begin), to);
  if (end == nullptr)
    return fail(Errc::bad_json, "a string has an escape that JSON does not define");
  out = {begin, static_cast<std::size_t>(end - to)};
  arena_size_ += out.size();
  return true;
}

bool Reader::boolean(bool& out) {
  if (kind() != ValueKind::boolean) return fail_type("true or false");
  const std::string_view token = scalar_token();
  if (token != "true" && token != "false") return fail_syntax("true or false");
  out = token == "true";
  ++next_;
  return true;
}

bool Reader::number(std::string_view& out) {
  if (kind() != ValueKind::number) return fail_type("a number");
  out = scalar_token();
  if (!is_json_number(out)) return fail_syntax("a number");
  ++next_;
  return true;
}

namespace {

// Whether this text stands at `at`, of which 64 bytes are readable wherever it is in the text.
template <std::size_t N>
bool stands_at(const char* at, const char (&text)[N]) {
  return std::memcmp(at, text, N - 1) == 0;
}

// The brackets that a skipped value has open. One bit a level says whether it was opened by '{'.
struct Brackets {
  unsigned most;  // that may be open
  unsigned open = 0;
  std::uint64_t by_brace = 0;

  bool full() const { return open >= most; }
  bool in_object() const { return (by_brace & 1u) != 0; }
  void push(char opening) {
    ++open;
    by_brace = by_brace << 1 | (opening == '{' ? 1u : 0u);
  }
  void pop() {
    --open;
    by_brace >>= 1;
  }
};

// Behind the '}' of objects that end here one in the other.
const std::uint32_t* close_objects(const char* text, const std::uint32_t* next,
                                   const std::uint32_t* end, Brackets& brackets) {
  for (; text[*next] == '}' && brackets.in_object() && next < end; ++next) brackets.pop();
  return next;
}

// Takes members of objects, and of objects in these, as long as they are as programs write them:
// without white space, so that the index need not be looked at for each character. Managed fields
// are nothing else. From a value in an object to another one; what it does not take is left as it
// stands, for skip_brackets() to take or to refuse.
const std::uint32_t* skip_members(const char* text, const std::uint32_t* next,
                                  const std::uint32_t* end, Brackets& brackets) {
  constexpr std::ptrdiff_t most_taken = 5;
  if (end - next < most_taken) return next;
  const std::uint32_t* const last = end - most_taken;
  while (next <= last) {
    const char* const value = text + next[0];
    if (stands_at(value, "{},\"")) {
      if (text[next[4]] != ':' || brackets.full()) break;
      next += 5;
    } else if (stands_at(value, "{\"")) {
      if (text[next[2]] != ':' || brackets.full()) break;
      brackets.push('{');
      next += 3;
    } else {
      const bool empty = !begins_scalar(*value);
      if (empty && (brackets.full() || !(stands_at(value, "{}") || stands_at(value, "[]")))) break;
      const std::uint32_t* after = next + (empty ? 2 : 1);
      Brackets left = brackets;
      if (text[*after] == '}') {
        after = close_objects(text, after, end, left);
        if (end - after < most_taken) break;
        if (!left.in_object()) {
          // The next object of a list, where one ended.
          if (left.open == 0 || !stands_at(text + after[0], ",{\"") || text[after[3]] != ':') break;
          left.push('{');
          brackets = left;
          next = after + 4;
          continue;
        }
      }
      if (!stands_at(text + after[0], ",\"") || text[after[2]] != ':') break;
      brackets = left;
      next = after + 3;
    }
  }
  return next;
}

// Takes further elements {} of a list.
const std::uint32_t* skip_empty_objects(const char* text, const std::uint32_t* next,
                                        const std::uint32_t* end) {
  constexpr std::ptrdiff_t taken = 3;
  const auto at_one = [&](const char* at) { return stands_at(at, ",{") && at[2] == '}'; };
  while (end - next > taken && at_one(text + next[0])) next += taken;
  return next;
}

}  // namespace

// Any value that is not a scalar, bracket by bracket. It may look one place past the end: simdjson
// puts the size of the text there, and the text is padded.
bool Reader::skip_brackets() {
  const char* const text = text_;
  const std::uint32_t* const end = end_;
  const std::uint32_t* next = next_;
  Brackets brackets{max_depth - depth_};
  const auto stop = [&](std::string_view wanted) {
    next_ = next;
    return fail_syntax(wanted);
  };
  const auto at_key = [&] { return text[next[0]] == '"' && text[next[1]] == ':'; };
  for (;;) {
    if (brackets.in_object()) next = skip_members(text, next, end, brackets);
    if (next >= end) return stop("a value");
    const char c = text[*next];
    if (begins_scalar(c)) {
      ++next;
    } else if (c == '{') {
      if (brackets.full()) return fail_depth();
      ++next;
      if (text[*next] != '}') {
        brackets.push(c);
        if (!at_key()) return stop("a key");
        next += 2;
        continue;
      }
      ++next;
      if (brackets.open > 0 && !brackets.in_object()) next = skip_empty_objects(text, next, end);
    } else if (c == '[') {
      // With the lists that it begins with.
      do {
        if (brackets.full()) return fail_depth();
        brackets.push(c);
        ++next;
      } while (text[*next] == '[' && next < end);
      if (text[*next] != ']') continue;
      brackets.pop();
      ++next;
    } else {
      return stop("a value");
    }
    // After a value: closing brackets, then a comma and the next one.
    for (; brackets.open > 0; brackets.pop(), ++next) {
      const char after = text[*next];
      if (after == ',' && next < end) {
        ++next;
        if (!brackets.in_object()) break;
        if (!at_key()) return stop("a key");
        next += 2;
        break;
      }
      if (after != (brackets.in_object() ? '}' : ']') || next >= end)
        return stop("',' or a closing bracket");
    }
    if (brackets.open == 0) break;
  }
  next_ = checked_ = next;
  return true;
}

namespace {

constexpr auto bracket_steps = [] {
  std::array<std::int8_t, 256> table{};
  table['{'] = table['['] = 1;
  table['}'] = table[']'] = -1;
  return table;
}();

// What is longer, in places of the index, is walked through once more and then no more: a template
// is a part of a part of an object, and each is skipped to find the next. Shorter ones are not
// worth the eight bytes that are kept of each.
constexpr std::ptrdiff_t long_value = 256;
// From an object's spec to the values of an affinity in its template's.
constexpr std::size_t noted_levels = 16;

struct Closing {
  const std::uint32_t* next;
  bool closed;
};
// Behind the value at `next`, of which only the brackets count, if it ends before `last`.
Closing closing(const char* text, const std::uint32_t* next, const std::uint32_t* last) {
  int open = 0;
  do open += bracket_steps[static_cast<unsigned char>(text[*next++])];
  while (open > 0 && next < last);
  return {next, open <= 0};
}

}  // namespace

// A value in one that was skipped before: a workload object is skipped to find its parts, and each
// part to find those in it. Of what is known to be JSON only the number of open brackets counts. Of
// a value that goes on behind it nothing is known: it may have no end.
bool Reader::skip_checked() {
  const std::uint32_t* const last = checked_ - next_ > long_value ? next_ + long_value : checked_;
  const auto [next, closed] = closing(text_, next_, last);
  if (!closed) return last == checked_ ? skip_brackets() : skip_long();
  next_ = next;
  return true;
}

// Where a long one ends is noted the first time.
bool Reader::skip_long() {
  if (next_ < noted_begin_ || next_ >= noted_end_) note_long_values();
  const std::uint32_t* const first = stage1_->parser->structural_indexes.get();
  const auto begin = static_cast<std::uint32_t>(next_ - first);
  const auto found = std::ranges::lower_bound(long_values_, begin, {}, &LongValue::begin);
  if (found != long_values_.end() && found->begin == begin) {
    next_ = first + found->end;
    return true;
  }
  const auto [next, closed] = closing(text_, next_, checked_);
  if (!closed) return skip_brackets();
  next_ = next;
  return true;
}

// Of the value that is next, with the long ones in it that are not too deep for anybody to look at.
void Reader::note_long_values() {
  const std::uint32_t* const first = stage1_->parser->structural_indexes.get();
  const auto place = [&](const std::uint32_t* at) {
    return static_cast<std::uint32_t>(at - first);
  };
  std::array<std::uint32_t, noted_levels> begins{};
  const auto old = static_cast<std::ptrdiff_t>(long_values_.size());
  std::size_t open = 0;
  const std::uint32_t* next = next_;
  do {
    const char* const at = text_ + *next;
    const int step = bracket_steps[static_cast<unsigned char>(*at)];
    if (step > 0 && bracket_steps[static_cast<unsigned char>(at[1])] < 0) {
      next += 2;  // nothing is in it
      continue;
    }
    if (step > 0 && open++ < begins.size()) begins[open - 1] = place(next);
    if (step < 0 && --open < begins.size() && place(next) - begins[open] >= long_value)
      long_values_.push_back({begins[open], place(next) + 1});
    ++next;
  } while (open > 0 && next < checked_);
  const bool behind = noted_end_ == nullptr || next_ >= noted_end_;
  std::sort(long_values_.begin() + (behind ? old : 0), long_values_.end(),
            [](const LongValue& a, const LongValue& b) { return a.begin < b.begin; });
  noted_begin_ = noted_begin_ == nullptr ? next_ : std::min(noted_begin_, next_);
  noted_end_ = std::max(noted_end_, next);
}

bool Reader::raw_value(std::string_view& out) {
  if (next_ >= end_) return fail_syntax("a value");
  const char* const first = text_ + *next_;
  const std::string_view scalar = scalar_token();
  if (!skip()) return false;
  // A closing bracket is the last structural character of what it closes.
  const bool bracket = *first == '{' || *first == '[';
  const char* const last = bracket ? text_ + next_[-1] + 1 : first + scalar.size();
  out = {first, static_cast<std::size_t>(last - first)};
  return true;
}

bool Reader::fail_duplicate() {
  return fail(Errc::duplicate_key, "duplicate key");
}

bool Reader::fail(ErrorCode code, std::string message) {
  failed_ = true;
  error_ = Error(code, std::move(message));
  return false;
}

bool Reader::fail(Error why) {
  failed_ = true;
  error_ = std::move(why);
  return false;
}

bool Reader::fail_type(std::string_view wanted) {
  if (kind() == ValueKind::invalid) return fail_syntax(wanted);
  return fail(Errc::wrong_type,
              "expected " + std::string(wanted) + ", got " + std::string(name_of(kind())));
}

bool Reader::fail_syntax(std::string_view wanted) {
  if (next_ >= end_)
    return fail(Errc::bad_json, "the text ends where " + std::string(wanted) + " should be");
  return fail(Errc::bad_json,
              "expected " + std::string(wanted) + " at byte " + std::to_string(*next_));
}

bool Reader::fail_depth() {
  return fail(Errc::too_deep,
              "brackets are nested deeper than " + std::to_string(max_depth) + " levels");
}

void Reader::clear_error() {
  if (!failed_) return;
  failed_ = false;
  error_ = Error();
}

// Syntax errors carry a byte position; a path would only say how far it got.
void Reader::step(std::string_view key) {
  if (error_.code() != Errc::bad_json) error_ = std::move(error_).within(printable(key, 80));
}

void Reader::step(std::size_t index) {
  const auto place = std::string("[").append(std::to_string(index)).append("]");
  if (error_.code() != Errc::bad_json) error_ = std::move(error_).within(place);
}

}  // namespace tpuwh::base::json
