#include "kubectl/cli/slices_flags.hpp"

#include "kubectl/cli/access_flags.hpp"
#include "kubectl/cli/choices.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/inspect/slices/command.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/reference/ids/audit_rows.hpp"
#include "server/settings/usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto slices_example = R"(
MEMBERS: living Pods, of the number of hosts in the topology; "missing 3,5-7": hosts without
a Pod; "duplicate 1": two Pods claim host 1. WORKER IDS: TPU_WORKER_ID of their containers.
PHASE: running, every member exists and runs; forming, not all run yet; broken, it cannot form
as it is; ended, no member lives. Unknown values are shown as "not known".
Without --cluster the API server is asked, with -n for that namespace only. --watch reads
again every two seconds; stop it with Ctrl-C.
Exit code: 0, or 2 if the cluster, the snapshot or the prices cannot be read, or there is no
namespace NS or no workload NAME.

--by counts instead, for a bill or a review: slices by phase, the chips that their Pods on nodes
hold, by the same phase, and the chips of Pods that wait for a node. A row is a namespace, or a
value of a label of the Pods, and an accelerator; (none) is for Pods without the label. It shows
one moment: how long chips were idle is not known without a program that watches the cluster.
--prices FILE adds what the chips that are held cost an hour:
  currency: USD
  prices:                  # of a chip, by accelerator
    tpu-v6e-slice: 2.70    # only an example
Nodes without Pods cost as well, and are not counted.

Examples:
  kubectl tpu slices
  kubectl tpu slices --by namespace --prices prices.yaml
  kubectl tpu slices --by label=team
  kubectl tpu slices -n ml --watch
  kubectl tpu slices --kubeconfig admin.conf --context test
  for kind in pods nodes services rayclusters resourceclaimtemplates resourceclaims \
      deviceclasses resourceslices; do
    kubectl get $kind -A -o json; done > cluster.json    # nothing for a kind that does not exist
  kubectl tpu slices --cluster cluster.json
  kubectl tpu slices train -n ml --cluster cluster.json --output json | jq '.slices[].missing'
  kubectl get pods,nodes -A -o json | kubectl tpu slices --cluster -)";

constexpr auto audit_example = R"(
Compares the TPU variables of each slice's members with their identity. Nothing is
changed. Without --cluster the API server is asked: all namespaces, since their slices may be
on the same pools, or only that of -n if the others may not be read.
Exit code: 0 no errors (warnings do not count), 1 errors found, 2 the cluster or the snapshot
cannot be read, or has no namespace NS or no workload NAME.

Examples:
  kubectl tpu audit
  kubectl tpu audit -n ml --context prod
  for kind in pods nodes services rayclusters resourceclaimtemplates resourceclaims \
      deviceclasses resourceslices; do
    kubectl get $kind -A -o json; done > cluster.json    # nothing for a kind that does not exist
  kubectl tpu audit --cluster cluster.json
  kubectl tpu audit -n ml --cluster cluster.json --output json | jq -r '.findings[].check')";

void add_cluster_flags(CLI::App& command, slices::SlicesOptions& options) {
  command.add_option("NAME", options.name, "Only workloads with this name");
  command.add_option("--namespace,-n", options.ns, "Only this namespace")->type_name("NS");
  add_snapshot_flag(command, options.access, source::reads_of_slices().made_with);
  add_access_flags(command, options.access);
  add_choice<slices::SlicesOutput>(
      command, "--output,-o", options.output,
      {{"text", slices::SlicesOutput::text}, {"json", slices::SlicesOutput::json}},
      "text: for people; json: for programs");
}

// "namespace" is "", "label=KEY" the key.
std::string key_to_count_by(const std::string& text) {
  constexpr std::string_view label = "label=";
  if (text == "namespace") return {};
  if (text.starts_with(label) && text.size() > label.size()) return text.substr(label.size());
  static const std::vector<std::string> names = {"namespace"};
  std::string near = text::closest(text, names);
  const bool may_be_a_key = !text.empty() && text.find('=') == std::string::npos;
  if (near.empty() && may_be_a_key) near = "label=" + text;
  throw CLI::ValidationError("--by", fmt::format("expected namespace or label=KEY, got \"{}\"{}",
                                                 text, text::did_you_mean(near)));
}

struct CountFlags {
  std::optional<std::string> key;
  std::string prices;
};

void add_count_flags(CLI::App& command, CountFlags& flags) {
  command
      .add_option_function<std::string>(
          "--by", [&flags](const std::string& text) { flags.key = key_to_count_by(text); },
          "Count slices and chips by namespace, or by a label of the Pods, instead of listing the "
          "slices")
      ->type_name("namespace|label=KEY");
  command
      .add_option("--prices", flags.prices,
                  "With --by: prices of a chip for an hour, to add what they cost")
      ->type_name("FILE");
}

void choose_count(const CountFlags& flags, slices::SlicesOptions& options) {
  if (flags.key) options.by = slices::CountBy{.label = *flags.key, .prices = flags.prices};
  if (!flags.key && !flags.prices.empty())
    throw settings::UsageError("--prices: expected --by namespace or --by label=KEY as well");
}

void check(const slices::SlicesOptions& options) {
  check_source(options.access);
  if (options.watch && std::ranges::count(options.access.snapshot, "-") > 0)
    throw settings::UsageError(
        "--watch: expected a file as --cluster; standard input cannot be read again");
}

std::string list_of_checks() {
  std::string out = "\nChecks:\n";
  for (const ids::Row& each : ids::audit_rows)
    out += fmt::format("  {:<22}  {}\n", each.name, each.what);
  return out;
}

}  // namespace

void add_slices(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<slices::SlicesOptions>();
  auto counts = std::make_shared<CountFlags>();
  auto* command = program.add_subcommand("slices", "Print every slice of a cluster");
  add_cluster_flags(*command, *options);
  add_count_flags(*command, *counts);
  command->add_flag("--watch,-w", options->watch, "Read again every two seconds and print changes");
  auto layers = add_settings(*command, settings::Scope::names);
  command->footer(slices_example);
  command->callback([options, counts, layers, &chosen] {
    check(*options);
    choose_count(*counts, *options);
    options->config = layers->resolve().options.webhook;
    chosen.run = [options](const text::Console& console) {
      return slices::run_slices(*options, console);
    };
  });
}

void add_audit(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<slices::SlicesOptions>();
  auto* command = program.add_subcommand("audit", "Print the faults of a cluster's slices");
  add_cluster_flags(*command, *options);
  auto layers = add_settings(*command, settings::Scope::names);
  command->footer(list_of_checks() + audit_example);
  command->callback([options, layers, &chosen] {
    check(*options);
    options->config = layers->resolve().options.webhook;
    chosen.run = [options](const text::Console& console) {
      return slices::run_audit(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
