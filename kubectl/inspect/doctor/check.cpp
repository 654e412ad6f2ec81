#include "kubectl/inspect/doctor/check.hpp"

#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/text/ink.hpp"
#include "server/text/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

std::string_view label(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "OK";
    case Verdict::warn:
      return "WARN";
    case Verdict::fail:
      return "FAIL";
    case Verdict::unknown:
      return "?";
  }
  return {};
}

text::Ink ink(Verdict verdict) {
  if (verdict == Verdict::ok) return text::Ink::green;
  return verdict == Verdict::fail ? text::Ink::red : text::Ink::yellow;
}

std::string_view id_of(const Check& check) {
  return ids::id_of(ids::doctor_rows, check.check);
}

// What fails because the API server cannot call us, or gets no answer that it can use.
bool is_of_calls(const Check& check) {
  constexpr std::string_view checks[] = {"service",  "deployment", "ca-bundle",  "certificate",
                                         "trust",    "keeper",     "namespaces", "rbac",
                                         "places",   "ledger",     "pods",       "network-policy",
                                         "settings", "account",    "priority",   "labels"};
  return std::ranges::find(checks, check.check) != std::end(checks);
}

// Where no Pod is changed and every entry ignores failures, nobody notices them.
void soften(Checks& checks) {
  for (Check& each : checks) {
    if (each.verdict != Verdict::fail || !is_of_calls(each)) continue;
    each.verdict = Verdict::warn;
    each.what += "; failurePolicy is Ignore: Pods are created unchanged";
  }
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::warn:
      return "warn";
    case Verdict::fail:
      return "fail";
    case Verdict::unknown:
      return "unknown";
  }
  return {};
}

Checks examine(const View& view) {
  Checks out;
  for (const auto check :
       {check_api_server,    check_configuration, check_installations, check_release,
        check_settings,      check_service,       check_port,          check_network,
        check_certificate,   check_keeper,        check_managed,       check_validation,
        check_deployment,    check_template,      check_values,        check_labels,
        check_replicas,      check_spreading,     check_disruption,    check_priority,
        check_quotas,        check_freshness,     check_places,        check_account,
        check_rbac,          check_flow,          check_monitor,       check_neighbours,
        check_workload_apis, check_gangs,         check_driver,        check_ledger,
        check_cost,          check_probes})
    check(view, out);
  if (harmless(view)) soften(out);
  return out;
}

text::Printed checks_text(const Checks& checks, bool colour) {
  text::Printed out;
  for (const Check& each : checks) {
    const auto verdict = text::printed("{:<4}", label(each.verdict));
    out += text::printed("{}  {:<16}  {}\n", text::paint(verdict, ink(each.verdict), colour),
                         each.check, each.what);
    if (!each.fix.empty()) out += text::printed("{:6}{:<16}  fix: {}\n", "", id_of(each), each.fix);
  }
  return out;
}

Json checks_json(const Checks& checks) {
  Json out = {{"checks", Json::array()}};
  for (const Verdict verdict : {Verdict::ok, Verdict::warn, Verdict::fail, Verdict::unknown})
    out[std::string(name(verdict))] = std::ranges::count(checks, verdict, &Check::verdict);
  for (const Check& each : checks)
    out["checks"].push_back({{"check", each.check},
                             {"id", id_of(each)},
                             {"verdict", name(each.verdict)},
                             {"what", each.what},
                             {"fix", each.fix.empty() ? Json() : Json(each.fix)}});
  return out;
}

}  // namespace tpuwh::server::doctor
