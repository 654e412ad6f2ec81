// Values of a patch that every member of a slice gets alike: the list of its hosts, the
// terms of its affinity. They are built once and kept from review to review, together with
// their base64, which is what a patch travels as.
#pragma once

#include "base/buffer.hpp"
#include "base/hash.hpp"
#include "webhook/write/json.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::webhook::write {

struct SharedText {
  std::string key;       // what it was built from
  Json json;             // a JSON value, and blanks after it to a multiple of 3 bytes
  base::Buffer encoded;  // base64 of `json`
  std::size_t value_size = 0;
  std::size_t counted = 0;  // of SharedTexts::max_bytes
  base::Digest value_digest{};
  bool sound = true;  // Json::is_sound(); a patch with one that is not is not sent

  // Of a JSON string that needs no escapes: what stands between its quotes.
  std::string_view value() const { return json.view().substr(1, value_size); }
};

// Those of one role, so that a review never holds two of them. One per thread.
class SharedTexts {
 public:
  // Slices whose Pods come at the same time; a text that is gone is built again.
  static constexpr std::size_t slots = 16;
  // Of all texts together, JSON and base64; beyond, the others go.
  static constexpr std::size_t max_bytes = 1u << 20;

  // The text of `key`, which is not empty. `build(Json&)` writes the JSON if it is not
  // there; what throws half way leaves none.
  template <class Build>
  const SharedText& get(std::string_view key, Build&& build) {
    if (texts_[last_].key == key) return texts_[last_];  // mostly: members come together
    last_ = slot_of(key);
    SharedText& text = texts_[last_];
    if (text.key == key) return text;
    start(text);
    build(text.json);
    finish(text, key);
    return text;
  }

 private:
  static std::size_t slot_of(std::string_view key);
  void start(SharedText& text);
  void finish(SharedText& text, std::string_view key);

  std::array<SharedText, slots> texts_;
  std::size_t last_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tpuwh::webhook::write
