// The objects of a list page, one by one as its bytes come.
#pragma once

#include "server/kube/client/response.hpp"
#include "server/kube/decode/list_decoder.hpp"

#include <string_view>

namespace tpuwh::server::kube::client {

class ItemReader : public StreamReader {
 public:
  // `most_bytes` is the largest size of one object in bytes.
  explicit ItemReader(std::size_t most_bytes = limits::api::object_bytes) : decoder_(most_bytes) {}

  bool on_bytes(std::string_view bytes) final {
    using Outcome = decode::ListDecoder::Outcome;
    decoder_.feed(bytes);
    std::string_view item;
    while ((outcome_ = decoder_.next(item)) <= Outcome::too_large)
      outcome_ == Outcome::item ? on_item(item) : on_too_large(item);
    return outcome_ == Outcome::need_more || whole();
  }

  // The page came to its end.
  bool whole() const { return outcome_ == decode::ListDecoder::Outcome::end; }
  // What it said of itself, and what was wrong with it.
  const decode::ListDecoder& page() const { return decoder_; }

  // Another page comes.
  void reset() {
    decoder_.reset();
    outcome_ = decode::ListDecoder::Outcome::need_more;
  }

 protected:
  // The text is good for the call; the reader's padding is readable behind it.
  virtual void on_item(std::string_view json) = 0;
  // Receives the beginning of an object that is larger than the limit. The text is valid only
  // during the call.
  virtual void on_too_large(std::string_view) {}

 private:
  decode::ListDecoder decoder_;
  decode::ListDecoder::Outcome outcome_ = decode::ListDecoder::Outcome::need_more;
};

}  // namespace tpuwh::server::kube::client
