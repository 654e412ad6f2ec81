#include "kubectl/reference/rules_diff/report.hpp"

#include <fmt/format.h>

namespace tpuwh::server::rules_diff {

namespace {

std::string title(const Write& write) {
  return fmt::format("{} {}", write.operation, write.path);
}
std::string title(const Read& read) {
  return fmt::format("read {}: {}", read.where, read.what);
}

struct Detail {
  const char* name;
  std::string Write::*of_write;
  std::string Read::*of_read;  // null where a read has none
};
constexpr Detail details[] = {{"when", &Write::when, nullptr}, {"why", &Write::why, &Read::why}};

const std::string* value(const Write& write, const Detail& detail) {
  return &(write.*detail.of_write);
}
const std::string* value(const Read& read, const Detail& detail) {
  return detail.of_read ? &(read.*detail.of_read) : nullptr;
}

template <class Entry>
std::string text_of_all(const EntryDiff<Entry>& diff) {
  std::string out;
  const auto list = [&](const char* what, const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      out += fmt::format("\n{:<7}  {}\n", what, title(entry));
      for (const Detail& detail : details)
        if (const auto* text = value(entry, detail))
          out += fmt::format("  {:<5} {}\n", detail.name, *text);
    }
  };
  list("added", diff.added);
  list("removed", diff.removed);
  for (const auto& [was, is] : diff.changed) {
    out += fmt::format("\nchanged  {}\n", title(is));
    for (const Detail& detail : details) {
      const auto *before = value(was, detail), *now = value(is, detail);
      if (before && *before != *now)
        out += fmt::format("  {:<5} was  {}\n        now  {}\n", detail.name, *before, *now);
    }
  }
  return out;
}

template <class Entry>
std::string markdown_of_all(const EntryDiff<Entry>& diff) {
  std::string out;
  const auto row = [&](const char* what, const Entry& entry, const std::string& note) {
    out += fmt::format("| {} | `{}` | {} |\n", what, title(entry), note);
  };
  const auto all = [](const Entry& entry) {
    std::string text;
    for (const Detail& detail : details)
      if (const auto* each = value(entry, detail))
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", detail.name, *each);
    return text;
  };
  for (const Entry& entry : diff.added) row("**added**", entry, all(entry));
  for (const Entry& entry : diff.removed) row("removed", entry, all(entry));
  for (const auto& [was, is] : diff.changed) row("changed", is, all(is) + "; before: " + all(was));
  return out;
}

Json entry_json(const Write& write) {
  return {{"operation", write.operation},
          {"path", write.path},
          {"when", write.when},
          {"why", write.why}};
}
Json entry_json(const Read& read) {
  return {{"where", read.where}, {"what", read.what}, {"why", read.why}};
}

template <class Entry>
Json json_of(const EntryDiff<Entry>& diff) {
  Json out = {{"added", Json::array()}, {"removed", Json::array()}, {"changed", Json::array()}};
  for (const Entry& entry : diff.added) out["added"].push_back(entry_json(entry));
  for (const Entry& entry : diff.removed) out["removed"].push_back(entry_json(entry));
  for (const auto& [was, is] : diff.changed)
    out["changed"].push_back({{"was", entry_json(was)}, {"is", entry_json(is)}});
  return out;
}

std::string verdict(const RulesDiff& diff) {
  const auto count = [](const auto& writes, const auto& reads) {
    return writes.size() + reads.size();
  };
  return fmt::format("{} added, {} removed, {} changed: the surface {}.",
                     count(diff.writes.added, diff.reads.added) + diff.no_longer_never.size(),
                     count(diff.writes.removed, diff.reads.removed),
                     count(diff.writes.changed, diff.reads.changed),
                     diff.grew() ? "grew" : "did not grow");
}

}  // namespace

std::string as_text(const Rules& older, const Rules& newer, const RulesDiff& diff) {
  std::string out = fmt::format("From {} to {}:\n", older.version, newer.version);
  for (const std::string& field : diff.no_longer_never)
    out += fmt::format("\nadded    {} is no longer in the list of fields that are never written\n",
                       field);
  out += text_of_all(diff.writes) + text_of_all(diff.reads);
  return out + "\n" + verdict(diff) + "\n";
}

std::string as_markdown(const Rules& older, const Rules& newer, const RulesDiff& diff) {
  std::string out = fmt::format("## What tpu-webhook writes and reads: {} to {}\n\n{}\n",
                                older.version, newer.version, verdict(diff));
  std::string table;
  for (const std::string& field : diff.no_longer_never)
    table += fmt::format(
        "| **added** | `{}` | no longer in the list of fields that are never written |\n", field);
  table += markdown_of_all(diff.writes) + markdown_of_all(diff.reads);
  return out + (table.empty() ? "" : "\n| | What | |\n|---|---|---|\n" + table);
}

Json to_json(const Rules& older, const Rules& newer, const RulesDiff& diff) {
  return {{"from", older.version},        {"to", newer.version},
          {"grew", diff.grew()},          {"writes", json_of(diff.writes)},
          {"reads", json_of(diff.reads)}, {"noLongerNever", diff.no_longer_never}};
}

}  // namespace tpuwh::server::rules_diff
