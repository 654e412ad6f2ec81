// Bytes of one list page in, its objects out, one by one.
//
// A page of 500 Pods is some 8 MB; no more of it is held than one object, because the API
// server streams it (KEP-5116) and so do we. Objects are cut out by their brackets and strings
// (value_end.hpp); whether one is good JSON otherwise is seen by who reads it. As in the server's
// own encoding, items of built-in kinds have neither apiVersion nor kind, and metadata may stand
// behind them.
//
// An item longer than the limit is passed over and counted: whoever may create Pods can make one,
// and a list that stops at it would never be read again.
#pragma once

#include "base/json/reader.hpp"
#include "server/kube/decode/value_end.hpp"
#include "server/limits/limits.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::decode {

class ListDecoder {
 public:
  explicit ListDecoder(std::size_t most_bytes = limits::api::object_bytes)
      : most_bytes_(most_bytes) {}

  enum class Outcome {
    item,       // `item` is filled
    too_large,  // `item` is the beginning of an item above the limit; its rest is skipped
    need_more,  // the page is not at its end
    end,        // it is: see resource_version() and continue_token()
    overflow,   // metadata or a key longer than the limit
    malformed,  // no list: see error()
  };

  // What came; must stay as it is until next() has asked for more.
  void feed(std::string_view bytes) { rest_ = bytes; }
  // `item` is good until the decoder is used again; the reader's padding is readable
  // behind it.
  Outcome next(std::string_view& item);
  void reset();

  // Of the page, after Outcome::end. An empty token means that it was the last.
  const std::string& resource_version() const { return version_; }
  const std::string& continue_token() const { return continue_; }
  const std::string& error() const { return error_; }
  // Items longer than the limit, since reset().
  std::size_t passed_over() const { return passed_over_; }

 private:
  enum class Step { go_on, item, end, failed, overflow };

  Step take(char c);
  Step take_in_string(char c);
  Step open(char c);
  Step close();
  bool begins_object() const;
  Step take_object();
  Step end_of_object(std::string_view last);
  Step read_metadata();
  Step fail(std::string what);
  Step overflow();
  // Between the brackets of "items", where each value is an item.
  bool in_items() const { return depth_ == 2 && items_; }

  std::size_t most_bytes_;
  std::string_view rest_;
  std::string_view object_;  // an item or the metadata, when it is whole
  std::string text_;         // of the one that is being read, if it came in pieces
  ValueEnd end_;
  bool in_object_ = false;
  bool in_string_ = false;
  bool escaped_ = false;  // the last character was a backslash in a string
  bool items_ = false;    // inside the value of "items"
  bool key_next_ = false;
  bool ended_ = false;
  bool overflow_ = false;
  bool passing_ = false;  // true from the report of an item above the limit until the rest of the
                          // item was skipped
  std::size_t passed_over_ = 0;
  unsigned depth_ = 0;
  std::string key_;  // the last one of the outermost object
  base::json::Reader reader_;
  std::string version_, continue_, error_;
};

}  // namespace tpuwh::server::kube::decode
