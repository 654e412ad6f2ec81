// The two webhook configurations that the chart renders for an installation with these settings,
// by the program's own table (kubectl/reference/rules/entries.hpp).
// tests/unit/kubectl/inspect/doctor/alterations_test.cpp holds it against what the real helm
// has rendered, tests/charts/fixes.py with other values.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// The entries for Pods, in the chart's order: rules::entries() and, where `with_shadow`, that of
// shadow namespaces. Not in them is what values choose and other checks look at: failurePolicy,
// timeoutSeconds, namespaceSelector, caBundle.
Json wanted_entries(const View& view, bool with_shadow);

// The same of workload objects, with failurePolicy and timeoutSeconds, which no value chooses.
Json wanted_validations(const View& view, bool with_shadow);

// Returns the defaults that an API server sets in an entry.
const Json& entry_defaults();

// Returns the clientConfig without caBundle, as comparable() has it.
Json client_of(const Json& entry);

// `entry` as the wanted ones are: with what an API server fills in, without what other checks look
// at. `keep_policy` of a validating one.
Json comparable(Json entry, bool keep_policy);

// The prefix of our annotations, "tpu-webhook.dev/": by the settings; where they are not known, as
// the entries have it.
std::string annotation_prefix(const View& view);

// The workload APIs whose Pods no entry is to get: by the settings; where they are not known, by
// the entries.
std::vector<std::string> left_out(const View& view);

}  // namespace tpuwh::server::doctor
