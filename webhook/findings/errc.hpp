// What can be wrong with a review and with what its Pod says.
#pragma once

namespace tpuwh::webhook::findings {

enum class Errc {
  not_a_review,        // whoever calls the server
  not_chips,           // google.com/tpu that is no whole number
  index_out_of_range,  // an index label that is not a plain decimal below its bound
  name_too_long,       // a DNS label above 63 octets
  bad_name,            // a name that is not a DNS label
  not_filled_in,       // a name or topology with the placeholder of a template: "${NAME}"
  env_too_long,        // a variable above the kernel's 131,071 bytes
};

}  // namespace tpuwh::webhook::findings
