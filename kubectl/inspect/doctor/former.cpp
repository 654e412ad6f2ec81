#include "kubectl/inspect/doctor/former.hpp"

#include "server/rules/entries.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

namespace tpuwh::server::doctor {

namespace {

using webhook::config::Config;

std::optional<webhook::config::Mode> mode_of(const Config& config, const rules::OfWorkload& of) {
  const auto kind = webhook::workloads::row_of(of.workload).kind;
  return config.workloads.has(kind) ? std::optional(config.mode_for(kind)) : std::nullopt;
}

std::string not_left_out(const Config& config) {
  std::string out;
  for (const rules::OfWorkload& each : rules::of_workloads())
    if (!mode_of(config, each)) out += fmt::format(" &&\n!{}", each.expression);
  return out;
}

// Of Ray's workers by the label's value, of others by its key.
Json selector(const rules::OfWorkload& of) {
  if (of.label_key.empty()) return Json::object();
  Json one = {{"key", of.label_key}, {"operator", "Exists"}};
  if (of.workload == "ray") one["operator"] = "In";
  if (of.workload == "ray") one["values"] = Json::array({"worker"});
  return {{"matchExpressions", Json::array({one})}};
}

}  // namespace

std::vector<FormerEntry> former(const Config& config) {
  const rules::Conditions is = rules::conditions(config.prefix);
  const auto all = rules::of_workloads();
  std::vector<FormerEntry> out;
  for (const rules::OfWorkload& each : all) {
    const bool last = &each == &all.back();
    out.push_back({.name = each.entry,
                   .condition = each.workload,
                   .expression = last ? fmt::format("{} ?\n{} :\n!{} &&\n{}", is.asks_for_tpu,
                                                    each.expression, is.has_claims, is.annotated)
                                      : fmt::format("{} &&\n{}", is.asks_for_tpu, each.expression),
                   .selector = selector(each),
                   .mode = mode_of(config, each)});
  }
  out.push_back({.name = "claims.pods.tpu-webhook.dev",
                 .condition = "resource-claims",
                 .expression = fmt::format("!{} &&\n{}{}", is.asks_for_tpu, is.has_claims,
                                           not_left_out(config)),
                 .mode = webhook::config::Mode::shadow});
  return out;
}

std::string former_of_shadow(const Config& config) {
  const rules::Conditions is = rules::conditions(config.prefix);
  return fmt::format("({} ||\n {} ||\n {}){}", is.asks_for_tpu, is.has_claims, is.annotated,
                     not_left_out(config));
}

}  // namespace tpuwh::server::doctor
