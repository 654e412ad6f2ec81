// Computes the webhooks that the chart renders into its two webhook configurations for an
// installation with known settings. The webhooks are computed from the program's own table
// (kubectl/reference/rules/entries.hpp). Two tests compare the result with objects that helm has
// rendered: tests/unit/kubectl/inspect/doctor/alterations_test.cpp and, for other values of the
// chart, tests/charts/fixes.py.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// The entries for Pods, in the chart's order: rules::entries() and, where `with_shadow`, that of
// shadow namespaces. Not in them is what values choose and other checks look at: failurePolicy,
// timeoutSeconds, namespaceSelector, caBundle.
Json wanted_entries(const View& view, bool with_shadow);

// Returns the webhooks of the ValidatingWebhookConfiguration that the chart renders. The API server
// calls these webhooks for workload objects, such as Jobs. Unlike the result of wanted_entries(),
// these webhooks have failurePolicy and timeoutSeconds, because no value of the chart changes the
// two fields.
Json wanted_validations(const View& view, bool with_shadow);

// Returns the defaults that the API server sets in each webhook of a webhook configuration.
const Json& entry_defaults();

// Returns the clientConfig of a webhook in the form that comparable() returns: without caBundle,
// and with the API server's defaults.
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
