#include "kubectl/predict/explain/command.hpp"

#include "kubectl/inspect/dry_run/send.hpp"
#include "kubectl/inspect/running/cluster_source.hpp"
#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/inspect/source/snapshot_file.hpp"
#include "kubectl/objects/object.hpp"
#include "kubectl/objects/read_json.hpp"
#include "kubectl/predict/explain/explain.hpp"
#include "kubectl/predict/explain/html.hpp"
#include "kubectl/predict/explain/json.hpp"
#include "kubectl/predict/explain/network_text.hpp"
#include "kubectl/predict/explain/svg.hpp"
#include "kubectl/predict/explain/text.hpp"
#include "kubectl/predict/trial/samples.hpp"
#include "kubectl/predict/trial/trial.hpp"
#include "kubectl/predict/wrappers/rules_file.hpp"
#include "kubectl/reference/fields/table.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/text/json_text.hpp"
#include "server/text/read_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <span>

namespace tpuwh::server::explain {

namespace {

using source::Manifest;

// What is answered by another command.
std::string not_a_manifest(const std::vector<Manifest>& manifests) {
  const auto review = std::ranges::find_if(manifests, [](const Manifest& each) {
    return text::text_member(each.object, "kind") == "AdmissionReview";
  });
  if (review == manifests.end()) return {};
  return fmt::format("{} holds an AdmissionReview; kubectl tpu review answers it", review->file);
}

text::Printed printed(const Explanation& explanation, const ExplainOptions& options, bool colour) {
  switch (options.output) {
    case ExplainOutput::text:
      return text(explanation, {.colour = colour, .all = options.all});
    case ExplainOutput::json:
      return text::json_line(json(explanation));
    case ExplainOutput::html:
      return text::Printed::trusted(html(explanation, options.all));
    case ExplainOutput::svg:
      return text::Printed::trusted(svg(explanation));
    case ExplainOutput::network_policy:
      return network_text(explanation);
    case ExplainOutput::pods:
      break;
  }
  return {};
}

// What stands behind --cluster is a snapshot, also where the manifest was meant.
std::string nothing_to_explain(const ExplainOptions& options) {
  const std::string taken =
      options.access.of_file()
          ? fmt::format("; {} was taken for --cluster's snapshot: write it in front of --cluster",
                        options.access.snapshot.front())
          : "";
  return "nothing to explain; expected a manifest in FILE, or - to type it" + taken;
}

// Prints what is wrong with it.
std::optional<std::vector<wrappers::Wrapper>> read_rules(const std::string& file,
                                                         const text::Console& console) {
  if (file.empty()) return std::vector<wrappers::Wrapper>();
  const auto bytes = text::read_file(file, text::max_small_bytes);
  if (!bytes) {
    text::print_error(console, fmt::format("--rules: {}: {}", file, bytes.error().text()));
    return std::nullopt;
  }
  wrappers::RulesFile read = wrappers::read_rules(*bytes, file);
  for (const std::string& each : read.problems) text::print_error(console, each);
  if (!read.problems.empty()) return std::nullopt;
  return std::move(read.wrappers);
}

// The cluster that is asked.
struct Objects {
  std::unique_ptr<running::ApiServer> session;  // of a running one
  std::unique_ptr<source::ObjectSource> objects;
  std::optional<Error> fault;  // why it cannot be reached
};

bool have_claims(std::span<const source::Manifest> manifests) {
  return std::ranges::any_of(manifests, [](const source::Manifest& each) {
    return text::dump_json(each.object).find("\"resourceClaims\"") != std::string::npos;
  });
}

Objects open_cluster(const ExplainOptions& options, std::span<const source::Manifest> manifests,
                     const text::Console& console) {
  Objects out;
  if (!options.ask_cluster) return out;
  if (options.access.of_file()) {
    out.objects = std::make_unique<source::SnapshotFile>(options.access.snapshot, console.in,
                                                         source::reads_of_outlook());
    return out;
  }
  auto session = running::open_session(options.access);
  if (!session) {
    out.fault = session.error();
    return out;
  }
  out.session = std::move(*session);
  const running::ClusterScope scope{.queues = true,
                                    .claims = have_claims(manifests),
                                    .progress = console.watched ? &console.err.stream() : nullptr};
  out.objects = std::make_unique<running::ClusterSource>(*out.session, scope);
  return out;
}

std::optional<std::vector<Json>> read_quotas(running::ApiServer& session, const std::string& ns) {
  std::vector<Json> out;
  const auto listing =
      session.list({"", "v1", "resourcequotas", ns}, {}, "ResourceQuota",
                   [&](std::string_view text) { out.push_back(objects::parse_json(text)); });
  if (!listing.whole()) return std::nullopt;
  return out;
}

// What the API server of `session` says to it.
std::vector<trial::Tried> try_it(const ExplainRequest& request, const trial::Samples& samples,
                                 running::ApiServer& session) {
  const trial::Asking asking{
      .create = [&](const kube::client::Resource& resource,
                    const Json& object) { return dry_run::try_create(session, resource, object); },
      .quotas = [&](const std::string& ns) { return read_quotas(session, ns); }};
  const trial::TrialRequest trial{.manifests = request.manifests,
                                  .rules = request.rules,
                                  .ns = request.ns,
                                  .prefix = request.config.prefix,
                                  .nonce = dry_run::random_nonce()};
  return trial::run_trial(trial, samples, asking);
}

bool is_refused(const Explanation& explanation) {
  return explanation.worst() == Verdict::refused ||
         (explanation.tried && std::ranges::any_of(*explanation.tried, [](const auto& each) {
            return each.said == trial::Said::refused;
          }));
}

}  // namespace

int run_explain(const ExplainOptions& options, const text::Console& console) {
  if (options.fields) {
    console.out << (options.output == ExplainOutput::json
                        ? text::json_line(fields::as_json(), true)
                        : text::printed_lines(fields::as_markdown()));
    return 0;
  }
  if (options.files.empty() && console.interactive)
    return text::print_error(console, nothing_to_explain(options));
  const auto manifests = source::read_manifests(
      options.files.empty() ? std::vector<std::string>{"-"} : options.files, console.in);
  if (!manifests) return text::print_error(console, manifests.error());
  if (const auto fault = not_a_manifest(*manifests); !fault.empty())
    return text::print_error(console, fault);
  const auto rules = read_rules(options.rules, console);
  if (!rules) return 2;
  ExplainRequest request{.manifests = *manifests, .ns = options.ns, .config = options.config};
  request.rules = *rules;
  if (options.team_rules) request.team_rules = &*options.team_rules;
  if (options.output == ExplainOutput::pods)
    request.each_pod = [&](const Json& pod) { console.out << text::json_line(pod); };
  const Objects cluster = open_cluster(options, *manifests, console);
  if (options.ask_cluster && !cluster.objects) return text::print_error(console, *cluster.fault);
  request.cluster = cluster.objects.get();
  trial::Samples samples;
  if (options.dry_run)
    request.tell_pod = [&](const Json& object, const Json& pod, const Json* after) {
      const std::string ns = objects::namespace_of(pod, objects::namespace_of(object, options.ns));
      samples.add(object, ns, pod, after);
    };
  auto explanation = explain(request);
  if (!explanation) return text::print_error(console, explanation.error());
  if (options.dry_run) explanation->tried = try_it(request, samples, *cluster.session);
  console.out << printed(*explanation, options, console.terminal);
  console.out.flush();
  const Verdict worst = explanation->worst();
  const bool doubtful = worst == Verdict::doubtful || !explanation->not_read.empty();
  return is_refused(*explanation) || (options.strict && doubtful) ? 1 : 0;
}

}  // namespace tpuwh::server::explain
