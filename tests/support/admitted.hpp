// One review through admit(), with everything checked that must hold of any answer:
// well-formed JSON, uid and version echoed, patch and patchType together, every path
// declared, the patch applying under the strictest reading. A breach is a failure of
// the running test.
#pragma once

#include "tests/support/has.hpp"
#include "tests/support/pod_builder.hpp"
#include "webhook/answer/admit.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::test {

using nlohmann::json;
using webhook::outcome::Outcome;
using webhook::outcome::Reason;

struct Admitted {
  unsigned status = 0;
  unsigned retry_after = 0;
  bool allowed = false;
  Outcome outcome{};
  Reason reason{};
  bool shadow = false;
  std::string message;  // of a denial or of a Status
  std::vector<std::string> warnings;
  json patch = json::array();  // [] for none
  json object;                 // the Pod after the patch
  std::string body;

  // The first warning that holds `part`, else "".
  std::string warning(std::string_view part) const;
};

struct Around {
  webhook::config::Config config{};
  const webhook::read::ClusterView* cluster = nullptr;  // null: knows nothing
  webhook::ledger::Ledger* ledger = nullptr;            // null: an empty one
};

Admitted admit(std::string review, const Around& around = {});
inline Admitted admit(const PodBuilder& pod, const Around& around = {}) {
  return admit(pod.review(), around);
}
// Sends `pod` as it is, without copying it through a builder.
inline Admitted admit_pod(const json& pod, const Around& around = {}) {
  return admit(review_of(pod).dump(), around);
}

// The patch of the answer to a text whose bytes are kept as they are.
std::string decode_base64(std::string_view text);

// What a container would have: the last entry of the name; "<field>" for a fieldRef,
// "(absent)" where there is none.
std::string effective(const json& container, std::string_view name);
std::string effective(const Admitted& answer, std::string_view name, std::size_t container = 0);
// Names in the order of the list.
std::vector<std::string> env_names(const json& container);
std::string annotation(const Admitted& answer, std::string_view key);
std::string label(const Admitted& answer, std::string_view key);
// Whether a JSON text is one, by nlohmann and by its UTF-8.
bool well_formed(std::string_view text);

}  // namespace tpuwh::test
