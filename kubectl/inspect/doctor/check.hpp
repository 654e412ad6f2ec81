// What `doctor` says: one check, one line.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "kubectl/reference/ids/doctor_rows.hpp"
#include "kubectl/text/printed.hpp"
#include "server/text/json.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::doctor {

enum class Verdict {
  ok,
  warn,     // it works, but not as it should, or not for long
  fail,     // Pods are refused or left as they are, now or at the next chance
  unknown,  // what must be read for it may not be read
};
std::string_view name(Verdict verdict);

struct Check {
  Verdict verdict;
  std::string check;     // "certificate": the name of one of ids::doctor_rows
  std::string what;      // what was found
  std::string fix = {};  // what to do; of warn, fail and unknown
};
using Checks = std::vector<Check>;

// Everything, in the order in which a person would look.
Checks examine(const View& view);

// The parts of it; each adds at least one line.
void check_api_server(const View& view, Checks& out);
void check_configuration(const View& view, Checks& out);
void check_entries(const View& view, Checks& out);     // of check_configuration()
void check_policies(const View& view, Checks& out);    // of check_configuration()
void check_namespaces(const View& view, Checks& out);  // of check_configuration()
void check_validation(const View& view, Checks& out);
void check_installations(const View& view, Checks& out);
void check_neighbours(const View& view, Checks& out);
void check_release(const View& view, Checks& out);
void check_service(const View& view, Checks& out);
void check_port(const View& view, Checks& out);
void check_certificate(const View& view, Checks& out);
void check_keeper(const View& view, Checks& out);
void check_deployment(const View& view, Checks& out);
void check_template(const View& view, Checks& out);
void check_replicas(const View& view, Checks& out);
void check_settings(const View& view, Checks& out);
void check_network(const View& view, Checks& out);
void check_disruption(const View& view, Checks& out);
void check_values(const View& view, Checks& out);
void check_account(const View& view, Checks& out);
void check_priority(const View& view, Checks& out);
void check_quotas(const View& view, Checks& out);
void check_flow(const View& view, Checks& out);
void check_managed(const View& view, Checks& out);
void check_monitor(const View& view, Checks& out);
void check_labels(const View& view, Checks& out);
void check_spreading(const View& view, Checks& out);
void check_freshness(const View& view, Checks& out);
void check_places(const View& view, Checks& out);
void check_rbac(const View& view, Checks& out);
void check_ledger(const View& view, Checks& out);
void check_workload_apis(const View& view, Checks& out);
// These add no line where nothing is to be said: few clusters have gangs or chips of a driver of
// claims, the size of a cluster is a replica's to say, and Pods are tried where somebody asks for
// it.
void check_gangs(const View& view, Checks& out);
void check_driver(const View& view, Checks& out);
void check_cost(const View& view, Checks& out);
void check_probes(const View& view, Checks& out);

inline void ok(Checks& out, ids::DoctorCheck check, std::string what) {
  out.push_back({Verdict::ok, check, std::move(what)});
}
inline void warn(Checks& out, ids::DoctorCheck check, std::string what, std::string fix) {
  out.push_back({Verdict::warn, check, std::move(what), std::move(fix)});
}
inline void fail(Checks& out, ids::DoctorCheck check, std::string what, std::string fix) {
  out.push_back({Verdict::fail, check, std::move(what), std::move(fix)});
}
inline void unknown(Checks& out, ids::DoctorCheck check, const std::string& why) {
  out.push_back({Verdict::unknown, check, "not known: " + why,
                 "run doctor as a user with permission to read it"});
}

text::Printed checks_text(const Checks& checks, bool colour);
// docs/operations.md, "For programs".
Json checks_json(const Checks& checks);

}  // namespace tpuwh::server::doctor
