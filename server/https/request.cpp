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

}  // namespace tpuwh::server::https
