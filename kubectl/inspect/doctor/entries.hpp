// The entries of a webhook configuration: each has a name, a failurePolicy and a caBundle of its
// own.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// "webhooks" of a configuration; an empty array where there are none. Without those that no Pod
// reaches.
Json entries_of(const Json& configuration);

// "webhooks" as it stands; an empty array where it is none.
const Json& all_entries(const Json& configuration);
const Json& all_entries(const Json&& configuration) = delete;

std::string name_of(const Json& entry);
std::string path_of(const Json& entry);
std::string bundle_of(const Json& entry);

// "ray" of "ray.pods.tpu-webhook.dev", "pod" of "pods.tpu-webhook.dev", which are all in an
// installation that has one entry for them; "" of any other entry.
std::string workload_of(const Json& entry);

// Of namespaces that are only watched (docs/decisions/0019).
bool is_shadow(const Json& entry);
// The label of these namespaces as a selector, "key=value", by the entries for them, which have
// one;
// "" where there are none.
std::string watched_label(const Json& entries);
// Of Pods that have claims and do not ask for google.com/tpu.
bool is_of_claims(const Json& entry);
bool ignores_failures(const Json& entry);

// Whether there are entries for namespaces in shadow mode, of either configuration.
bool has_shadow(const View& view);

// Whether Pods of an entry are only looked at, by the settings; nothing where these are not known.
// All its Pods are of workload APIs of one mode, so one says it: the one that it is named for, and
// of "pods.tpu-webhook.dev" the last that is handled; so of that for claims, where they are read.
std::optional<bool> is_watched(const View& view, const Json& entry);

// Whether Pods of an entry are changed, as far as the settings say it, else by its failurePolicy.
bool is_enforced(const View& view, const Json& entry);

// Names of the entries whose Pods cannot be created while nobody answers.
std::vector<std::string> refusing(const View& view);

// Whether an outage costs nothing: every entry has failurePolicy Ignore, and no Pod would be
// changed anyway. Where the settings are not known, the entries alone decide.
bool harmless(const View& view);

}  // namespace tpuwh::server::doctor
