#include "webhook/shared_text.hpp"

#include "webhook/base64.hpp"

#include <utility>

namespace tpuwh::webhook {

namespace {

constexpr std::size_t group = 3;  // bytes that base64 makes four characters of

std::size_t bytes_of(const SharedText& text) {
  return text.json.size() + text.encoded.size();
}

// An even spread is all that is asked of it.
std::size_t hash_of(std::string_view key) {
  const Digest digits = digest(key);
  std::size_t hash = 0;
  for (const char c : digits) hash = hash * 31 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

SharedText& SharedTexts::slot_of(std::string_view key) {
  return texts_[hash_of(key) % slots];
}

void SharedTexts::start(SharedText& text) {
  bytes_ -= std::exchange(text.counted, 0);
  text.key.clear();
  text.json.clear();
  text.encoded.clear();
}

void SharedTexts::finish(SharedText& text, std::string_view key) {
  text.value_size = text.json.size() < 2 ? 0 : text.json.size() - 2;
  text.value_digest = digest(text.value());
  while (text.json.size() % group != 0) text.json.append(' ');
  append_base64(text.encoded, text.json.view());
  if (bytes_ + bytes_of(text) > max_bytes) {
    for (SharedText& other : texts_)
      if (&other != &text) other = {};
    bytes_ = 0;
  }
  text.counted = bytes_of(text);
  bytes_ += text.counted;
  text.key = key;
}

}  // namespace tpuwh::webhook
