// Which of our few resources a request's header asks for. A pure function: what it
// refuses is refused before a byte of the body is read.
#pragma once

#include "server/serve/https/request.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <variant>

namespace tpuwh::server::https {

// Which port a request came to: only one takes reviews, and what the metrics tell is not for
// everybody who may ask for reviews, nor for everybody who may probe.
enum class Port {
  webhook,
  health,   // probes and metrics
  probes,   // probes alone
  metrics,  // metrics alone
};

enum class Resource {
  mutate,           // POST, an AdmissionReview of a Pod
  shadow,           // the same, answered as with --mode shadow
  validate,         // POST, an AdmissionReview of a workload object
  shadow_validate,  // the same, answered as with --mode shadow
  livez,            // GET: the event loops turn
  readyz,           // GET: send me requests
  healthz,          // the older name of livez
  metrics,          // GET, for Prometheus
};

// Returns whether `resource` answers reviews of workload objects.
constexpr bool is_validation(Resource resource) {
  return resource == Resource::validate || resource == Resource::shadow_validate;
}

// Paths are exact (the API server removes doubled and trailing slashes); a query
// and an absolute-form target's "https://host" do not count. Refusals: 404, 405
// with Allow, 501 for a method that HTTP does not know, and for POST 411 and 415
// (application/json, parameters allowed).
std::variant<Resource, Refusal> route(const RequestHead& head, Port port);

// The path of "/mutate?timeout=10s" or of "https://host/mutate"; "" of any other form.
std::string_view path_of(std::string_view target);

// What is left of the caller's patience: "?timeout=10s". Nothing if the target has
// none that can be read.
std::optional<std::chrono::milliseconds> timeout_of(std::string_view target);

}  // namespace tpuwh::server::https
