#include "webhook/write/shared_text.hpp"

#include "base/base64.hpp"
#include "base/release.hpp"

#include <functional>
#include <utility>

namespace tpuwh::webhook::write {

namespace {

std::size_t bytes_of(const SharedText& text) {
  return text.json.size() + text.encoded.size();
}

}  // namespace

std::size_t SharedTexts::slot_of(std::string_view key) {
  return std::hash<std::string_view>()(key) % slots;
}

void SharedTexts::start(SharedText& text) {
  bytes_ -= std::exchange(text.counted, 0);
  text.key.clear();
  text.json.clear();
  text.encoded.clear();
}

void SharedTexts::finish(SharedText& text, std::string_view key) {
  text.value_size = text.json.size() < 2 ? 0 : text.json.size() - 2;
  text.value_digest = base::digest(text.value());
  text.json.pad_to_base64_group();
  text.sound = text.json.is_sound();
  base::append_base64(text.encoded, text.json.view());
  if (bytes_ + bytes_of(text) > max_bytes) {
    for (SharedText& other : texts_)
      if (&other != &text) base::release(other);
    bytes_ = 0;
  }
  text.counted = bytes_of(text);
  bytes_ += text.counted;
  text.key = key;
}

}  // namespace tpuwh::webhook::write
