// Sizes and waits of finding out how to reach an API server, with their reasons.
#pragma once

#include <chrono>
#include <cstddef>

namespace tpuwh::server::kube::access {

using namespace std::chrono_literals;

// A kubeconfig, a CA bundle, a token: the largest kubeconfig seen held 400 clusters in
// 3 MB. A file beyond it is not what it was taken for.
inline constexpr std::size_t file_bytes = 8u << 20;

// A token file is read again when the value is older: client-go takes 60 s with 10 s of
// leeway. The kubelet writes a new token when 80 % of its life are over, so that the old
// one holds for minutes more (docs/facts.md#service-account).
inline constexpr auto token_age = 50s;

}  // namespace tpuwh::server::kube::access
