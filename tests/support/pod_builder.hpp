// Pods and reviews for tests, made as a sentence:
//
//   a_pod().job("train", 1).topology("2x4").tpu(4).env("A", "1").review()
//
// What is not said is left out, as the API server leaves out what is empty. Without
// accelerator() it is tpu-v6e-slice. Calls about a container speak of the last one.
//
// For unit tests, whose Pods are few members long, often wrong, and made where they are judged.
// Whole Pods, as a controller writes them and the API server completes them, come from
// support/workloads, which is Python and writes files.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::test {

using nlohmann::json;

// Returns a JSON list. The function is needed because nlohmann reads braces around one object as
// that object, not as a list with one element.
inline json list(const std::vector<json>& items) {
  return items;
}

class PodBuilder {
 public:
  PodBuilder();

  PodBuilder& label(std::string_view key, const json& value);
  PodBuilder& annotation(std::string_view key, const json& value);
  // With our prefix.
  PodBuilder& ours(std::string_view key, const json& value) {
    return annotation("tpu-webhook.dev/" + std::string(key), value);
  }
  PodBuilder& selector(std::string_view key, const json& value);
  PodBuilder& topology(std::string_view text);
  PodBuilder& accelerator(std::string_view label);  // "" for none
  PodBuilder& owner(std::string_view kind, std::string_view name, std::string_view uid);

  // As the controllers make them, names, owner and all.
  PodBuilder& job(std::string_view name, std::uint32_t index);
  PodBuilder& jobset(std::string_view name, std::string_view replicated_job, std::uint32_t replicas,
                     std::uint32_t slice, std::uint32_t index);
  PodBuilder& statefulset(std::string_view name, std::uint32_t ordinal);
  // Member `worker` of a group, with the labels of LeaderWorkerSet's webhook, not its env.
  PodBuilder& lws(std::string_view name, std::uint32_t group, std::uint32_t worker,
                  std::uint32_t size);
  // KubeRay with host indexing.
  PodBuilder& ray(std::string_view cluster, std::string_view group, std::uint32_t replica,
                  std::uint32_t host);

  // And without: nothing says which member it is.
  PodBuilder& without_place();

  // Chips of the last container, as limit and request; a number or a string.
  PodBuilder& tpu(const json& quantity);
  // Sets the topology, and the chips of the last container.
  PodBuilder& on(std::string_view topology_text, const json& chips) {
    return topology(topology_text).tpu(chips);
  }
  // Adds a container of the kind, with `chips` as its chips; null means no chips.
  PodBuilder& container(std::string_view name, const json& chips = nullptr);
  PodBuilder& init_container(std::string_view name, const json& chips = nullptr);
  PodBuilder& sidecar(std::string_view name, const json& chips = nullptr);
  PodBuilder& env(std::string_view name, std::string_view value);
  PodBuilder& env_from(std::string_view name, std::string_view field_path);
  PodBuilder& env_entry(const json& entry);

  // By JSON pointer, below the Pod; makes the parents.
  PodBuilder& set(const std::string& pointer, const json& value);
  PodBuilder& remove(const std::string& pointer);

  const json& pod() const { return pod_; }
  json review_json() const;
  std::string review() const { return review_json().dump(); }

 private:
  json& last();
  PodBuilder& add_container(const std::string& list, std::string_view name, const json& chips);

  json pod_;
  std::string last_;  // pointer of the container spoken of
};

inline PodBuilder a_pod() {
  return {};
}

// A CREATE of `pod`, as kube-apiserver 1.31 sends it.
json review_of(const json& pod);

}  // namespace tpuwh::test
