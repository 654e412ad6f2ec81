#include "kubectl/predict/outlook/member.hpp"

#include "server/text/json_text.hpp"
#include "webhook/read/affinity.hpp"
#include "webhook/read/body.hpp"

#include <fmt/format.h>

namespace tpuwh::server::outlook {

namespace {}  // namespace

Member::Member(const WantedSlice& slice, std::string_view prefix)
    : slice_(slice), text_(text::dump_json(slice.member)) {
  const bool read = reader_.start(webhook::read::Body(text_).bytes()) &&
                    webhook::read::read_pod(reader_, prefix, pod_) && reader_.finish();
  if (!read) pod_.clear();
  webhook::facts::read_shape(pod_, shape_);
}

std::string_view Member::accelerator() const {
  return slice_.accelerator.empty() ? shape_.accelerator : std::string_view(slice_.accelerator);
}

std::string_view Member::topology() const {
  return slice_.topology.empty() ? shape_.topology : std::string_view(slice_.topology);
}

webhook::read::PoolQuestion Member::question() const {
  return {.pod = pod_,
          .accelerator = accelerator(),
          .topology = topology(),
          .hosts = slice_.hosts,
          .chips_per_host = slice_.by_claim ? 0 : slice_.chips_per_host,
          .slice_key = {},
          .priority = pod_.priority};
}

std::string Member::key() const {
  const Json& spec = text::member(slice_.member, "spec");
  const Json& required = text::member(text::member(text::member(spec, "affinity"), "nodeAffinity"),
                                      "requiredDuringSchedulingIgnoredDuringExecution");
  return fmt::format("{} {} {} {} {}{}{}", accelerator(), topology(), slice_.hosts,
                     slice_.chips_per_host, text::dump_json(text::member(spec, "nodeSelector")),
                     text::dump_json(required), text::dump_json(text::member(spec, "tolerations")));
}

std::string Member::placed_by_others() const {
  if (webhook::facts::placed_by_kueue(pod_))
    return "topology-aware scheduling of Kueue chooses its nodes, which is not computed here";
  if (shape_.dynamic)
    return "it is a sub-slice or a slice made on demand: whoever makes it chooses its nodes";
  return {};
}

std::string_view Member::selected(std::string_view key) const {
  const std::string_view selector = pod_.selector(key);
  return selector.empty() ? webhook::read::pinned_value(pod_, key) : selector;
}

}  // namespace tpuwh::server::outlook
