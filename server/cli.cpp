#include "server/cli.hpp"

#include "server/app.hpp"
#include "server/config.hpp"
#include "server/duration.hpp"
#include "server/flags.hpp"
#include "server/offline_flags.hpp"
#include "server/version.hpp"
#include "server/webhook_flags.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace tpuwh::server {
namespace {

constexpr auto program_example = R"(
Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key
  tpu-webhook review pod.yaml --output text
  tpu-webhook review --help)";

constexpr auto serve_example = R"(
Without --tls-cert the server issues a certificate to itself and prints its CA,
which callers must trust.

Examples:
  tpu-webhook serve --tls-cert /certs/tls.crt --tls-key /certs/tls.key --health-listen :8081
  tpu-webhook serve --listen 127.0.0.1:0 --ca-bundle-out /tmp/ca.crt)";

void add_duration(CLI::App& command, const std::string& flag, std::chrono::milliseconds& value,
                  const std::string& help) {
  const auto standard = std::chrono::duration_cast<std::chrono::seconds>(value);
  add_parsed(command, flag, value, parse_duration, "a duration such as 5s", help)
      ->type_name("DURATION")
      ->default_str(fmt::format("{}s", standard.count()));
}

void add_port_flags(CLI::App& command, ServeOptions& options) {
  command.add_option("--listen", options.listen, "Where to serve HTTPS; port 0 takes a free one")
      ->type_name("ADDR:PORT")
      ->capture_default_str();
  command
      .add_option("--health-listen", options.health_listen,
                  "Where to serve /livez and /readyz over plain HTTP as well")
      ->type_name("ADDR:PORT");
  command.add_option("--threads", options.threads, "Event loops for HTTPS, a thread each")
      ->check(CLI::Range(1u, limits::most_threads))
      ->type_name("N")
      ->capture_default_str();
}

void add_certificate_flags(CLI::App& command, ServeOptions& options) {
  auto* cert = command.add_option("--tls-cert", options.tls_cert,
                                  "Certificate chain, PEM; read again when it changes");
  auto* key = command.add_option("--tls-key", options.tls_key, "Its key, PEM");
  auto* names = command.add_option("--tls-hostname", options.tls_hostnames,
                                   "Name or IP address in the self-issued certificate; repeat");
  auto* bundle = command.add_option("--ca-bundle-out", options.ca_bundle_out,
                                    "Write the self-issued CA here, not to standard output");
  for (auto* option : {cert, key, bundle}) option->type_name("FILE");
  names->type_name("NAME")->allow_extra_args(false)->capture_default_str();
  cert->needs(key);
  key->needs(cert);
  names->excludes(cert);
  bundle->excludes(cert);
}

void add_log_flags(CLI::App& command, ServeOptions& options) {
  add_choice<LogFormat>(command, "--log-format", options.log_format,
                        {{"text", LogFormat::text}, {"json", LogFormat::json}},
                        "Form of the lines on standard error");
  add_choice<LogLevel>(command, "--log-level", options.log_level,
                       {{"info", LogLevel::info},
                        {"debug", LogLevel::debug},
                        {"warn", LogLevel::warn},
                        {"error", LogLevel::error}},
                       "Least important lines to write");
}

void add_drain_flags(CLI::App& command, ServeOptions& options) {
  add_duration(command, "--drain-delay", options.drain_delay,
               "After SIGTERM: not ready, but serving, for this long");
  add_duration(command, "--drain-timeout", options.drain_timeout,
               "Then: no new connections, and this long for the rest");
}

// One function per subcommand: its flags, and what it runs.
void add_serve(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<ServeOptions>();
  auto* command = program.add_subcommand("serve", "Answer admission reviews over HTTPS");
  add_port_flags(*command, *options);
  add_certificate_flags(*command, *options);
  add_log_flags(*command, *options);
  add_drain_flags(*command, *options);
  add_choice<LedgerKind>(
      *command, "--ledger", options->ledger,
      {{"auto", LedgerKind::automatic}, {"memory", LedgerKind::memory}, {"none", LedgerKind::none}},
      "Who gives Ray workers without index labels their ids; memory is for a "
      "single replica, auto is memory outside a cluster and none inside");
  add_webhook_flags(*command, options->webhook);
  command->footer(serve_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const Console& console) { return serve(*options, console.out); };
  });
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  Command chosen;
  CLI::App program("Admission webhook for TPU workloads on Kubernetes", "tpu-webhook");
  program.set_version_flag("--version", fmt::format("tpu-webhook {}", version));
  program.require_subcommand(1);
  program.footer(program_example);
  add_serve(program, chosen);
  add_review(program, chosen);
  add_rules(program, chosen);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    chosen.text = program.help();  // of the subcommand, if there is one
  } catch (const CLI::CallForVersion& request) {
    chosen.text = std::string(request.what()) + "\n";
  } catch (const CLI::RequiredError&) {
    const std::string found = argc > 1 ? fmt::format(", not \"{}\"", argv[1]) : "";
    throw UsageError(
        fmt::format("want a subcommand, serve, review or rules{}; see tpu-webhook --help", found));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return chosen;
}

}  // namespace tpuwh::server
