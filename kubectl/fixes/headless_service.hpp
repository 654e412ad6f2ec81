// The Service under which the hosts of a slice find one another.
#pragma once

#include "server/text/json_text.hpp"

#include <string>

namespace tpuwh::server::fixes {

// Headless, and of Pods that are not Ready, too: programs wait for all hosts before they are.
//
//   selector  labels of the Pods
inline Json headless_service(std::string ns, std::string name, Json selector) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", std::move(name)}, {"namespace", std::move(ns)}}},
          {"spec",
           {{"clusterIP", "None"},
            {"publishNotReadyAddresses", true},
            {"selector", std::move(selector)}}}};
}

}  // namespace tpuwh::server::fixes
