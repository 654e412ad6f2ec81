// What only a running cluster gives out, in its form: the same for the same object.
#pragma once

#include <string>
#include <string_view>

namespace tpuwh::server::expand {

// 8-4-4-4-12 hex digits.
std::string uid_of(std::string_view kind, std::string_view ns, std::string_view name);

// `length` (at most 16) of the letters and digits that Kubernetes makes names of.
//   source  k8s.io/apimachinery pkg/util/rand, SafeEncodeString, v0.36.3
std::string suffix_of(std::string_view kind, std::string_view ns, std::string_view name,
                      std::size_t length);

// 8 digits, for minutes since 1970.
std::string minutes_of(std::string_view ns, std::string_view name);

// 32 digits of base 32, as KubeRay prints a SHA-1 sum.
//   source  ray-project/kuberay ray-operator/controllers/ray/utils/util.go, GenerateJsonHash,
//   v1.6.2
std::string hash_of(std::string_view kind, std::string_view ns, std::string_view name);

// 40 hex digits: no placeholder, but what JobSet and LeaderWorkerSet make keys with.
std::string sha1_hex(std::string_view text);

}  // namespace tpuwh::server::expand
