#include "server/rules/rules.hpp"

#include "base/edits.hpp"
#include "server/text/version.hpp"
#include "webhook/read/reads.hpp"
#include "webhook/workloads/table.hpp"
#include "webhook/write/surface.hpp"

#include <fmt/format.h>

#include <utility>

namespace tpuwh::server::rules {

namespace {

// The path as it is for this prefix; '*' stays for an index.
std::string path_of(const webhook::write::SurfaceRow& row, const std::string& prefix) {
  std::string path(row.path), escaped = prefix;
  base::replace_all(escaped, "/", "~1");
  base::replace_all(path, webhook::write::prefix_mark, escaped);
  return path;
}

// What is read of an object of which the workload table says all.
Read read_of(const webhook::workloads::ObjectKind& object) {
  const webhook::workloads::PlainMaker& maker = *object.maker;
  const std::string members =
      fmt::format("{}{}, {}", maker.parts.empty() ? "" : fmt::format("{}, ", maker.part_name),
                  maker.count, maker.pod_template);
  std::string what = maker.parts.empty() ? fmt::format("spec.{}", members)
                                         : fmt::format("spec.{}[*]: {}", maker.parts, members);
  if (!maker.service.empty()) what += fmt::format("; spec.{}", maker.service);
  return {std::string(object.kind), std::move(what),
          "whether its Pods are the hosts of their topology"};
}

}  // namespace

Rules rules_of(const std::string& prefix) {
  Rules out{.version = std::string(text::version),
            .prefix = prefix,
            .writes = {},
            .never = {},
            .reads = {}};
  for (const auto& row : webhook::write::surface()) {
    Write write{std::string(webhook::write::name(row.op)), path_of(row, prefix),
                std::string(row.when), std::string(row.why)};
    out.writes.push_back(write);
    if (!row.also_replace) continue;
    write.operation = webhook::write::name(webhook::write::PatchOp::replace);
    out.writes.push_back(write);
  }
  for (const auto field : webhook::write::never_written()) out.never.emplace_back(field);
  for (const auto& row : webhook::read::reads())
    out.reads.push_back({std::string(row.where), std::string(row.what), std::string(row.why)});
  for (const auto& workload : webhook::workloads::workloads())
    for (const auto& object : workload.objects)
      if (object.maker != nullptr) out.reads.push_back(read_of(object));
  return out;
}

Json to_json(const Rules& rules) {
  Json writes = Json::array(), reads = Json::array();
  for (const Write& write : rules.writes) {
    // One entry for the operations of one row: they follow each other.
    if (!writes.empty() && writes.back()["path"] == write.path &&
        writes.back()["when"] == write.when && writes.back()["why"] == write.why) {
      writes.back()["operations"].push_back(write.operation);
      continue;
    }
    writes.push_back({{"operations", Json::array({write.operation})},
                      {"path", write.path},
                      {"when", write.when},
                      {"why", write.why}});
  }
  for (const Read& read : rules.reads)
    reads.push_back({{"where", read.where}, {"what", read.what}, {"why", read.why}});
  return {{"format", rules_format}, {"version", rules.version}, {"prefix", rules.prefix},
          {"writes", writes},       {"never", rules.never},     {"reads", reads}};
}

kube::cluster::RbacNeeds needs_of(const settings::Layers& layers,
                                  const settings::ServeOptions& resolved) {
  if (layers.file.empty()) return {};
  return {kube::cluster::features_of(resolved.webhook, settings::uses_cluster(resolved.ledger))};
}

Json rules_json(const std::string& prefix, const kube::cluster::RbacNeeds& needs) {
  Json out = to_json(rules_of(prefix));
  out["rights"] = Json::array();
  for (const kube::cluster::RbacRule& rule : kube::cluster::rbac_rules(needs)) {
    Json right = {{"apiGroup", rule.api_group}, {"resource", rule.resource}, {"verbs", rule.verbs}};
    if (!rule.names.empty()) right["names"] = rule.names;
    right["ownNamespace"] = rule.own_namespace;
    right["why"] = rule.reason;
    out["rights"].push_back(std::move(right));
  }
  return out;
}

}  // namespace tpuwh::server::rules
