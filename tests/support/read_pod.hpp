// A Pod as webhook::read_pod sees it, with the text that its views point into.
#pragma once

#include "tests/support/pod_builder.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/pod.hpp"

#include <string>
#include <utility>

namespace tpuwh::test {

struct ReadPod {
  explicit ReadPod(std::string json_text) : text(std::move(json_text)) {
    const webhook::Body body(text);
    good = in.start(body.bytes()) && webhook::read_pod(in, "tpu-webhook.dev/", pod) && in.finish();
  }
  explicit ReadPod(const PodBuilder& builder) : ReadPod(builder.pod().dump()) {}

  std::string text;
  webhook::JsonReader in;
  webhook::Pod pod;
  bool good = false;
};

}  // namespace tpuwh::test
