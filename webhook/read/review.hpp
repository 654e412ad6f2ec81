// The AdmissionReview around the object. docs/contract.md, "HTTP";
// docs/facts.md#admission-review.
#pragma once

#include "base/json/reader.hpp"
#include "webhook/read/pod.hpp"

#include <string_view>

namespace tpuwh::webhook::read {

struct Review {
  std::string_view api_version;  // "admission.k8s.io/v1" or "…/v1beta1"
  std::string_view uid;
  std::string_view kind_group, kind_version, kind;
  std::string_view sub_resource;
  std::string_view name;
  std::string_view ns;
  std::string_view operation;  // CREATE, UPDATE, DELETE, CONNECT
  bool dry_run = false;
  bool has_object = false;
  base::json::Reader::Mark object, old_object;  // where they stand; old_object of an UPDATE

  // The Pod's namespace, which a Pod that was not sent by an API server says itself.
  std::string_view ns_of(const Pod& pod) const { return ns.empty() ? pod.ns : ns; }

  // A new Pod is the only thing this program changes.
  bool is_pod_creation() const {
    return kind == "Pod" && kind_group.empty() && kind_version == "v1" && sub_resource.empty() &&
           operation == "CREATE" && has_object;
  }
};

// Reads all of a review but its objects, of which it keeps the places.
//
//   text    readable for 64 bytes past its end (Body, body.hpp)
//   errors  in reader.error(): empty_body, too_large, too_deep, bad_json, wrong_type,
//           duplicate_key, bad_value, not_a_review; each with the path where it has
//           one. `review` then holds what was read before.
bool read_envelope(std::string_view text, base::json::Reader& reader, Review& review);

// The same and, where it is a Pod's creation, the Pod, which has to be empty before: of any other
// review it stays so. Errors likewise.
bool read_review(std::string_view text, std::string_view prefix, base::json::Reader& reader,
                 Review& review, Pod& pod);

}  // namespace tpuwh::webhook::read
