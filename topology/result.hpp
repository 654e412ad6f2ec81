// How a failure travels: as a value.
//
// Every function of topology and webhook that can fail returns Result<T>. An
// Error is a kind (for code to branch on), one sentence for a person, and, where
// the input is JSON, the path of the value that was wrong. Exceptions are bugs.
#pragma once

#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh {

// What went wrong. Each line says who can cause it.
enum class Errc {
  none,
  // topology: whoever wrote the topology label or annotation
  dims_empty,           // ""
  dims_malformed,       // "4x", "4x4x4x4", "4 x 4", "four"
  dims_upper_case,      // "4X4": no node carries it
  dims_zero,            // "0x4"
  dims_negative,        // "-4x4"
  dims_too_large,       // an axis or the product beyond what any pod could have
  chips_invalid,        // a container that asks for no whole, positive number of chips
  chips_not_dividing,   // product of the dimensions is not a multiple of the chips of a host
  bounds_not_dividing,  // chips-per-process bounds do not divide an axis of the topology
  // review: whoever calls the server
  empty_body,
  too_large,
  too_deep,
  bad_json,
  duplicate_key,
  wrong_type,
  bad_value,
  not_a_review,
  // decision: whoever owns the Pod
  index_out_of_range,  // an index label that is not a plain decimal below its bound
  name_too_long,       // a DNS label above 63 octets
  bad_name,            // a name that is not a DNS label
  not_filled_in,       // a name or topology with the placeholder of a template: "${NAME}"
  env_too_long,        // a variable above the kernel's 131,071 bytes
  // server: whoever set up how the API server is reached (kubeconfig, service account, plugin)
  api_access,
  // ours
  internal,
};

class Error {
 public:
  Error() = default;  // no error; Boost.System's result wants it
  explicit Error(Errc code, std::string message, std::string path = {})
      : code_(code), message_(std::move(message)), path_(std::move(path)) {}

  Errc code() const { return code_; }
  // Boost's error() returns a copy: the && forms keep what it says alive in
  // `const std::string& text = result.error().message()`.
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }
  // JSON path of the offending value, outermost first, e.g.
  // "request.object.spec.containers[0].name"; empty where it has none.
  const std::string& path() const& { return path_; }
  std::string path() && { return std::move(path_); }
  // The sentence with its place in front.
  std::string text() const { return path_.empty() ? message_ : path_ + ": " + message_; }

  // The same error seen from one level further out: `step` is "spec" or "[3]".
  Error within(std::string_view step) && {
    if (!path_.empty() && path_.front() != '[') path_.insert(0, 1, '.');
    path_.insert(0, step);
    return std::move(*this);
  }

 private:
  Errc code_ = Errc::none;
  std::string message_;
  std::string path_;
};

template <class T>
using Result = boost::system::result<T, Error>;

// What Result::value() throws when somebody did not look first: a bug of ours.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw std::logic_error("unchecked result: " + error.text());
}

}  // namespace tpuwh
