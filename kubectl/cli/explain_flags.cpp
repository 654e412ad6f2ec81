#include "kubectl/cli/explain_flags.hpp"

#include "kubectl/cli/access_flags.hpp"
#include "kubectl/cli/choices.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/cli/input_flags.hpp"
#include "kubectl/cli/team_rules_flag.hpp"
#include "kubectl/predict/expand/expand.hpp"
#include "kubectl/predict/explain/command.hpp"
#include "kubectl/predict/wrappers/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

using explain::ExplainOutput;

// The kinds go where {} is.
constexpr std::string_view explain_input =
    "FILE holds a {}: YAML, JSON or a List, several of them. Their Pods are made as the "
    "controllers make them and answered as the server answers. So are those of the objects that a "
    "{} holds or makes; --rules FILE describes other kinds (docs/wrappers.md). Beside them "
    "Services, "
    "ResourceClaimTemplates, Kueue's queues and flavors, ComputeClasses, PriorityClasses and "
    "NetworkPolicies are read. Nothing is changed, and nothing is sent anywhere, except by "
    "--dry-run.";

constexpr std::string_view explain_example = R"(

Fields of the containers' programs and mounts are never looked at: image, command, arguments,
probes that only restart, volumes, security, service account. Any other field that is set, might
matter and is not looked at is listed after the verdict; --fields prints all of them.

--cluster compares with the cluster of the kubeconfig: do the slices form now, or what do
they wait for? With SNAPSHOT.json, with the output of
  for kind in pods nodes services rayclusters resourceclaimtemplates resourceclaims \
    deviceclasses localqueues clusterqueues resourceflavors computeclasses; do
    kubectl get $kind -A -o json; done > cluster.json    # nothing for a kind that does not exist

--cluster --dry-run sends what the manifest holds to the API server of the kubeconfig, with your
own rights and as dry runs (dryRun=All), so that nothing is stored: each object that makes Pods,
the Jobs, Services and other objects that its controller would create of it, and one Pod of each
template. It says who refuses what (the API server, a quota, also for the sum of all of them, Pod
Security, a policy, which webhook), what could not be asked, and where the running webhook's
answer is another than this program's. Admission webhooks of the cluster see these objects. Do not
grant anybody the right to create Pods or Jobs for it: who lacks it is told so.

Exit code: 0, 1 if something would be refused (with --strict also: warned of, or an object
that makes Pods and is not read), 2 a file or the cluster cannot be read.

Examples:
  kubectl tpu explain train.yaml
  kubectl tpu explain -n ml manifests/ --all
  kubectl tpu explain --rules company.yaml run.yaml    # a kind of your own that makes Jobs or Pods
  kubectl tpu explain --strict manifests/ > /dev/null || echo "something is wrong"
  kubectl tpu explain train.yaml --cluster
  kubectl tpu explain train.yaml --cluster cluster.json
  kubectl tpu explain train.yaml --cluster --dry-run
  kubectl tpu explain train.yaml -o html > train.html
  helm template chart | kubectl tpu explain
  kubectl tpu explain train.yaml -o json | jq '.workloads[].groups[].slices[].name'
  kubectl tpu explain train.yaml -o network-policy | kubectl apply -f -
  kubectl tpu explain train.yaml -o pods | head -1 | jq .spec.containers[0].env)";

// In lines of at most 95 columns.
std::string folded(const std::string& text) {
  constexpr std::size_t widest = 95;
  std::string out;
  std::size_t used = 0;
  for (const auto each : std::views::split(text, ' ')) {
    const std::string_view word(each.begin(), each.end());
    const bool fits = used + 1 + word.size() <= widest;
    if (used > 0) out += fits ? ' ' : '\n';
    used = used > 0 && fits ? used + 1 + word.size() : word.size();
    out += word;
  }
  return out;
}

// "Job, JobSet or Pod"
std::string one_of(std::vector<std::string> kinds) {
  const std::string last = std::move(kinds.back());
  kinds.pop_back();
  return fmt::format("{} or {}", fmt::join(kinds, ", "), last);
}

std::string explain_footer() {
  return '\n' +
         folded(fmt::format(explain_input, one_of(expand::read_kinds()),
                            one_of(wrappers::wrapper_kinds()))) +
         std::string(explain_example);
}

void add_output(CLI::App& command, explain::ExplainOptions& options) {
  add_choice<ExplainOutput>(
      command, "--output,-o", options.output,
      {{"text", ExplainOutput::text},
       {"html", ExplainOutput::html},
       {"svg", ExplainOutput::svg},
       {"json", ExplainOutput::json},
       {"pods", ExplainOutput::pods},
       {"network-policy", ExplainOutput::network_policy}},
      "text: for people; html: a page that loads nothing; svg: the picture of "
      "chips and hosts; json: everything, for programs; pods: each Pod as it "
      "would be stored, a JSON line; network-policy: NetworkPolicies that admit "
      "the ports of each slice between its Pods, as YAML");
  command.add_flag("--all", options.all, "Fold nothing: every slice, Pod, value and command");
  command.add_flag("--fields", options.fields,
                   "Print which fields are read, and nothing else: markdown, or with -o json JSON");
  command
      .add_option("--rules", options.rules,
                  "Kinds of your own that hold objects or make Pods, and where in them these are")
      ->type_name("FILE");
  command.add_flag("--strict", options.strict, "Also exit with 1 if there is a warning");
}

void add_cluster(CLI::App& command, explain::ExplainOptions& options, std::string& cluster) {
  command
      .add_option("--cluster", cluster,
                  "Compare with the running cluster, or with a snapshot of one")
      ->expected(0, 1)
      ->type_name("[SNAPSHOT.json]");
  command.add_flag(
      "--dry-run", options.dry_run,
      "Also send objects, what controllers make of them and Pods to the running cluster, as dry "
      "runs: who refuses them");
  add_access_flags(command, options.access);
}

// `--cluster` alone is the running one; a file behind it a snapshot.
void choose_cluster(const CLI::App& command, const std::string& cluster,
                    explain::ExplainOptions& options) {
  options.ask_cluster = command.count("--cluster") > 0 || options.access.names_running();
  if (!cluster.empty()) options.access.snapshot = {cluster};
  check_source(options.access);
  if (options.dry_run && (!options.ask_cluster || options.access.of_file()))
    throw settings::UsageError("--dry-run: expected --cluster without a file as well");
  const bool reads_input =
      options.files.empty() || std::ranges::find(options.files, "-") != options.files.end();
  if (reads_input && cluster == "-")
    throw settings::UsageError(
        "--cluster: expected a file; standard input holds the manifest to explain");
}

}  // namespace

void add_explain(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<explain::ExplainOptions>();
  auto cluster = std::make_shared<std::string>();
  auto team_rules = std::make_shared<std::string>();
  auto* command = program.add_subcommand(
      "explain", "Show the result of a manifest: its Pods, slices and node pools");
  const auto flagged = add_input_flags(
      *command, options->files, options->ns,
      "Manifests to explain: files, folders, or - for standard input (the default)");
  add_output(*command, *options);
  add_cluster(*command, *options, *cluster);
  add_team_rules(*command, *team_rules);
  auto layers = add_settings(*command, settings::Scope::decision);
  command->footer(explain_footer());
  command->callback([command, options, flagged, cluster, team_rules, layers, &chosen] {
    join_files(flagged, options->files);
    choose_cluster(*command, *cluster, *options);
    options->config = layers->resolve().options.webhook;
    options->team_rules = read_team_rules(*team_rules);
    chosen.run = [options](const text::Console& console) {
      return explain::run_explain(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
