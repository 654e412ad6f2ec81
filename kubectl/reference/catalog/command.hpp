// `kubectl tpu catalog`: what the documentation is searched for, from the catalog this
// program decides with.
#pragma once

#include "kubectl/reference/catalog/pool_options.hpp"
#include "kubectl/text/console.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tpuwh::server::catalog {

enum class CatalogOutput { text, json, svg };

struct CatalogOptions {
  std::string accelerator = {};  // empty: all of them
  std::string topology = {};     // empty: all of the accelerator's
  std::optional<std::uint32_t> chips_per_node = {};
  CatalogOutput output = CatalogOutput::text;
  bool all = false;  // shapes of a long table too, as text
  PoolOptions pool = {};
};

// 0, or 2 with one line on err where the catalog has no such thing or the flags make no
// sense together; then nothing is written to out.
int run_catalog(const CatalogOptions& options, const text::Console& console);

}  // namespace tpuwh::server::catalog
