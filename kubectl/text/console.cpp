#include "kubectl/text/console.hpp"

#include <ostream>

namespace tpuwh::server::text {

const Output& Output::operator<<(const Printed& text) const {
  *stream_ << text.text();
  return *this;
}

bool Output::flush() const {
  return bool(stream_->flush());
}

int print_error(const Console& console, std::string_view what, int code) {
  console.err << printed("kubectl-tpu: {}\n", what);
  return code;
}

int print_error(const Console& console, const Error& error) {
  return print_error(console, error.text());
}

}  // namespace tpuwh::server::text
