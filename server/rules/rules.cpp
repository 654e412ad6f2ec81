#include "server/rules/rules.hpp"

#include "base/edits.hpp"
#include "base/result.hpp"
#include "server/text/json_text.hpp"
#include "server/text/version.hpp"
#include "webhook/read/reads.hpp"
#include "webhook/workloads/table.hpp"
#include "webhook/write/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tpuwh::server::rules {

namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;

// The path as it is for this prefix; '*' stays for an index.
std::string path_of(const webhook::write::SurfaceRow& row, const std::string& prefix) {
  std::string path(row.path), escaped = prefix;
  base::replace_all(escaped, "/", "~1");
  base::replace_all(path, webhook::write::prefix_mark, escaped);
  return path;
}

Error missing(const std::string& where, const char* what) {
  return Error(base::Errc::bad_value, fmt::format("has no {}", what), where);
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> out;
  for (const Json& each : list)
    if (each.is_string()) out.push_back(each.get<std::string>());
  return out;
}

Result<std::vector<Write>> parse_writes(const Json& list) {
  std::vector<Write> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto where = fmt::format("writes[{}]", i);
    const std::string path = text::text_member(list[i], "path");
    if (path.empty()) return missing(where, "path");
    const auto operations = texts(text::member(list[i], "operations"));
    if (operations.empty()) return missing(where, "operations");
    for (const std::string& operation : operations)
      out.push_back(
          {operation, path, text::text_member(list[i], "when"), text::text_member(list[i], "why")});
  }
  return out;
}

Result<std::vector<Read>> parse_reads(const Json& list) {
  std::vector<Read> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& each = list[i];
    out.push_back({text::text_member(each, "where"), text::text_member(each, "what"),
                   text::text_member(each, "why")});
    if (out.back().what.empty()) return missing(fmt::format("reads[{}]", i), "what");
  }
  return out;
}

// What an entry is known by, and what may change in it.
auto identity(const Write& write) {
  return std::tie(write.operation, write.path);
}
auto rest(const Write& write) {
  return std::tie(write.when, write.why);
}
auto identity(const Read& read) {
  return std::tie(read.where, read.what);
}
auto rest(const Read& read) {
  return std::tie(read.why);
}

template <class Entry>
const Entry* find(const std::vector<Entry>& all, const Entry& wanted) {
  const auto found = std::ranges::find_if(
      all, [&](const Entry& each) { return identity(each) == identity(wanted); });
  return found == all.end() ? nullptr : &*found;
}

template <class Entry>
EntryDiff<Entry> compare(const std::vector<Entry>& older, const std::vector<Entry>& newer) {
  EntryDiff<Entry> out;
  for (const Entry& entry : newer) {
    const Entry* was = find(older, entry);
    if (!was)
      out.added.push_back(entry);
    else if (rest(*was) != rest(entry))
      out.changed.emplace_back(*was, entry);
  }
  for (const Entry& entry : older)
    if (!find(newer, entry)) out.removed.push_back(entry);
  return out;
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
  return {{"format", format}, {"version", rules.version}, {"prefix", rules.prefix},
          {"writes", writes}, {"never", rules.never},     {"reads", reads}};
}

Result<Rules> parse_rules(const std::string& text) {
  if (auto fault = text::json_fault(text)) return *fault;
  const Json value = text::parse_or_discard(text);
  if (text::member(value, "format") != format)
    return Error(
        base::Errc::bad_value,
        fmt::format("expected \"format\": {}, as `tpu-webhook rules --output json` prints it",
                    format));
  for (const char* list : {"writes", "never", "reads"})
    if (!text::member(value, list).is_array()) return missing("", list);
  auto writes = parse_writes(value["writes"]);
  if (!writes) return writes.error();
  auto reads = parse_reads(value["reads"]);
  if (!reads) return reads.error();
  return Rules{.version = text::text_member(value, "version"),
               .prefix = text::text_member(value, "prefix"),
               .writes = std::move(*writes),
               .never = texts(value["never"]),
               .reads = std::move(*reads)};
}

RulesDiff compare(const Rules& older, const Rules& newer) {
  RulesDiff out{.writes = compare(older.writes, newer.writes),
                .reads = compare(older.reads, newer.reads),
                .no_longer_never = {}};
  for (const std::string& field : older.never)
    if (std::ranges::find(newer.never, field) == newer.never.end())
      out.no_longer_never.push_back(field);
  return out;
}

}  // namespace tpuwh::server::rules
