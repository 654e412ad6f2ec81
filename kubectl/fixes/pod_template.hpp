// The Pod templates of an object, and what of them fixes are made of: read leniently, since nothing
// is proposed that is not tried.
#pragma once

#include "kubectl/fixes/fix.hpp"
#include "topology/catalog.hpp"
#include "topology/dims.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::fixes {

// What makes Pods of it, and so what says how many.
enum class Maker {
  nobody,        // a Pod
  job,           // completions, parallelism; also of a CronJob
  jobset,        // the same, Indexed by itself
  deployment,    // replicas of single Pods
  stateful_set,  // replicas: so many slices together
  lws_leader,    // size, of leader and workers together
  lws_workers,
  ray_workers,  // numOfHosts
  ray_head,
  plain,  // webhook::workloads::PlainMaker
};

struct Container {
  Path path;
  const Json* value;
  std::uint32_t chips = 0;    // 0 for none, and for what is no number
  bool asks_for_tpu = false;  // whatever it says of chips
  bool init = false;
};

class PodTemplate {
 public:
  // `path` has metadata and spec of the Pods; `holder` the numbers.
  PodTemplate(const Json& object, Maker maker, Path holder, Path path);

  Maker maker() const { return maker_; }
  const Path& holder() const { return holder_; }
  Path spec(std::string_view member = {}) const;
  Path selector(std::string_view key) const { return spec("nodeSelector") / std::string(key); }
  Path annotation(std::string_view key) const;

  // Null where it is absent.
  const Json* value(const Path& path) const;
  std::string text(const Path& path) const;  // "" where there is none
  std::optional<std::uint32_t> number(const Path& path) const;

  const std::vector<Container>& containers() const { return containers_; }
  bool asks_for_tpu() const;
  std::uint32_t chips() const;  // of all containers that are not init containers

  // Null for no label, and for one that is not in the catalog.
  const topology::Generation* generation() const;
  std::string accelerator() const;
  // The sub-slice's where an annotation asks for one, else the selected one; "" for neither.
  std::string topology() const;
  // Of a slice; nothing where the topology or the chips do not say.
  std::optional<std::uint32_t> hosts() const;
  // How many Pods of a slice the object's numbers make; nothing where nothing does.
  std::optional<std::uint32_t> pods_of_slice() const;

 private:
  const Json& object_;
  Maker maker_;
  Path holder_, path_;
  std::vector<Container> containers_;
};

// `object` outlives them.
std::vector<PodTemplate> templates_of(const Json& object);

}  // namespace tpuwh::server::fixes
