// Whether Pods of a template are Ready as soon as they run, or when their programs say so: what is
// made only after them waits for that, and a program that waits for all hosts of its slice never
// says it.
//
//   source  kubernetes pkg/controller/statefulset/stateful_set_control.go, v1.36.3; lws v0.9.0
//           pkg/controllers/pod_controller.go; jobset v0.12.0 pkg/controllers/startup_policy.go
#pragma once

#include "base/json/reader.hpp"

#include <string>
#include <string_view>

namespace tpuwh::webhook::validate {

// "readinessProbe of container a", or what else the Pods are Ready by; "" where they are as soon as
// they run. A liveness probe is none of it, nor is a probe of an init container that ends.
//
//   pod_template  its place
//   step          what leads to it in the object, for errors
//   returns       false where it cannot be read
bool read_readiness(base::json::Reader& in, base::json::Reader::Mark pod_template,
                    std::string& what, std::string_view step = "template");

}  // namespace tpuwh::webhook::validate
