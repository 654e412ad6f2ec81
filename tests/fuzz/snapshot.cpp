#include "kubectl/inspect/slices/command.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/printed.hpp"
#include "tests/fuzz/targets.hpp"

#include <sstream>

namespace tpuwh::fuzz {

namespace {

using server::slices::SlicesOptions;
using server::slices::SlicesOutput;
using server::source::SnapshotFile;

enum class Command { slices, audit };

Ended told(std::string_view bytes, Command command, SlicesOutput output) {
  SlicesOptions options;
  options.output = output;
  Ended said = run_command(bytes, [&](const server::text::Console& console) {
    SnapshotFile cluster({"-"}, console.in);
    return command == Command::audit
               ? server::slices::print_audit(options, cluster, console)
               : server::slices::print_slices(options, {.objects = cluster}, console);
  });
  require_ended(said);
  return said;
}

}  // namespace

void snapshot(std::string_view bytes) {
  for (const Command command : {Command::slices, Command::audit}) {
    const Ended text = told(bytes, command, SlicesOutput::text);
    require_plain(text.out);
    const Ended json = told(bytes, command, SlicesOutput::json);
    require_json(json.out);
    require(text.code == json.code, "the exit code depends on the output");
    require((text.code == 2) == text.out.empty(), "printed and could not be read");
    require_linear_time(bytes, "\n",
                        [&](std::string_view input) { told(input, command, SlicesOutput::text); });
  }
}

}  // namespace tpuwh::fuzz
