#include "server/serve/https/request.hpp"

#include "base/release.hpp"

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

void RequestHead::give_back_memory() {
  constexpr std::size_t usual = 512;
  if (target.capacity() > usual) base::release(target);
  if (content_type.capacity() > usual) base::release(content_type);
}

}  // namespace tpuwh::server::https
