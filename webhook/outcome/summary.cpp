#include "webhook/outcome/summary.hpp"

namespace tpuwh::webhook::outcome {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::patched:
      return "patched";
    case Outcome::unchanged:
      return "unchanged";
    case Outcome::denied:
      return "denied";
    case Outcome::unusable:
      return "unusable";
    case Outcome::deferred:
      return "deferred";
    case Outcome::failed:
      return "failed";
  }
  return "";
}

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::injected:
      return "injected";
    case Reason::already_done:
      return "already_done";
    case Reason::not_a_pod:
      return "not_a_pod";
    case Reason::no_tpu:
      return "no_tpu";
    case Reason::switched_off:
      return "switched_off";
    case Reason::opted_out:
      return "opted_out";
    case Reason::single_host:
      return "single_host";
    case Reason::no_identity:
      return "no_identity";
    case Reason::no_place:
      return "no_place";
    case Reason::no_claim:
      return "no_claim";
    case Reason::no_topology:
      return "no_topology";
    case Reason::no_subdomain:
      return "no_subdomain";
    case Reason::inconsistent:
      return "inconsistent";
    case Reason::bad_topology:
      return "bad_topology";
    case Reason::bad_index:
      return "bad_index";
    case Reason::bad_name:
      return "bad_name";
    case Reason::too_long:
      return "too_long";
    case Reason::bad_quantity:
      return "bad_quantity";
    case Reason::forbidden:
      return "forbidden";
    case Reason::checked:
      return "checked";
    case Reason::never_works:
      return "never_works";
    case Reason::unreadable:
      return "unreadable";
    case Reason::too_large:
      return "too_large";
    case Reason::internal_error:
      return "internal_error";
  }
  return "";
}

}  // namespace tpuwh::webhook::outcome
