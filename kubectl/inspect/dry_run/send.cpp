#include "kubectl/inspect/dry_run/send.hpp"

#include "kubectl/objects/read_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <random>
#include <utility>

namespace tpuwh::server::dry_run {

Answer try_create(running::ApiServer& session, const kube::client::Resource& resource,
                  const Json& object) {
  kube::client::Response response = session.send(
      kube::client::try_create(resource, text::dump_json(object)), limits::api::dry_run);
  Answer out;
  out.answered = response.answered();
  out.error = std::move(response.error);
  out.warnings = std::move(response.head.warnings);
  if (response.ok())
    out.object = objects::parse_json(response.body);
  else if (response.answered())
    out.status = response.status();
  if (out.answered && out.status.code == 0 && !out.object.is_object()) {
    out.answered = false;
    out.error = "the API server answered something that is not an object";
  }
  return out;
}

std::string random_nonce() {
  std::random_device bits;
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:08x}", static_cast<std::uint32_t>(bits()));
  return out;
}

}  // namespace tpuwh::server::dry_run
