#include "server/doctor/command.hpp"

#include "server/doctor/check.hpp"
#include "server/doctor/fetch.hpp"
#include "server/doctor/snapshot.hpp"
#include "server/live/installation.hpp"

#include <algorithm>
#include <ostream>

namespace tpuwh::server {

namespace {

int complain(const Error& error, const Console& console) {
  console.err << "tpu-webhook: " << error.text() << "\n";
  return 2;
}

int report(const DoctorOptions& options, const doctor::View& view, const Console& console) {
  const doctor::Checks checks = doctor::examine(view);
  if (options.output == DoctorOutput::json)
    console.out << doctor::checks_json(checks).dump(
                       -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << "\n";
  else
    console.out << doctor::checks_text(checks, console.terminal);
  const auto fails = [](const doctor::Check& each) {
    return each.verdict == doctor::Verdict::fail;
  };
  return std::ranges::any_of(checks, fails) ? 1 : 0;
}

}  // namespace

int run_doctor(const DoctorOptions& options, kube::Session& session, const Console& console) {
  const auto installed = find_installation(session, options.ns);
  if (!installed) return complain(installed.error(), console);
  return report(options, doctor::fetch(session, *installed), console);
}

int run_doctor(const DoctorOptions& options, ObjectSource& snapshot, const Console& console) {
  std::vector<doctor::Json> objects;
  const auto told = snapshot.for_each([&](std::string_view, std::string_view json) {
    objects.push_back(doctor::Json::parse(json, nullptr, false));
  });
  if (!told) return complain(told.error(), console);
  return report(options, doctor::view_of(objects, options.ns, std::chrono::system_clock::now()),
                console);
}

}  // namespace tpuwh::server
