#include "server/doctor/command.hpp"

#include "server/doctor/check.hpp"
#include "server/doctor/fetch.hpp"
#include "server/doctor/snapshot.hpp"
#include "server/live/installation.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>
#include <ostream>

namespace tpuwh::server::doctor {

namespace {

int complain(const Error& error, const text::Console& console) {
  console.err << "tpu-webhook: " << error.text() << "\n";
  return 2;
}

int report(const DoctorOptions& options, const View& view, const text::Console& console) {
  const Checks checks = examine(view);
  if (options.output == DoctorOutput::json)
    console.out << text::dump_json(checks_json(checks)) << "\n";
  else
    console.out << checks_text(checks, console.terminal);
  const auto fails = [](const Check& each) { return each.verdict == Verdict::fail; };
  return std::ranges::any_of(checks, fails) ? 1 : 0;
}

}  // namespace

int run_doctor(const DoctorOptions& options, kube::client::Session& session,
               const text::Console& console) {
  const auto installed = live::find_installation(session, options.ns);
  if (!installed) return complain(installed.error(), console);
  return report(options, fetch(session, *installed), console);
}

int run_doctor(const DoctorOptions& options, source::ObjectSource& snapshot,
               const text::Console& console) {
  std::vector<Json> objects;
  const auto told =
      snapshot.for_each([&](std::string_view, const Json& object) { objects.push_back(object); });
  if (!told) return complain(told.error(), console);
  return report(options, view_of(objects, options.ns, std::chrono::system_clock::now()), console);
}

}  // namespace tpuwh::server::doctor
