#include "kubectl/text/json_line.hpp"

#include "server/text/visible.hpp"

#include <nlohmann/json.hpp>

namespace tpuwh::server::text {

Printed json_line(const Json& value, bool page) {
  constexpr auto replace = Json::error_handler_t::replace;
  return Printed::trusted(visible_json(value.dump(page ? 2 : -1, ' ', false, replace)) + "\n");
}

}  // namespace tpuwh::server::text
