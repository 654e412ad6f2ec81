#include "server/https/request.hpp"

namespace tpuwh::server::https {

void RequestHead::clear() {
  method = Method::other;
  target.clear();
  content_type.clear();
  http_1_1 = true;
  keep_alive = true;
  chunked = false;
  expects_continue = false;
  content_length.reset();
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, most));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > most) out += "...";
  return out;
}

}  // namespace tpuwh::server::https
