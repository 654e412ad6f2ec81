// How long certificates are valid, when they are renewed, and how long the keeper waits.
#pragma once

#include <chrono>

namespace tpuwh::server::certificate::times {

using namespace std::chrono_literals;

// A certificate is renewed when a third of its life has passed. A keeper that has not acted by then
// leaves two thirds of the life to the alert TpuWebhookCertificateNotRenewed and its reader.
inline constexpr std::chrono::hours leaf_life{24 * 90};
inline constexpr std::chrono::hours leaf_left{24 * 60};

// A CA outlives what it signs until it is due itself.
inline constexpr std::chrono::hours authority_life{24 * 730};
inline constexpr std::chrono::hours authority_left{24 * 180};
static_assert(authority_left > leaf_life);

// Between two looks at the Secret and the configurations, and after a write or before the first
// success. Up to as much again is added at random. A look reads three objects: one request a
// second. A watch of them would be another right.
inline constexpr std::chrono::milliseconds look = 2s;
inline constexpr std::chrono::milliseconds look_again = 500ms;

// From when every entry trusts a new CA until it signs: every API server has seen the entries by
// then. Each watches them and learns of a change within a second; one that is cut off from etcd for
// longer is not ready itself.
inline constexpr std::chrono::milliseconds settle = 60s;

// How long an old CA stays trusted. A kubelet replaces the files of a mounted Secret when it next
// syncs the Pod: within 90 s (syncFrequency of 1 min, and half as much at random), or within 150 s
// where it does not watch Secrets.
//   source  kubernetes 1.36 pkg/kubelet/kubelet.go, workerResyncIntervalJitterFactor
inline constexpr std::chrono::milliseconds keep_old = 5min;

// One read or write.
inline constexpr std::chrono::milliseconds call = 5s;

}  // namespace tpuwh::server::certificate::times
