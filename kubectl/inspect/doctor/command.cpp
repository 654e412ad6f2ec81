#include "kubectl/inspect/doctor/command.hpp"

#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/fetch.hpp"
#include "kubectl/inspect/doctor/probing.hpp"
#include "kubectl/inspect/doctor/snapshot.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/print/progress.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

namespace tpuwh::server::doctor {

namespace {

// What one of the ways to read an installation gives.
struct Installed {
  View view;
  std::vector<std::string> not_known = {};  // of a file, what was left out of it
};

int report(const DoctorOptions& options, const Installed& seen, const text::Console& console) {
  Checks checks;
  if (options.probing == Probing::alone)
    check_probes(seen.view, checks);
  else
    checks = examine(seen.view);
  if (options.output == DoctorOutput::json) {
    Json json = checks_json(checks);
    json["notKnown"] = seen.not_known;
    console.out << text::json_line(json);
  } else {
    console.out << checks_text(checks, console.terminal);
    for (const std::string& each : seen.not_known)
      console.out << text::printed("not known: {}\n", each);
  }
  const auto fails = [](const Check& each) { return each.verdict == Verdict::fail; };
  if (std::ranges::any_of(checks, fails)) return 1;
  // Nothing was tried: not what who asks for a probe may take for a success.
  const auto not_asked = [](const Check& each) {
    return each.check == "probe" && each.verdict == Verdict::unknown;
  };
  return std::ranges::any_of(checks, not_asked) ? 2 : 0;
}

Result<Installed> read_file(const DoctorOptions& options, const text::Console& console) {
  source::SnapshotFile snapshot(options.access.snapshot, console.in, reads_of_doctor());
  std::vector<Json> objects;
  const auto told =
      snapshot.for_each([&](std::string_view, const Json& object) { objects.push_back(object); });
  if (!told) return told.error();
  const auto listed = [&](std::string_view kind) { return snapshot.has_list_of(kind); };
  const auto now = snapshot.now().value_or(std::chrono::system_clock::now());
  return Installed{view_of(objects, listed, options.ns, now), snapshot.not_known()};
}

Result<Installed> read_cluster(const DoctorOptions& options, running::ApiServer& session) {
  const auto installed = running::find_installation(session, options.ns);
  if (!installed) return installed.error();
  if (options.probing == Probing::alone)
    return Installed{fetch_for_probes(session, installed->ns, options.probe_ns)};
  return Installed{fetch(session, *installed, !options.ns.empty())};
}

}  // namespace

int run_doctor(const DoctorOptions& options, const text::Console& console) {
  std::unique_ptr<running::ApiServer> session;
  if (!options.access.of_file() || options.probing != Probing::none) {
    auto opened = running::open_session(options.access);
    if (!opened) return text::print_error(console, opened.error());
    session = std::move(*opened);
  }
  std::optional<print::Progress> progress(
      std::in_place, console.watched && session ? &console.err.stream() : nullptr);
  progress->now("asking the API server");
  auto seen =
      options.access.of_file() ? read_file(options, console) : read_cluster(options, *session);
  if (seen && options.probing != Probing::none) send_probes(*session, options.probe_ns, seen->view);
  progress.reset();  // the line is erased before anything is printed
  if (!seen) return text::print_error(console, seen.error());
  return report(options, *seen, console);
}

}  // namespace tpuwh::server::doctor
