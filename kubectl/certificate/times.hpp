// How long certificates are valid, when they are renewed, and how long the keeper waits.
#pragma once

#include <chrono>

namespace tpuwh::server::certificate::times {

using namespace std::chrono_literals;

// The keeper renews the server's certificate (leaf) when a third of its lifetime has passed. If the
// renewal fails, two thirds of the lifetime are left. In this time the alert
// TpuWebhookCertificateNotRenewed fires, and a person can act on the alert.
inline constexpr std::chrono::hours leaf_life{24 * 90};
inline constexpr std::chrono::hours leaf_left{24 * 60};

// A CA outlives what it signs until it is due itself.
inline constexpr std::chrono::hours authority_life{24 * 730};
inline constexpr std::chrono::hours authority_left{24 * 180};
static_assert(authority_left > leaf_life);

// The pauses of the keeper between two reads of the Secret and the two configurations: usually
// `look`, but `look_again` after a write or before the first success. A random time of up to the
// same length is added to each pause, so the usual pause is 3 s on average. As the keeper reads
// three objects each time, it sends about one request a second. The keeper does not watch these
// objects, because a watch would need another RBAC verb.
inline constexpr std::chrono::milliseconds look = 2s;
inline constexpr std::chrono::milliseconds look_again = 500ms;

// How long a new CA waits before it signs certificates. The wait begins when the caBundle of every
// webhook has this CA. When the wait ends, every API server has read the new caBundles, because an
// API server watches webhook configurations and learns of a change within a second. An API server
// that is cut off from etcd for longer than the wait may still have the old caBundles, but fails
// its own readiness check, so it receives no requests.
inline constexpr std::chrono::milliseconds settle = 60s;

// How long an old CA stays trusted. A replica may serve a certificate that the old CA signed until
// the kubelet replaces the files of the mounted Secret. The kubelet replaces them when it next
// syncs the Pod: within 90 s (the syncFrequency of 60 s plus a random time of up to 30 s), or
// within 150 s if the kubelet does not watch Secrets.
//   source  kubernetes 1.36 pkg/kubelet/kubelet.go, workerResyncIntervalJitterFactor
inline constexpr std::chrono::milliseconds keep_old = 5min;

// One read or write.
inline constexpr std::chrono::milliseconds call = 5s;

}  // namespace tpuwh::server::certificate::times
