// A Pod as webhook::read::read_pod sees it, with the text that its views point into.
#pragma once

#include "tests/support/pod_builder.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/pod.hpp"

#include <string>
#include <utility>

namespace tpuwh::test {

struct ReadPod {
  explicit ReadPod(std::string json_text) : text(std::move(json_text)) {
    const webhook::read::Body body(text);
    good = in.start(body.bytes()) && webhook::read::read_pod(in, "tpu-webhook.dev/", pod) &&
           in.finish();
  }
  explicit ReadPod(const PodBuilder& builder) : ReadPod(builder.pod().dump()) {}

  std::string text;
  base::json::Reader in;
  webhook::read::Pod pod;
  bool good = false;
};

}  // namespace tpuwh::test
