#include "server/kube/decode/list_decoder.hpp"

#include "base/release.hpp"
#include "webhook/read/body.hpp"

#include <utility>

namespace tpuwh::server::kube::decode {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

void ListDecoder::reset() {
  rest_ = object_ = {};
  text_.clear();
  in_object_ = in_string_ = escaped_ = items_ = key_next_ = ended_ = overflow_ = passing_ = false;
  passed_over_ = 0;
  depth_ = 0;
  key_.clear();
  version_.clear();
  continue_.clear();
  error_.clear();
}

ListDecoder::Outcome ListDecoder::next(std::string_view& item) {
  object_ = {};  // of a piece that may be gone
  if (passing_) base::release(text_);
  passing_ = passing_ && in_object_;
  if (overflow_) return Outcome::overflow;
  if (!error_.empty()) return Outcome::malformed;
  while (!rest_.empty()) {
    Step step = Step::go_on;
    if (in_object_ || begins_object()) {
      step = take_object();
    } else {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      step = take(c);
    }
    if (step == Step::failed) return Outcome::malformed;
    if (step == Step::overflow) return Outcome::overflow;
    if (step == Step::item) {
      item = object_;
      return passing_ ? Outcome::too_large : Outcome::item;
    }
  }
  return ended_ ? Outcome::end : Outcome::need_more;
}

// --- an item, or the metadata -----------------------------------------------------------------

bool ListDecoder::begins_object() const {
  const bool metadata = depth_ == 1 && !in_string_ && key_ == "metadata";
  return (metadata || in_items()) && rest_.front() == '{';
}

ListDecoder::Step ListDecoder::take_object() {
  if (!in_object_) {
    in_object_ = true;
    text_.clear();
    end_.begin();
  }
  const std::string_view piece = rest_.substr(0, end_.take(rest_));
  rest_.remove_prefix(piece.size());
  if (!passing_ && text_.size() + piece.size() > most_bytes_) {
    // Of an item the rest is passed over: a list that ended here would meet the same Pod, which
    // anybody may create, each time it is tried. Without its metadata a list is of no use.
    if (!items_) return overflow();
    passing_ = true;
    in_object_ = !end_.reached();
    ++passed_over_;
    object_ = text_.empty() ? piece : text_;
    return Step::item;
  }
  if (end_.reached()) return end_of_object(piece);
  if (!passing_) text_.append(piece);
  return Step::go_on;
}

ListDecoder::Step ListDecoder::end_of_object(std::string_view last) {
  in_object_ = false;
  if (std::exchange(passing_, false)) return Step::go_on;
  if (text_.empty() && rest_.size() >= webhook::read::padding) {
    object_ = last;  // as it came: what is behind it is readable
  } else {
    text_.reserve(text_.size() + last.size() + webhook::read::padding);
    object_ = text_.append(last);
  }
  return items_ ? Step::item : read_metadata();
}

ListDecoder::Step ListDecoder::read_metadata() {
  const auto member = [this](std::string_view key) {
    if (key != "resourceVersion" && key != "continue") return reader_.skip();
    std::string_view value;
    if (!reader_.string(value)) return false;
    (key == "continue" ? continue_ : version_) = value;
    return true;
  };
  const bool read = reader_.start(object_) && reader_.object(member) && reader_.finish();
  return read ? Step::go_on : fail("its metadata: " + reader_.error().text());
}

// --- what is around them ----------------------------------------------------------------------

ListDecoder::Step ListDecoder::take(char c) {
  if (ended_) return is_space(c) ? Step::go_on : fail("text after its end");
  if (in_string_) return take_in_string(c);
  if (c == '{' || c == '[') return open(c);
  if (c == '}' || c == ']') return close();
  if (is_space(c)) return Step::go_on;
  if (depth_ == 0) return fail("it does not begin with '{'");
  if (in_items() && c != ',') return fail("an item that is not an object");
  if (c == ',' && depth_ == 1) key_next_ = true;
  if (c == '"') {
    in_string_ = true;
    if (depth_ == 1 && key_next_) key_.clear();
  }
  return Step::go_on;
}

ListDecoder::Step ListDecoder::take_in_string(char c) {
  const bool closes = c == '"' && !escaped_;
  const bool of_key = depth_ == 1 && key_next_;
  if (of_key && !closes) key_ += c;
  if (of_key && closes) key_next_ = false;
  escaped_ = c == '\\' && !escaped_;
  in_string_ = !closes;
  return key_.size() > most_bytes_ ? overflow() : Step::go_on;
}

ListDecoder::Step ListDecoder::open(char c) {
  if (depth_ == 0 && c != '{') return fail("it does not begin with '{'");
  if (in_items()) return fail("an item that is not an object");
  if (depth_ == 0) key_next_ = true;
  if (depth_ == 1 && key_ == "items" && c == '[') items_ = true;
  ++depth_;
  return Step::go_on;
}

ListDecoder::Step ListDecoder::close() {
  if (depth_ == 0) return fail("it does not begin with '{'");
  --depth_;
  if (depth_ == 1) items_ = false;
  if (depth_ > 0) return Step::go_on;
  ended_ = true;
  return version_.empty() ? fail("no metadata.resourceVersion in it") : Step::end;
}

ListDecoder::Step ListDecoder::fail(std::string what) {
  error_ = "a list that cannot be read: " + std::move(what);
  return Step::failed;
}

ListDecoder::Step ListDecoder::overflow() {
  overflow_ = true;
  error_ = "an object larger than " + std::to_string(most_bytes_) + " bytes";
  return Step::overflow;
}

}  // namespace tpuwh::server::kube::decode
