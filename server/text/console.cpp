#include "server/text/console.hpp"

#include <ostream>

namespace tpuwh::server::text {

int print_error(const Console& console, std::string_view what, int code) {
  console.err << "tpu-webhook: " << what << "\n";
  return code;
}

int print_error(const Console& console, const Error& error) {
  return print_error(console, error.text());
}

}  // namespace tpuwh::server::text
