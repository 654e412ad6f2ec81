#include "server/cli/slices_flags.hpp"

#include "server/cli/cluster_access.hpp"
#include "server/live/live_source.hpp"
#include "server/settings/choices.hpp"
#include "server/settings/flags.hpp"
#include "server/slices/audit.hpp"
#include "server/slices/command.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <ostream>

namespace tpuwh::server::cli {

namespace {

constexpr auto slices_example = R"(
MEMBERS: living Pods of the hosts that the topology has; "missing 3,5-7" are hosts without
a Pod, "twice 1" a host that two Pods are. WORKER IDS: TPU_WORKER_ID of their containers.
PHASE: running, every member is there and runs; forming, not yet; broken, it cannot form as
it is; ended, no member lives. What is not known says so.
Without --cluster the API server is asked, with -n for that namespace alone. --watch reads
again every two seconds; it ends with Ctrl-C.
Exit code: 0, or 2 where the cluster or the snapshot cannot be read.

Examples:
  tpu-webhook slices
  tpu-webhook slices -n ml --watch
  tpu-webhook slices --kubeconfig admin.conf --context test
  kubectl get pods,nodes,services,rayclusters -A -o json > cluster.json
  tpu-webhook slices --cluster cluster.json
  tpu-webhook slices train -n ml --cluster cluster.json --output json | jq '.slices[].missing'
  kubectl get pods,nodes -A -o json | tpu-webhook slices --cluster -)";

constexpr auto audit_example = R"(
Compares what the members of each slice believe with who they are. Nothing is changed.
Without --cluster the API server is asked: all namespaces, since their slices may stand on the
same pools, or only that of -n where the others may not be read.
Exit code: 0 no error (warnings do not count), 1 an error, 2 the cluster or the snapshot
cannot be read.

Examples:
  tpu-webhook audit
  tpu-webhook audit -n ml --context prod
  kubectl get pods,nodes,services,rayclusters -A -o json > cluster.json
  tpu-webhook audit --cluster cluster.json
  tpu-webhook audit -n ml --cluster cluster.json --output json | jq -r '.findings[].check')";

// How often --watch looks again.
constexpr std::chrono::seconds watch_pause(2);

struct ClusterFlags {
  AccessFlags access;
  bool watch = false;
  slices::SlicesOptions options;
};

void add_cluster_flags(CLI::App& command, ClusterFlags& flags) {
  command.add_option("NAME", flags.options.name, "Only workloads of this name");
  command.add_option("--namespace,-n", flags.options.ns, "Only of this namespace")->type_name("NS");
  add_snapshot_flag(command, flags.access, source::SnapshotFile::of_slices);
  add_access_flags(command, flags.access);
  settings::add_choice<slices::SlicesOutput>(
      command, "--output,-o", flags.options.output,
      {{"text", slices::SlicesOutput::text}, {"json", slices::SlicesOutput::json}},
      "text: for people; json: for programs");
}

void check(const ClusterFlags& flags) {
  check_source(flags.access);
  if (flags.watch && flags.access.snapshot == "-")
    throw settings::UsageError(
        "--watch: want a file as --cluster, standard input cannot be read again");
}

std::string list_of_checks() {
  std::string out = "\nChecks:\n";
  for (const slices::AuditCheck& each : slices::audit_checks())
    out += fmt::format("  {:<22}  {}\n", each.name, each.what);
  return out;
}

int no_access(const Error& error, const text::Console& console) {
  console.err << fmt::format("tpu-webhook: {}; or give --cluster SNAPSHOT.json, made with {}\n",
                             error.text(), source::SnapshotFile::of_slices);
  return 2;
}

// Waits between two looks at a file; SIGINT and SIGTERM, which come then at the latest, end the
// watch instead of the program.
std::function<bool()> interruptible_pause() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return [signals] {
    const timespec time{.tv_sec = watch_pause.count(), .tv_nsec = 0};
    return sigtimedwait(&signals, nullptr, &time) < 0;
  };
}

int slices_of_file(const ClusterFlags& flags, const text::Console& console) {
  source::SnapshotFile source(flags.access.snapshot, console.in);
  std::function<bool()> wait;
  if (flags.watch) wait = interruptible_pause();
  return slices::run_slices(flags.options, source, wait, console.out, console.err);
}

int live_slices(const ClusterFlags& flags, const text::Console& console) {
  auto session = open_session(flags.access);
  if (!session) return no_access(session.error(), console);
  kube::client::Session& cluster = **session;
  live::LiveSource source(cluster, {.ns = flags.options.ns});
  std::function<bool()> wait;
  if (flags.watch) {
    cluster.catch_interrupts();
    wait = [&cluster] { return cluster.wait(watch_pause); };
  }
  const int code = slices::run_slices(flags.options, source, wait, console.out, console.err);
  return cluster.interrupted() ? 0 : code;
}

int audit_of_file(const ClusterFlags& flags, const text::Console& console) {
  source::SnapshotFile source(flags.access.snapshot, console.in);
  return slices::run_audit(flags.options, source, console.out, console.err);
}

int live_audit(const ClusterFlags& flags, const text::Console& console) {
  auto session = open_session(flags.access);
  if (!session) return no_access(session.error(), console);
  live::LiveSource source(**session, {.ns = flags.options.ns, .neighbours = true});
  return slices::run_audit(flags.options, source, console.out, console.err);
}

}  // namespace

void add_slices(CLI::App& program, Command& chosen) {
  auto flags = std::make_shared<ClusterFlags>();
  auto* command = program.add_subcommand("slices", "Print every slice of a cluster");
  add_cluster_flags(*command, *flags);
  command->add_flag("--watch,-w", flags->watch,
                    "Read again every two seconds and print when something has changed");
  auto layers = settings::add_setting_flags(*command, settings::Scope::names);
  command->footer(slices_example);
  command->callback([flags, layers, &chosen] {
    check(*flags);
    flags->options.config = layers->resolve().options.webhook;
    chosen.run = [flags](const text::Console& console) {
      flags->options.colour = console.terminal;
      flags->options.redraw = console.terminal && flags->watch;
      return flags->access.snapshot.empty() ? live_slices(*flags, console)
                                            : slices_of_file(*flags, console);
    };
  });
}

void add_audit(CLI::App& program, Command& chosen) {
  auto flags = std::make_shared<ClusterFlags>();
  auto* command = program.add_subcommand("audit", "Print what is wrong with a cluster's slices");
  add_cluster_flags(*command, *flags);
  auto layers = settings::add_setting_flags(*command, settings::Scope::names);
  command->footer(list_of_checks() + audit_example);
  command->callback([flags, layers, &chosen] {
    check(*flags);
    flags->options.config = layers->resolve().options.webhook;
    chosen.run = [flags](const text::Console& console) {
      flags->options.colour = console.terminal;
      return flags->access.snapshot.empty() ? live_audit(*flags, console)
                                            : audit_of_file(*flags, console);
    };
  });
}

}  // namespace tpuwh::server::cli
