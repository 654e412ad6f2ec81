#include "kubectl/cli/review_flags.hpp"

#include "kubectl/cli/choices.hpp"
#include "kubectl/cli/config_flags.hpp"
#include "kubectl/cli/input_flags.hpp"
#include "kubectl/review/command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto review_example = R"(
FILE holds an AdmissionReview, a Pod, a List, several of them one after another, or YAML of
them. Of a folder, its .yaml, .yml and .json files and those of its folders are read, by path.
All of them are Pods of one cluster, created in this order. A RayCluster, RayJob, RayService,
JobSet, Job or LeaderWorkerSet is checked for slices that could never start.
Exit code: 0 all allowed, 1 any denied (with --strict also: warned of), 2 any unusable, or a
file that cannot be read, is empty or holds no objects.

Examples:
  kubectl tpu review pod.yaml
  kubectl tpu review -n ml -f manifests/ -f job.yaml
  kubectl get pods -l job-name=train -o json | kubectl tpu review
  kubectl tpu review pod.yaml --output diff
  kubectl tpu review jobset.yaml --output json | jq -r .verdict
  kubectl tpu review < recorded.json
  for kind in pods nodes services rayclusters resourceclaimtemplates resourceclaims \
      deviceclasses; do
    kubectl get $kind -A -o json; done > cluster.json    # nothing for a kind that does not exist
  kubectl tpu review worker.yaml --cluster cluster.json)";

bool names_input(const std::vector<std::string>& files) {
  return std::ranges::find(files, "-") != files.end();
}

}  // namespace

void add_review(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<review::ReviewOptions>();
  auto* command = program.add_subcommand("review", "Answer reviews offline, as the server would");
  const auto flagged =
      add_input_flags(*command, options->files, options->ns,
                      "Objects to review: files, folders, or - for standard input (the default)");
  add_choice<review::ReviewOutput>(
      *command, "--output,-o", options->output,
      {{"text", review::ReviewOutput::text},
       {"json", review::ReviewOutput::json},
       {"diff", review::ReviewOutput::diff},
       {"review", review::ReviewOutput::review},
       {"patch", review::ReviewOutput::patch},
       {"object", review::ReviewOutput::object}},
      "text, diff: for people; json: verdict, reason, warnings and patch; review: the answer as "
      "the server sends it; patch: the JSON patch; object: the Pod after it (one JSON line each). "
      "Default: text, or review for recorded AdmissionReviews when stdout is not a terminal");
  command
      ->add_option("--cluster", options->cluster,
                   "Existing objects of the cluster: Services, RayClusters, and Ray workers that "
                   "have their ids; a file or folder, may be repeated")
      ->allow_extra_args(false)
      ->type_name("SNAPSHOT.json");
  command->add_flag("--strict", options->strict, "Also exit with 1 if there is a warning");
  auto layers = add_settings(*command, settings::Scope::decision);
  command->footer(review_example);
  command->callback([options, flagged, layers, &chosen] {
    join_files(flagged, options->files);
    const bool reads_input = options->files.empty() || names_input(options->files);
    if (reads_input && names_input(options->cluster))
      throw settings::UsageError(
          "--cluster: expected a file; standard input holds the objects to review");
    options->config = layers->resolve().options.webhook;
    chosen.run = [options](const text::Console& console) {
      return review::run_review(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
