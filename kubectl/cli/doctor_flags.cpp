#include "kubectl/cli/doctor_flags.hpp"

#include "base/names.hpp"
#include "kubectl/cli/access_flags.hpp"
#include "kubectl/cli/choices.hpp"
#include "kubectl/inspect/doctor/command.hpp"
#include "server/settings/usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto doctor_example = R"(
Reads, and changes nothing: the API server's version, the MutatingWebhookConfiguration, the
Service and its endpoints, the certificate, the Deployment, its RBAC and whatever else the chart
renders, other webhooks, the ledger. OK: passed; WARN: it works, but not as intended; FAIL:
Pods are refused or left unchanged; "?": you lack permission to read what the check needs. The
certificate check needs get of its Secret and keeps only tls.crt. With --cluster it reads a
file; facts that are not in a file, and kinds that are not in it, are "?".

--probe sends Pods, all as dry runs (dryRun=All), so none is stored: one of each workload API
that is handled, with a random nonce, to the namespace of --probe-namespace. A replica answers
with the nonce and its name. Without an answer it says what is in the way: blocked, shadow mode,
not selected, or who refused the Pod: tpu-webhook, another webhook, a quota, Pod Security, a
policy. It takes the right to create Pods in that namespace, and to get the
MutatingWebhookConfiguration and the namespace, or --cluster with a file that holds them.

Exit code: 0 no check fails, 1 a check fails, 2 the API server or the file cannot be read, the
file holds no webhook configuration, or no Pod could be tried.

Examples:
  kubectl tpu doctor
  kubectl tpu doctor --context prod -n tpu-webhook-system
  kubectl tpu doctor --probe
  kubectl tpu doctor --probe-only --probe-namespace ml    # no check that reads
  kubectl tpu doctor --output json | jq -r '.checks[] | select(.verdict == "fail") | .fix'
  kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations,clusterroles,\
clusterrolebindings,roles,rolebindings,services,endpointslices,deployments,pods,\
networkpolicies,poddisruptionbudgets,configmaps,namespaces,customresourcedefinitions,serviceaccounts,\
resourcequotas,priorityclasses,flowschemas,prioritylevelconfigurations -A -o json > cluster.json
  kubectl tpu doctor --cluster cluster.json)";

struct ProbeFlags {
  bool also = false, alone = false;
};

void add_probe(CLI::App& command, doctor::DoctorOptions& options, ProbeFlags& flags) {
  command.add_flag("--probe", flags.also, "Also try whether Pods reach a replica, by dry runs");
  command.add_flag("--probe-only", flags.alone, "Only that; of the checks that read, none");
  command
      .add_option("--probe-namespace", options.probe_ns,
                  "Namespace in which the Pods are tried; with --probe or --probe-only")
      ->type_name("NS")
      ->capture_default_str();
}

// With a probe a file says what is installed, and a running cluster is asked as well.
void choose_probe(const CLI::App& command, const ProbeFlags& flags,
                  doctor::DoctorOptions& options) {
  using doctor::Probing;
  if (flags.also) options.probing = Probing::also;
  if (flags.alone) options.probing = Probing::alone;
  if (options.probing == Probing::none) {
    if (command.count("--probe-namespace") > 0)
      throw settings::UsageError("--probe-namespace: expected --probe or --probe-only as well");
    check_source(options.access);
  }
  if (!base::is_dns_label(options.probe_ns))
    throw settings::UsageError(
        fmt::format("--probe-namespace \"{}\": expected the name of a namespace",
                    base::printable(options.probe_ns)));
}

}  // namespace

void add_doctor(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<doctor::DoctorOptions>();
  auto* command = program.add_subcommand("doctor", "Check the installation in a cluster");
  command
      ->add_option("--namespace,-n", options->ns,
                   "Namespace of tpu-webhook; default: the one in its "
                   "MutatingWebhookConfiguration, else tpu-webhook-system")
      ->type_name("NS");
  add_snapshot_flag(*command, options->access, "kubectl get … -A -o json, as below");
  add_access_flags(*command, options->access);
  add_choice<doctor::DoctorOutput>(
      *command, "--output,-o", options->output,
      {{"text", doctor::DoctorOutput::text}, {"json", doctor::DoctorOutput::json}},
      "text: for people; json: for programs");
  auto flags = std::make_shared<ProbeFlags>();
  add_probe(*command, *options, *flags);
  command->footer(doctor_example);
  command->callback([command, options, flags, &chosen] {
    choose_probe(*command, *flags, *options);
    chosen.run = [options](const text::Console& console) {
      return doctor::run_doctor(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
