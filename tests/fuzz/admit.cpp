#include "webhook/answer/admit.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/answer.hpp"
#include "tests/support/own_mapping.hpp"
#include "webhook/validate/validate.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

namespace tpuwh::fuzz {

namespace {

using webhook::answer::Workspace;
using webhook::read::RayGroup;

// Knows something of everything, and of a name always the same.
class OddCluster final : public webhook::read::ClusterView {
 public:
  std::optional<std::string> ray_headless_service(std::string_view ns,
                                                  std::string_view cluster) const override {
    if (chance(ns, cluster) % 3 == 0) return std::nullopt;
    return std::string(cluster) + "-headless";
  }
  webhook::read::Claimed claimed(const webhook::read::ClaimSource& source) const override {
    using Known = webhook::read::Claimed::Known;
    const std::size_t chips = chance(source.ns, source.name) % 8;
    if (chips >= 6) return {.known = Known::unreadable, .why = "it is not there"};
    if (chips == 5) return {};
    return {.known = Known::chips, .chips = static_cast<std::uint32_t>(chips)};
  }
  std::optional<std::string> leader_domain(const webhook::read::JobOfJobSet& job,
                                           std::string_view) const override {
    if (chance(job.ns, job.jobset) % 2 == 0) return std::nullopt;
    return "pool-1";
  }
  void unfit_pools(const webhook::read::PoolQuestion& question,
                   base::NameList& out) const override {
    out.clear();
    if (chance(question.topology, question.accelerator) % 2 == 0) out.add("pool-2");
  }
  std::optional<RayGroup> ray_group(std::string_view ns, std::string_view cluster,
                                    std::string_view) const override {
    const auto size = static_cast<std::uint32_t>(chance(ns, cluster) % 5);
    if (size == 4) return std::nullopt;
    return RayGroup{.hosts = size, .slices = size};
  }

 private:
  static std::size_t chance(std::string_view a, std::string_view b) {
    return std::hash<std::string_view>()(a) * 31 + std::hash<std::string_view>()(b);
  }
};

// What was answered, as bytes.
struct Sent {
  unsigned status = 0;
  std::string body;
  bool operator==(const Sent&) const = default;
};

// At /mutate, /shadow or /validate, by the letter in front; what was the body is gone afterwards.
Sent ask(std::string_view line, Workspace& workspace) {
  static const OddCluster cluster;
  static const webhook::config::Config plain, shadow = plain.in_shadow();
  const char path = line.empty() ? 'm' : line.front();
  if (!line.empty() && path != '{') line.remove_prefix(1);
  const test::OwnMapping mapped(line, webhook::read::padding);
  const auto body = webhook::read::Body::padded(mapped.text());
  webhook::ledger::MemoryLedger ledger;
  const webhook::answer::Answer answer =
      path == 'v'
          ? webhook::validate::validate(body, plain, cluster, workspace)
          : webhook::answer::admit(body, path == 's' ? shadow : plain, cluster, workspace, ledger);
  require(answer.summary.reason != webhook::outcome::Reason::internal_error,
          "a fault of ours: " + std::string(answer.body));
  return {.status = answer.http_status, .body = std::string(answer.body)};
}

void require_answer(const Sent& said) {
  require(said.status == 200 || said.status == 400 || said.status == 413,
          "HTTP status " + std::to_string(said.status));
  require(said.body.ends_with('\n') && std::ranges::count(said.body, '\n') == 1,
          "the answer is not one line");
  require(nlohmann::json::accept(said.body), "the answer is not JSON: " + said.body);
  const std::string strange = test::strange_member(said.body);
  require(strange.empty(), strange + ": " + said.body);
}

}  // namespace

void admit(std::string_view bytes) {
  constexpr std::size_t most_reviews = 16;
  Workspace kept;
  for (std::size_t i = 0; i < most_reviews && !bytes.empty(); ++i) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const Sent said = ask(line, kept);
    require_answer(said);
    Workspace fresh;
    const Sent alone = ask(line, fresh);
    require(said == alone, "after other reviews: " + said.body + "\nalone: " + alone.body);
  }
}

}  // namespace tpuwh::fuzz
