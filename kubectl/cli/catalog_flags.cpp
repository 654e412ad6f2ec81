#include "kubectl/cli/catalog_flags.hpp"

#include "kubectl/cli/choices.hpp"
#include "kubectl/reference/catalog/command.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <memory>
#include <optional>
#include <string>

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto catalog_example = R"(
ACCELERATOR is a label, short name, product name, machine type or accelerator type, in
any case: tpu-v6e-slice, v6e, Trillium, ct6e-standard-4t, v6e-16. Without TOPOLOGY: all its
shapes; without CHIPS_PER_NODE: every way to build the topology. In gcloud commands, values
that only you know are $CLUSTER, $LOCATION (of the control plane), $ZONE (of the TPUs), $REGION
and, for --dynamic-slicing without --reservation, $RESERVATION.
Exit code: 0, or 2 if there is no such shape.

Examples:
  kubectl tpu catalog
  kubectl tpu catalog ironwood
  kubectl tpu catalog v6e 2x4 4 --flex-start
  kubectl tpu catalog v6e 4x4 --slices 2 --dranet
  kubectl tpu catalog tpu7x 4x12x16 --dynamic-slicing
  kubectl tpu catalog v6e 4x4 --output svg > slice.svg
  kubectl tpu catalog v5p 4x4x4 --output json | jq -r '.shapes[].nodes')";

// A list of as many commands is longer than anybody reads.
constexpr std::uint32_t most_slices = 256;

// CLI11 reads "-1" as 4294967295.
std::optional<std::uint32_t> positive(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
  return value;
}

std::optional<std::string> reservation(std::string_view text) {
  return catalog::is_reservation(text) ? std::optional(std::string(text)) : std::nullopt;
}

void add_pool_flags(CLI::App& command, catalog::PoolOptions& options) {
  command.add_flag("--flex-start", options.flex_start, "Flex-start nodes, which wait for capacity");
  command.add_flag("--spot", options.spot, "Spot nodes");
  add_parsed(command, "--reservation", options.reservation, reservation,
             "a reservation's name or path", "Nodes of this reservation")
      ->type_name("NAME");
  command.add_flag("--autoscale", options.autoscale, "Node pools that start from zero nodes");
  command.add_flag("--dranet", options.dranet,
                   "Two additional networks, for traffic between slices");
  command.add_flag("--dynamic-slicing", options.dynamic_slicing,
                   "Slices assembled from blocks of 4x4x4, a node pool each (tpu7x)");
  command
      .add_option(
          "--slices", options.slices,
          "Number of equal slices; each multi-host slice gets a node pool, or its blocks do")
      ->check(CLI::Range(1u, most_slices))
      ->type_name("N")
      ->capture_default_str();
  add_parsed(command, "--num-nodes", options.num_nodes, positive, "a whole number above 0",
             "Number of nodes in your pool; refused if they do not form the topology")
      ->type_name("N");
}

}  // namespace

void add_catalog(CLI::App& program, Command& chosen) {
  auto options = std::make_shared<catalog::CatalogOptions>();
  auto* command = program.add_subcommand(
      "catalog", "Print TPU shapes: hosts, bounds, a picture, the node pool to create");
  command->add_option("ACCELERATOR", options->accelerator, "TPU generation; default: all");
  command->add_option("TOPOLOGY", options->topology, "Such as 2x4 or 2x2x2");
  add_parsed(*command, "CHIPS_PER_NODE", options->chips_per_node, positive,
             "a whole number above 0", "google.com/tpu of a node: 1, 4 or 8")
      ->type_name("N");
  add_choice<catalog::CatalogOutput>(*command, "--output,-o", options->output,
                                     {{"text", catalog::CatalogOutput::text},
                                      {"json", catalog::CatalogOutput::json},
                                      {"svg", catalog::CatalogOutput::svg}},
                                     "text: for people; json: for programs; svg: the picture only");
  command->add_flag("--all", options->all, "Every shape of an accelerator, even if there are many");
  add_pool_flags(*command, options->pool);
  command->footer(catalog_example);
  command->callback([options, &chosen] {
    chosen.run = [options](const text::Console& console) {
      return catalog::run_catalog(*options, console);
    };
  });
}

}  // namespace tpuwh::server::cli::kubectl_tpu
