#include "server/slices/command.hpp"

#include "server/slices/audit.hpp"
#include "server/slices/cluster_reader.hpp"
#include "server/slices/print_slices.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <ostream>

namespace tpuwh::server::slices {

namespace {

constexpr int unusable = 2;

// ECMA-48: the cursor to the top left, then everything behind it erased.
constexpr auto clear_screen = "\033[H\033[J";

bool chosen(const SliceReport& slice, const SlicesOptions& options) {
  return (options.ns.empty() || slice.ns == options.ns) &&
         (options.name.empty() || slice.group == options.name);
}

std::string as_line(const nlohmann::ordered_json& value) {
  return text::dump_json(value) + "\n";
}

std::string print(const Cluster& cluster, const SlicesOptions& options) {
  auto slices = report_slices(cluster);
  std::erase_if(slices, [&](const SliceReport& slice) { return !chosen(slice, options); });
  return options.output == SlicesOutput::json ? as_line(slices_json(cluster, slices))
                                              : slices_text(cluster, slices, options.colour);
}

int complain(const Error& error, std::ostream& err) {
  err << fmt::format("tpu-webhook: {}\n", error.text());
  return unusable;
}

}  // namespace

int run_slices(const SlicesOptions& options, source::ObjectSource& source,
               const std::function<bool()>& wait, std::ostream& out, std::ostream& err) {
  std::string last;
  for (;;) {
    const auto cluster = read_cluster(source, options.config);
    if (!cluster && (!wait || last.empty())) return complain(cluster.error(), err);
    if (!cluster) {
      if (!wait()) return 0;  // asked first: an interrupted read is no failure
      complain(cluster.error(), err);
      continue;
    }
    const std::string text = print(*cluster, options);
    if (text != last) {
      const bool gap = !last.empty() && options.output == SlicesOutput::text;
      out << (options.redraw ? clear_screen : gap ? "\n" : "") << text << std::flush;
    }
    last = text;
    if (!wait || !wait()) return 0;
  }
}

int run_audit(const SlicesOptions& options, source::ObjectSource& source, std::ostream& out,
              std::ostream& err) {
  const auto cluster = read_cluster(source, options.config);
  if (!cluster) return complain(cluster.error(), err);
  const auto all = report_slices(*cluster);
  Audit found = audit(*cluster, all);
  std::erase_if(found.findings, [&](const Finding& each) { return !chosen(*each.slice, options); });
  auto slices = all;  // the findings point into `all`
  std::erase_if(slices, [&](const SliceReport& slice) { return !chosen(slice, options); });
  out << (options.output == SlicesOutput::json ? as_line(audit_json(found, slices))
                                               : audit_text(found, slices, options.colour));
  return found.errors() > 0 ? 1 : 0;
}

}  // namespace tpuwh::server::slices
