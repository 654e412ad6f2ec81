#include "webhook/write/patch.hpp"

#include "webhook/text/base64.hpp"
#include "webhook/text/characters.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tpuwh::webhook::write {

namespace {

// All but control characters, quote and backslash.
constexpr text::Characters needs_no_escape = text::characters(
    [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; });

std::size_t clean_length_bytewise(std::string_view text) {
  return text::count_leading(needs_no_escape, text);
}

#if defined(__SSE2__)
// Where the first of these 16 bytes stands that needs it; 16 for none.
unsigned clean_of_16(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i last_control = _mm_set1_epi8(0x1f);
  const __m128i found =
      _mm_or_si128(_mm_cmpeq_epi8(_mm_max_epu8(bytes, last_control), last_control),
                   _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
  return static_cast<unsigned>(
      std::countr_zero(static_cast<unsigned>(_mm_movemask_epi8(found)) | 0x10000u));
}

// Bytes in front of the first that needs it. The last step may look at bytes for a second time.
std::size_t clean_length(std::string_view text) {
  constexpr std::size_t step = 16;
  if (text.size() < step) return clean_length_bytewise(text);
  for (std::size_t at = 0;; at = std::min(at + step, text.size() - step)) {
    const unsigned clean = clean_of_16(text.data() + at);
    if (clean < step || at + step == text.size()) return at + clean;
  }
}
#else
std::size_t clean_length(std::string_view text) {
  return clean_length_bytewise(text);
}
#endif

std::size_t index_of(PatchOp op) {
  return static_cast<std::size_t>(op);
}

// As a part of a JSON pointer.
void append_escaped(text::Buffer& out, std::string_view text) {
  for (const char c : text) {
    if (c == '~')
      out.append("~0");
    else if (c == '/')
      out.append("~1");
    else
      out.append(c);
  }
}

}  // namespace

void Patch::clear(std::string_view prefix) {
  json_.clear();
  encoded_.clear();
  undeclared_ = false;
  dropped_bytes_ = 0;
  if (prefix == prefix_) return;
  prefix_ = prefix;
  text::Buffer escaped;
  append_escaped(escaped, prefix);
  escaped_prefix_ = escaped.view();
}

inline const Spelling* Patch::spelled(PatchOp op, Surface row, Marks marks) {
  begun_ = json_.size();
  const Spelling& found = spelling(row);
  if (found.marks == marks && !found.heads[index_of(op)].empty()) return &found;
  undeclared_ = true;
  return nullptr;
}

void Patch::begin(PatchOp op, Surface row) {
  const bool prefixed = spelling(row).marks == Marks::prefix;
  const Spelling* as = spelled(op, row, prefixed ? Marks::prefix : Marks::none);
  if (as == nullptr) return;
  const std::string_view head = as->heads[index_of(op)];
  if (prefixed)
    json_.add(separator(), head, escaped_prefix(), as->texts[0]);
  else
    json_.add(separator(), head);
}

void Patch::begin(PatchOp op, Surface row, std::uint32_t index) {
  if (const Spelling* as = spelled(op, row, Marks::index))
    json_.add(separator(), as->heads[index_of(op)], index, as->texts[0]);
}

void Patch::begin(PatchOp op, Surface row, std::uint32_t outer, std::uint32_t inner) {
  if (const Spelling* as = spelled(op, row, Marks::two_indices))
    json_.add(separator(), as->heads[index_of(op)], outer, as->texts[0], inner, as->texts[1]);
}

void Patch::begin(PatchOp op, Surface row, std::string_view key) {
  const Spelling* as = spelled(op, row, Marks::key);
  if (key.empty()) undeclared_ = true;
  if (as == nullptr) return;
  json_.add(separator(), as->heads[index_of(op)]);
  append_escaped(json_, key);
  json_.append(as->texts[0]);
}

// Taken back whole, and counted, so that the denial can say how much it would have been. Without
// the bound a legal Pod of 3 MiB made an answer of 46 MB.
void Patch::drop() {
  dropped_bytes_ += json_.size() - begun_;
  json_.truncate(begun_);
  while (!encoded_.empty() && encoded_.back().from >= begun_) encoded_.pop_back();
}

std::string_view Patch::finish() {
  if (!json_.empty()) json_.append(']');
  return json_.view();
}

void Patch::set_own(Surface row, const std::optional<std::string_view>& present,
                    std::string_view value) {
  if (present && *present == value) return;
  assert(clean_length(value) == value.size());
  begin(present ? PatchOp::replace : PatchOp::add, row);
  json_.add('"', value, '"');
  end();
}

void Patch::append(const SharedText& text) {
  text::pad_to_base64_group(json_);
  encoded_.push_back({json_.size(), text.json.size(), text.encoded.view()});
  json_.append(text.json.view());
}

void Patch::append_operations(const SharedText& text) {
  begun_ = json_.size();
  json_.append(separator());
  append(text);
  if (json_.size() > max_patch_bytes) drop();
}

void Patch::encode(text::Buffer& out) {
  const std::string_view json = finish();
  out.reserve((json.size() + 2) / 3 * 4);
  std::size_t at = 0;
  for (const Encoded& part : encoded_) {
    text::append_base64(out, json.substr(at, part.from - at));
    out.append(part.base64);
    at = part.from + part.size;
  }
  text::append_base64(out, json.substr(at));
}

void append_json_string(text::Buffer& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  std::size_t clean = clean_length(text);
  if (clean == text.size()) return out.add('"', text, '"');
  out.append('"');
  for (;; clean = clean_length(text)) {
    out.append(text.substr(0, clean));
    if (clean == text.size()) break;
    const char c = text[clean];
    if (c == '"' || c == '\\')
      out.add('\\', c);
    else
      out.add("\\u00", hex[static_cast<unsigned char>(c) >> 4],
              hex[static_cast<unsigned char>(c) & 0xf]);
    text.remove_prefix(clean + 1);
  }
  out.append('"');
}

}  // namespace tpuwh::webhook::write
