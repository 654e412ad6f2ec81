// How a failure travels: as a value.
//
// Every function of base, topology and webhook that can fail returns Result<T>. An
// Error is a kind (for code to branch on), one sentence for a person, and, where
// the input is JSON, the path of the value that was wrong. Exceptions are bugs.
#pragma once

#include <boost/system/result.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tpuwh {

// What went wrong, for code to branch on: a value of the enum of whichever layer found it
// (base::Errc, topology::Errc, webhook::findings::Errc, server::kube::access::Errc).
class ErrorCode {
 public:
  constexpr ErrorCode() = default;  // nothing
  template <class E>
  requires std::is_enum_v<E>
  constexpr ErrorCode(E code)  // NOLINT(google-explicit-constructor): it is one
      : of_(&enum_of<E>), number_(static_cast<int>(code)) {}

  // Nothing where it is of another enum.
  template <class E>
  constexpr std::optional<E> as() const {
    return of_ == &enum_of<E> ? std::optional(static_cast<E>(number_)) : std::nullopt;
  }

  friend constexpr bool operator==(const ErrorCode&, const ErrorCode&) = default;

 private:
  template <class E>
  static constexpr char enum_of = 0;  // its address tells one enum from another

  const char* of_ = nullptr;
  int number_ = 0;
};

namespace base {

// Of texts, whatever they are about.
enum class Errc {
  empty,
  too_large,
  too_deep,
  bad_json,
  duplicate_key,
  wrong_type,
  bad_value,
  internal,  // a bug of ours
};

}  // namespace base

class Error {
 public:
  Error() = default;  // no error; Boost.System's result wants it
  explicit Error(ErrorCode code, std::string message, std::string path = {})
      : code_(code), message_(std::move(message)), path_(std::move(path)) {}

  ErrorCode code() const { return code_; }
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
  ErrorCode code_;
  std::string message_;
  std::string path_;
};

// A value that is none of those that are taken: the kind that most errors are of.
inline Error bad_value(std::string message, std::string path = {}) {
  return Error(base::Errc::bad_value, std::move(message), std::move(path));
}

template <class T>
using Result = boost::system::result<T, Error>;

// What Result::value() throws when somebody did not look first: a bug of ours.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw std::logic_error("unchecked result: " + error.text());
}

}  // namespace tpuwh
