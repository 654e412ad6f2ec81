#include "kubectl/reference/rules_diff/diff.hpp"

#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tpuwh::server::rules_diff {

namespace {

Error missing(const std::string& where, const char* what) {
  return bad_value(fmt::format("has no {}", what), where);
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

}  // namespace

Result<Rules> parse_rules(const std::string& text) {
  if (auto fault = text::json_fault(text)) return *fault;
  const Json value = text::parse_or_discard(text);
  if (text::member(value, "format") != rules::rules_format)
    return bad_value(
        fmt::format("expected \"format\": {}, as `tpu-webhook rules --output json` prints it",
                    rules::rules_format));
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

}  // namespace tpuwh::server::rules_diff
