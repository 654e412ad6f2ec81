#include "server/tools/inspect/doctor/command.hpp"

#include "server/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/tools/inspect/doctor/check.hpp"
#include "server/tools/inspect/doctor/fetch.hpp"
#include "server/tools/inspect/doctor/snapshot.hpp"
#include "server/tools/inspect/running/installation.hpp"
#include "server/tools/inspect/source/snapshot_file.hpp"
#include "server/tools/print/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

namespace tpuwh::server::doctor {

namespace {

// `not_known`: of the file, what was left out of it.
int report(const DoctorOptions& options, const View& view,
           const std::vector<std::string>& not_known, const text::Console& console) {
  const Checks checks = examine(view);
  if (options.output == DoctorOutput::json) {
    Json json = checks_json(checks);
    json["notKnown"] = not_known;
    console.out << text::json_line(json);
  } else {
    console.out << checks_text(checks, console.terminal);
    for (const std::string& each : not_known) console.out << text::printed("not known: {}\n", each);
  }
  const auto fails = [](const Check& each) { return each.verdict == Verdict::fail; };
  return std::ranges::any_of(checks, fails) ? 1 : 0;
}

int check_file(const DoctorOptions& options, const text::Console& console) {
  source::SnapshotFile snapshot(options.access.snapshot, console.in, reads_of_doctor());
  std::vector<Json> objects;
  const auto told =
      snapshot.for_each([&](std::string_view, const Json& object) { objects.push_back(object); });
  if (!told) return text::print_error(console, told.error());
  const auto listed = [&](std::string_view kind) { return snapshot.has_list_of(kind); };
  const auto now = snapshot.now().value_or(std::chrono::system_clock::now());
  return report(options, view_of(objects, listed, options.ns, now), snapshot.not_known(), console);
}

}  // namespace

int run_doctor(const DoctorOptions& options, const text::Console& console) {
  if (options.access.of_file()) return check_file(options, console);
  const auto session = running::open_session(options.access);
  if (!session) return text::print_error(console, session.error());
  const auto installed = running::find_installation(**session, options.ns);
  if (!installed) return text::print_error(console, installed.error());
  std::optional<print::Progress> progress(std::in_place,
                                          console.watched ? &console.err.stream() : nullptr);
  progress->now("asking the API server");
  const View view = fetch(**session, *installed, !options.ns.empty());
  progress.reset();  // the line is erased before anything is printed
  return report(options, view, {}, console);
}

}  // namespace tpuwh::server::doctor
