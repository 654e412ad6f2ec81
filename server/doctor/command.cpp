#include "server/doctor/command.hpp"

#include "server/doctor/check.hpp"
#include "server/doctor/fetch.hpp"
#include "server/doctor/snapshot.hpp"
#include "server/live/installation.hpp"
#include "server/source/object_source.hpp"
#include "server/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/text/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

namespace tpuwh::server::doctor {

namespace {

int report(const DoctorOptions& options, const View& view, const text::Console& console) {
  const Checks checks = examine(view);
  if (options.output == DoctorOutput::json)
    console.out << text::json_line(checks_json(checks));
  else
    console.out << checks_text(checks, console.terminal);
  const auto fails = [](const Check& each) { return each.verdict == Verdict::fail; };
  return std::ranges::any_of(checks, fails) ? 1 : 0;
}

bool is_configuration(const Json& object) {
  return text::text_member(object, "kind").ends_with("WebhookConfiguration");
}

int check_file(const DoctorOptions& options, const text::Console& console) {
  source::SnapshotFile snapshot(options.access.snapshot, console.in, snapshot_made_with);
  std::vector<Json> objects;
  const auto told =
      snapshot.for_each([&](std::string_view, const Json& object) { objects.push_back(object); });
  if (!told) return text::print_error(console, told.error());
  if (std::ranges::none_of(objects, is_configuration))
    return text::print_error(
        console, Error(Errc::bad_value,
                       fmt::format("the snapshot holds no webhook configuration; create it with {}",
                                   snapshot_made_with)));
  return report(options, view_of(objects, options.ns, std::chrono::system_clock::now()), console);
}

}  // namespace

int run_doctor(const DoctorOptions& options, const text::Console& console) {
  if (options.access.of_file()) return check_file(options, console);
  const auto session = live::open_session(options.access);
  if (!session) return text::print_error(console, session.error());
  const auto installed = live::find_installation(**session, options.ns);
  if (!installed) return text::print_error(console, installed.error());
  std::optional<text::Progress> progress(std::in_place,
                                         console.watched ? &console.err.stream() : nullptr);
  progress->now("asking the API server");
  const View view = fetch(**session, *installed, !options.ns.empty());
  progress.reset();  // the line is erased before anything is printed
  return report(options, view, console);
}

}  // namespace tpuwh::server::doctor
