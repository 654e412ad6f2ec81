#include "kubectl/inspect/slices/command.hpp"

#include "kubectl/inspect/running/api_server.hpp"
#include "kubectl/inspect/running/cluster_source.hpp"
#include "kubectl/inspect/slices/audit.hpp"
#include "kubectl/inspect/slices/cluster_reader.hpp"
#include "kubectl/inspect/slices/print_slices.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/text/json_line.hpp"
#include "kubectl/text/near_miss.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ostream>

namespace tpuwh::server::slices {

namespace {

// How often --watch looks again.
constexpr std::chrono::seconds watch_pause(2);

// ECMA-48: the cursor to the top left, then everything behind it erased.
constexpr auto clear_screen = "\033[H\033[J";

bool chosen(const SliceReport& slice, const SlicesOptions& options) {
  return (options.ns.empty() || slice.ns == options.ns) &&
         (options.name.empty() || slice.group == options.name);
}

text::Printed print(const Cluster& cluster, const std::optional<Counting>& counting,
                    const SlicesOptions& options, bool colour) {
  auto slices = report_slices(cluster);
  std::erase_if(slices, [&](const SliceReport& slice) { return !chosen(slice, options); });
  const bool as_json = options.output == SlicesOutput::json;
  if (counting)
    return as_json ? counting->json(cluster, slices) : counting->text(cluster, slices, colour);
  return as_json ? text::json_line(slices_json(cluster, slices))
                 : slices_text(cluster, slices, colour);
}

// Why --namespace can find nothing; "" where it finds Pods, or may.
std::string namespace_fault(const Cluster& cluster, const SlicesOptions& options,
                            source::ObjectSource& objects) {
  if (options.ns.empty()) return {};
  if (std::ranges::count(cluster.pods, options.ns, &SeenPod::ns) > 0) return {};
  return objects.missing_namespace(options.ns);
}

// Why NAME chooses nothing; "" where it chooses a slice.
std::string name_fault(const Cluster& cluster, const SlicesOptions& options) {
  if (options.name.empty()) return {};
  std::vector<std::string> names;
  for (const SliceReport& slice : report_slices(cluster)) {
    if (chosen(slice, options)) return {};
    if (options.ns.empty() || slice.ns == options.ns) names.push_back(slice.group);
  }
  const std::string where = options.ns.empty() ? "" : " in namespace " + options.ns;
  return fmt::format("no slice is of a workload called {}{}{}", options.name, where,
                     text::did_you_mean(text::closest(options.name, names)));
}

// What is wrong with the filters.
std::string filter_fault(const Cluster& cluster, const SlicesOptions& options,
                         source::ObjectSource& objects) {
  const std::string fault = namespace_fault(cluster, options, objects);
  // One who watches may wait for it.
  return fault.empty() && !options.watch ? name_fault(cluster, options) : fault;
}

int print_no_access(const Error& error, const text::Console& console) {
  return text::print_error(console, fmt::format("{}; or pass --cluster SNAPSHOT.json, made with {}",
                                                error.text(), source::reads_of_slices().made_with));
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

std::ostream* progress_on(const text::Console& console) {
  return console.watched ? &console.err.stream() : nullptr;
}

int print_live_slices(const SlicesOptions& options, running::ApiServer& session,
                      const text::Console& console) {
  running::ClusterSource objects(session, {.ns = options.ns, .progress = progress_on(console)});
  SlicesSource source{objects};
  if (options.watch) {
    session.catch_interrupts();
    source.wait = [&session] { return session.wait(watch_pause); };
  }
  const int code = print_slices(options, source, console);
  return session.interrupted() ? 0 : code;
}

}  // namespace

int print_slices(const SlicesOptions& options, const SlicesSource& source,
                 const text::Console& console) {
  auto counting = options.by ? Counting::begin(*options.by, console) : std::nullopt;
  if (options.by && !counting) return 2;
  text::Printed last;
  for (;;) {
    const auto cluster = counting ? counting->read(source.objects, options.config)
                                  : read_cluster(source.objects, options.config);
    if (!cluster && (!source.wait || last.empty()))
      return text::print_error(console, cluster.error());
    if (!cluster) {
      if (!source.wait()) return 0;  // asked first: an interrupted read is not a failure
      text::print_error(console, cluster.error());
      continue;
    }
    if (last.empty())
      if (const auto fault = filter_fault(*cluster, options, source.objects); !fault.empty())
        return text::print_error(console, fault);
    const text::Printed text = print(*cluster, counting, options, console.terminal);
    if (text.text() != last.text()) {
      const bool redraw = options.watch && console.terminal;
      const bool gap = !last.empty() && options.output == SlicesOutput::text;
      if (redraw)
        console.out << clear_screen;
      else if (gap)
        console.out << "\n";
      console.out << text;
      if (!console.out.flush()) return 0;  // cli::run reports the failure
    }
    last = text;
    if (!source.wait || !source.wait()) return 0;
  }
}

int run_slices(const SlicesOptions& options, const text::Console& console) {
  if (options.access.of_file()) {
    source::SnapshotFile file(options.access.snapshot, console.in);
    SlicesSource source{file};
    if (options.watch) source.wait = interruptible_pause();
    return print_slices(options, source, console);
  }
  const auto session = running::open_session(options.access);
  if (!session) return print_no_access(session.error(), console);
  return print_live_slices(options, **session, console);
}

int print_audit(const SlicesOptions& options, source::ObjectSource& objects,
                const text::Console& console) {
  const auto cluster = read_cluster(objects, options.config);
  if (!cluster) return text::print_error(console, cluster.error());
  if (const auto fault = filter_fault(*cluster, options, objects); !fault.empty())
    return text::print_error(console, fault);
  const auto all = report_slices(*cluster);
  Audit found = audit(*cluster, all);
  std::erase_if(found.findings, [&](const Finding& each) {
    const auto is_chosen = [&](const SliceReport* slice) { return chosen(*slice, options); };
    return !is_chosen(each.slice) && std::ranges::none_of(each.others, is_chosen);
  });
  auto slices = all;  // the findings point into `all`
  std::erase_if(slices, [&](const SliceReport& slice) { return !chosen(slice, options); });
  console.out << (options.output == SlicesOutput::json
                      ? text::json_line(audit_json(found, slices))
                      : audit_text(found, slices, console.terminal));
  return found.errors() > 0 ? 1 : 0;
}

int run_audit(const SlicesOptions& options, const text::Console& console) {
  if (options.access.of_file()) {
    source::SnapshotFile file(options.access.snapshot, console.in);
    return print_audit(options, file, console);
  }
  const auto session = running::open_session(options.access);
  if (!session) return print_no_access(session.error(), console);
  running::ClusterSource objects(
      **session, {.ns = options.ns, .neighbours = true, .progress = progress_on(console)});
  return print_audit(options, objects, console);
}

}  // namespace tpuwh::server::slices
