#include "kubectl/cli/ledger_flags.hpp"

#include "kubectl/cli/access_flags.hpp"
#include "kubectl/cli/choices.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/inspect/ledger/command.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto ledger_example = R"(
The ledger records which Ray worker is which host where the Pods carry no index labels
(KubeRay without RayMultiHostIndexing): one ConfigMap for each worker group.

Examples:
  kubectl tpu ledger list
  kubectl tpu ledger release ml/train/workers --dry-run)";

constexpr auto list_example = R"(
WITH POD: entries whose Pod is alive, found by its label token; WITHOUT POD: places, as
SLICE-HOST, whose Pod does not exist. The webhook frees those itself, mostly within seconds,
at the latest after two minutes; if one stays longer, see the webhook's log.
Exit code: 0, or 2 if the ledger or the snapshot cannot be read.

Examples:
  kubectl tpu ledger list
  kubectl tpu ledger list -n tpu-webhook-system --output json | jq '.groups[].withoutPod'
  kubectl get configmaps,pods -A -o json | kubectl tpu ledger list --cluster -)";

constexpr auto release_example = R"(
Without SLICE-HOST: every entry without a living Pod. The entry of a living Pod is never
freed, unless --force is given and its place is named: another Pod may then get the same
worker id. Needs list of Pods, and get, list, update and delete of ConfigMaps. Takes 70 s: a
Pod may be stored up to a minute after its entry was written, so each entry is checked twice.
Exit code: 0 done or nothing to do, 1 nothing was changed, 2 unusable.

Examples:
  kubectl tpu ledger release ml/train/workers --dry-run
  kubectl tpu ledger release ml/train/workers
  kubectl tpu ledger release ml/train/workers 0-3 1-0 --yes)";

void add_common(CLI::App& command, ledger::LedgerOptions& options) {
  command
      .add_option("--namespace,-n", options.ns,
                  "Namespace of the ledger; default: the one in the MutatingWebhookConfiguration "
                  "tpu-webhook, else tpu-webhook-system")
      ->type_name("NS");
  add_access_flags(command, options.access);
}

void add_list(CLI::App& ledger, Command& chosen) {
  auto options = std::make_shared<ledger::LedgerOptions>();
  auto* command = ledger.add_subcommand("list", "Print every group and its entries");
  add_snapshot_flag(*command, options->access, ledger::reads_of_ledger().made_with);
  add_common(*command, *options);
  add_choice<ledger::LedgerOutput>(
      *command, "--output,-o", options->output,
      {{"text", ledger::LedgerOutput::text}, {"json", ledger::LedgerOutput::json}},
      "text: for people; json: for programs");
  auto layers = add_settings(*command, settings::Scope::names);
  command->footer(list_example);
  command->callback([options, layers, &chosen] {
    options->prefix = layers->resolve().options.webhook.prefix;
    check_source(options->access);
    chosen.run = [options](const text::Console& console) {
      return ledger::run_ledger_list(*options, console);
    };
  });
}

struct ReleaseFlags {
  std::string group;
  std::vector<std::string> places;
  ledger::ReleaseOptions options;
};

void parse(ReleaseFlags& flags) {
  auto group = ledger::parse_group_path(flags.group);
  if (!group) throw settings::UsageError(group.error().text());
  flags.options.group = std::move(*group);
  for (const std::string& text : flags.places) {
    const auto place = ledger::parse_place(text);
    if (!place) throw settings::UsageError(place.error().text());
    flags.options.choice.places.push_back(*place);
  }
  if (flags.options.choice.force && flags.places.empty())
    throw settings::UsageError(
        "--force: expected the SLICE-HOSTs to free although their Pods live");
}

void add_release(CLI::App& ledger, Command& chosen) {
  auto flags = std::make_shared<ReleaseFlags>();
  auto* command = ledger.add_subcommand("release", "Free entries whose Pods do not exist");
  command->add_option("GROUP", flags->group, "NAMESPACE/CLUSTER/GROUP")->required();
  command->add_option("SLICE-HOST", flags->places, "Only these places, such as 0-3");
  add_common(*command, flags->options.ledger);
  command->add_flag("--force", flags->options.choice.force,
                    "Free the named places even if their Pods live, and without waiting");
  command->add_flag("--dry-run", flags->options.dry_run,
                    "Print the entries that would be freed, and free none");
  command->add_flag("--yes,-y", flags->options.yes, "Do not ask for confirmation");
  auto layers = add_settings(*command, settings::Scope::names);
  command->footer(release_example);
  command->callback([flags, layers, &chosen] {
    parse(*flags);
    flags->options.ledger.prefix = layers->resolve().options.webhook.prefix;
    chosen.run = [flags](const text::Console& console) {
      return ledger::run_ledger_release(flags->options, console);
    };
  });
}

}  // namespace

void add_ledger(CLI::App& program, Command& chosen) {
  auto* command = program.add_subcommand("ledger", "Inspect the ledger of Ray workers' places");
  command->require_subcommand(1);
  command->footer(ledger_example);
  add_list(*command, chosen);
  add_release(*command, chosen);
}

}  // namespace tpuwh::server::cli::kubectl_tpu
