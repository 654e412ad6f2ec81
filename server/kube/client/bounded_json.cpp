#include "server/kube/client/bounded_json.hpp"

#include "base/result.hpp"
#include "server/limits/limits.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace tpuwh::server::kube::client {
namespace {

// Counts, keeps nothing and stops the parser at a bound.
class Counter final : public nlohmann::json_sax<Json> {
 public:
  std::string why = "is not JSON";

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool value() {
    if (++values_ <= limits::api::answer_values) return true;
    why = fmt::format("has more than {} values", limits::api::answer_values);
    return false;
  }
  bool open() {
    if (++depth_ > limits::api::answer_depth) {
      why = fmt::format("is nested deeper than {} levels", limits::api::answer_depth);
      return false;
    }
    return value();
  }
  bool close() {
    --depth_;
    return true;
  }

  std::size_t values_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

Result<Json> parse_bounded(std::string_view text) {
  Counter counter;
  if (!Json::sax_parse(text, &counter)) return Error(base::Errc::bad_json, counter.why);
  return text::parse_or_discard(text);
}

}  // namespace tpuwh::server::kube::client
