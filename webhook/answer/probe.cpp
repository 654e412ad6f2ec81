#include "webhook/answer/probe.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"

#include <algorithm>

namespace tpuwh::webhook::answer {

namespace {

constexpr std::string_view before_nonce = "probe ";
constexpr std::string_view before_replica = ": answered by ";
constexpr std::string_view after_replica = " of tpu-webhook";
constexpr std::string_view no_replica = "a process without a name";

bool is_of_nonce(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

bool is_nonce(std::string_view text) {
  return !text.empty() && text.size() <= longest_nonce && std::ranges::all_of(text, is_of_nonce);
}

std::string probe_text(std::string_view nonce, std::string_view replica) {
  // A host name by the kernel's word, which asks nothing of it but its length.
  return base::concat({before_nonce, nonce, before_replica,
                       base::is_host_name(replica) ? replica : no_replica, after_replica});
}

std::string_view replica_of(std::string_view warning, std::string_view nonce) {
  const std::string begin = base::concat({before_nonce, nonce, before_replica});
  if (!warning.starts_with(begin)) return {};
  warning.remove_prefix(begin.size());
  if (!warning.ends_with(after_replica)) return {};
  warning.remove_suffix(after_replica.size());
  return warning;
}

ProbeAnswer probe_answer(std::span<const std::string> warnings, std::string_view nonce) {
  ProbeAnswer out;
  for (const std::string& each : warnings) {
    if (out.replica.empty()) out.replica = replica_of(each, nonce);
    out.shadow = out.shadow || each.starts_with(outcome::in_shadow);
  }
  return out;
}

void note_probe(const read::Review& review, const read::Pod& pod, const config::Config& config,
                outcome::Notes& notes) {
  if (!review.dry_run || !review.is_pod_creation()) return;
  const std::string_view nonce = pod.annotation(read::Annotation::probe);
  if (!is_nonce(nonce)) return;
  notes.warnings().insert(notes.warnings().begin(),
                          {std::nullopt, probe_text(nonce, config.replica)});
}

}  // namespace tpuwh::webhook::answer
