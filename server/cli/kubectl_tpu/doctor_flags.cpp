#include "server/cli/kubectl_tpu/doctor_flags.hpp"

#include "server/cli/choices.hpp"
#include "server/cli/kubectl_tpu/access_flags.hpp"
#include "server/tools/inspect/doctor/command.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto doctor_example = R"(
Reads and changes nothing: the API server's version, the MutatingWebhookConfiguration, the
Service and its endpoints, the certificate, the Deployment, its RBAC and whatever else the chart
renders, other webhooks, the ledger. OK: passed; WARN: it works, but not as intended; FAIL:
Pods are refused or left unchanged; "?": you lack permission to read what the check needs. The
certificate check needs get of its Secret and keeps only tls.crt. With --cluster it reads a
file; facts that are not in a file, and kinds that are not in it, are "?".
Exit code: 0 no check fails, 1 a check fails, 2 the API server or the file cannot be read, or
the file holds no webhook configuration.

Examples:
  kubectl tpu doctor
  kubectl tpu doctor --context prod -n tpu-webhook-system
  kubectl tpu doctor --output json | jq -r '.checks[] | select(.verdict == "fail") | .fix'
  kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations,clusterroles,\
clusterrolebindings,roles,rolebindings,services,endpointslices,deployments,pods,\
networkpolicies,poddisruptionbudgets,configmaps,namespaces,customresourcedefinitions,serviceaccounts,\
resourcequotas,priorityclasses,flowschemas,prioritylevelconfigurations -A -o json > cluster.json
  kubectl tpu doctor --cluster cluster.json)";

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
  command->footer(doctor_example);
  command->callback([options, &chosen] {
    check_source(options->access);
    chosen.run = [options](const text::Console& console) {
      return doctor::run_doctor(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
