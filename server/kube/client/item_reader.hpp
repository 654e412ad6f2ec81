// The objects of a list page, one by one as its bytes come.
#pragma once

#include "server/kube/client/response.hpp"
#include "server/kube/decode/list_decoder.hpp"

#include <string_view>

namespace tpuwh::server::kube::client {

class ItemReader : public StreamReader {
 public:
  bool on_bytes(std::string_view bytes) final {
    decoder_.feed(bytes);
    std::string_view item;
    while ((outcome_ = decoder_.next(item)) == decode::ListDecoder::Outcome::item) on_item(item);
    return outcome_ == decode::ListDecoder::Outcome::need_more || whole();
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

 private:
  decode::ListDecoder decoder_;
  decode::ListDecoder::Outcome outcome_ = decode::ListDecoder::Outcome::need_more;
};

}  // namespace tpuwh::server::kube::client
