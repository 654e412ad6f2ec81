#include "server/doctor_command.hpp"

#include "server/doctor/check.hpp"
#include "server/doctor/fetch.hpp"
#include "server/installation.hpp"

#include <algorithm>
#include <ostream>

namespace tpuwh::server {

int run_doctor(const DoctorOptions& options, kube::Session& session, const Console& console) {
  const auto installed = find_installation(session, options.ns);
  if (!installed) {
    console.err << "tpu-webhook: " << installed.error().text() << "\n";
    return 2;
  }
  const doctor::Checks checks = doctor::examine(doctor::fetch(session, *installed));
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

}  // namespace tpuwh::server
