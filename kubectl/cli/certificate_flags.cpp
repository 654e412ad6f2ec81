#include "kubectl/cli/certificate_flags.hpp"

#include "kubectl/certificate/command.hpp"
#include "kubectl/cli/choices.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto certificate_example = R"(
With certificate.mode=internal, the default of the chart, a Deployment named tpu-webhook-keeper
runs `certificate keep`. The server's Pods mount the certificate and have no right to change it.

Examples:
  kubectl tpu certificate rights
  kubectl -n tpu-webhook-system logs deployment/tpu-webhook-keeper)";

constexpr auto keep_example = R"(
Issues a CA and a certificate for tpu-webhook.NAMESPACE.svc into the Secret of --secret, writes the
CA into each caBundle of the webhook configurations named tpu-webhook, and renews both before they
expire: the certificate after 30 of its 90 days, the CA half a year before it expires. A certificate
is written only when every caBundle has its CA, and a new CA signs only a minute after every
caBundle has it. The command also restores a caBundle that was changed, and a Secret that was
emptied.

Ask for a renewal: kubectl annotate secret tpu-webhook-certificate tpu-webhook.dev/renew=certificate
(or =ca). It runs in a Pod; its ServiceAccount needs the rules that `certificate rights` prints.
Exit code: 0 after SIGTERM or SIGINT, 1 if it does not run in a Pod with a ServiceAccount's token,
2 wrong usage. A request that fails is logged, at most once a minute, and tried again.

Examples:
  kubectl tpu certificate keep
  kubectl tpu certificate keep --secret tpu-webhook-certificate --log-format json)";

constexpr auto rights_example = R"(
Exit code: 0.

Examples:
  kubectl tpu certificate rights)";

void add_secret(CLI::App& command, certificate::KeepOptions& options) {
  command
      .add_option("--secret", options.secret,
                  "Secret with the certificate of tpu-webhook and its CA, in the namespace of "
                  "tpu-webhook")
      ->type_name("NAME")
      ->capture_default_str();
}

void add_keep(CLI::App& certificates, Command& chosen) {
  auto options = std::make_shared<certificate::KeepOptions>();
  auto* command = certificates.add_subcommand(
      "keep", "Issue and renew the certificate of tpu-webhook; runs in a Pod");
  add_secret(*command, *options);
  command
      ->add_option("--service-account", options->service_account,
                   "Directory of the Pod's token, ca.crt and namespace, if not where Kubernetes "
                   "mounts them")
      ->type_name("DIR");
  add_choice<log::LogFormat>(*command, "--log-format", options->log_format,
                             {{"text", log::LogFormat::text}, {"json", log::LogFormat::json}},
                             "Format of log lines on standard error");
  command->footer(keep_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const text::Console& console) {
      return certificate::run_keep(*options, console);
    };
  });
}

void add_rights(CLI::App& certificates, Command& chosen) {
  auto options = std::make_shared<certificate::KeepOptions>();
  auto* command = certificates.add_subcommand(
      "rights",
      "Print the RBAC rules that `certificate keep` needs, as YAML of a ClusterRole and a Role");
  add_secret(*command, *options);
  command->footer(rights_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const text::Console& console) {
      return certificate::run_rights(*options, console);
    };
  });
}

}  // namespace

void add_certificate(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand(
      "certificate",
      "Issue and renew the certificate of tpu-webhook, or print the RBAC rules that this needs");
  command->require_subcommand(1);
  command->footer(certificate_example);
  add_keep(*command, chosen);
  add_rights(*command, chosen);
}

}  // namespace tpuwh::server::cli::kubectl_tpu
