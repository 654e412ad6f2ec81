#include "webhook/write/patch.hpp"

#include <algorithm>
#include <cstdint>

namespace tpuwh::webhook::write {

namespace {

std::size_t index_of(PatchOp op) {
  return static_cast<std::size_t>(op);
}

// As a part of a JSON pointer (RFC 6901), which is a part of a JSON string.
void append_pointer(Json& out, std::string_view text) {
  for (;;) {
    const std::size_t plain = std::min(text.find_first_of("~/"), text.size());
    out << in_string(text.substr(0, plain));
    if (plain == text.size()) return;
    if (text[plain] == '~')
      out << "~0";
    else
      out << "~1";
    text.remove_prefix(plain + 1);
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
  escaped_prefix_.clear();
  append_pointer(escaped_prefix_, prefix);
}

inline const Spelling* Patch::spelled(PatchOp op, Surface row, Marks marks) {
  begun_ = json_.mark();
  const Spelling& found = spelling(row);
  if (found.marks == marks && !found.heads[index_of(op)].empty()) return &found;
  undeclared_ = true;
  return nullptr;
}

inline char Patch::separator() const {
  return begun_.size == 0 ? '[' : ',';
}

void Patch::begin(PatchOp op, Surface row) {
  const bool prefixed = spelling(row).marks == Marks::prefix;
  const Spelling* as = spelled(op, row, prefixed ? Marks::prefix : Marks::none);
  if (as == nullptr) return;
  const base::PaddedText& head = as->heads[index_of(op)];
  if (prefixed)
    json_.append_raw(as->special + escaped_prefix_.special(), separator(), head, escaped_prefix(),
                     as->texts[0]);
  else
    json_.append_raw(as->special, separator(), head);
}

void Patch::begin(PatchOp op, Surface row, std::uint32_t index) {
  if (const Spelling* as = spelled(op, row, Marks::index))
    json_.append_raw(as->special, separator(), as->heads[index_of(op)], index, as->texts[0]);
}

void Patch::begin(PatchOp op, Surface row, std::uint32_t outer, std::uint32_t inner) {
  if (const Spelling* as = spelled(op, row, Marks::two_indices))
    json_.append_raw(as->special, separator(), as->heads[index_of(op)], outer, as->texts[0], inner,
                     as->texts[1]);
}

void Patch::begin(PatchOp op, Surface row, std::string_view key) {
  const Spelling* as = spelled(op, row, Marks::key);
  if (key.empty()) undeclared_ = true;
  if (as == nullptr) return;
  json_.append_raw(as->special, separator(), as->heads[index_of(op)]);
  append_pointer(json_, key);
  json_.append_raw(0, as->texts[0]);
}

// Taken back whole, and counted, so that the denial can say how much it would have been. Without
// the bound a legal Pod of 3 MiB made an answer of 46 MB.
void Patch::drop() {
  dropped_bytes_ += json_.size() - begun_.size;
  json_.go_back(begun_);
  while (!encoded_.empty() && encoded_.back().from >= begun_.size) encoded_.pop_back();
}

std::string_view Patch::finish() {
  if (!json_.empty()) json_ << "]";
  return json_.view();
}

void Patch::set_own(Surface row, const std::optional<std::string_view>& present,
                    std::string_view value) {
  if (present && *present == value) return;
  begin(present ? PatchOp::replace : PatchOp::add, row);
  json_ << as_string(value);
  end();
}

void Patch::append(const SharedText& text) {
  if (!text.sound) undeclared_ = true;
  json_.pad_to_base64_group();
  encoded_.push_back({json_.size(), text.json.size(), text.json.special(), text.encoded.view()});
  json_.append(text.json);
}

void Patch::append_operations(const SharedText& text) {
  begun_ = json_.mark();
  json_.append_raw(0, separator());
  append(text);
  if (json_.size() > max_patch_bytes) drop();
}

// Shared texts were looked at when they were made; the rest is a few hundred bytes.
bool Patch::is_sound() const {
  const std::string_view json = json_.view();
  std::size_t at = 0, special = 0;
  for (const Encoded& part : encoded_) {
    special += count_special(json.substr(at, part.from - at)) + part.special;
    at = part.from + part.size;
  }
  return special + count_special(json.substr(at)) == json_.special();
}

void Patch::encode(Json& out) {
  const std::string_view json = finish();
  out.reserve((json.size() + 2) / 3 * 4);
  std::size_t at = 0;
  for (const Encoded& part : encoded_) {
    out.append_base64(json.substr(at, part.from - at));
    out.append_raw(0, part.base64);
    at = part.from + part.size;
  }
  out.append_base64(json.substr(at));
}

}  // namespace tpuwh::webhook::write
