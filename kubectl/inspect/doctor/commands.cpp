#include "kubectl/inspect/doctor/commands.hpp"

#include "base/names.hpp"
#include "kubectl/certificate/rights.hpp"
#include "kubectl/inspect/doctor/entries.hpp"
#include "kubectl/inspect/doctor/settings_of.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/print/shell_command.hpp"
#include "server/text/json_text.hpp"
#include "server/text/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tpuwh::server::doctor {

namespace {

using print::shell_word;

constexpr auto chart = "charts/tpu-webhook";
constexpr auto its_values = "values.yaml: its previous values";

// Whose defaults of mode, port and priority class were others; charts/tpu-webhook/README.md,
// "Upgrading from 0.1".
constexpr std::string_view older_chart = "tpu-webhook-0.1.";

// As Helm asks of a release's name.
bool is_release_name(std::string_view text) {
  constexpr std::size_t longest = 53;
  return text.size() <= longest && base::is_host_name(text);
}

std::string of_metadata(const Json& object, const char* part, const char* key) {
  return text::text_member(text::member(text::member(object, "metadata"), part), key);
}

// Our own objects, of which one at least is left of any installation.
std::vector<const Json*> ours(const View& view) {
  std::vector<const Json*> out;
  for (const Read* each : {&view.configuration, &view.validating, &view.deployment, &view.service,
                           &view.roles.cluster_role, &view.roles.cluster_role_binding})
    if (each->there()) out.push_back(&each->object);
  return out;
}

// Whether somebody renders the chart and applies it, as Argo CD does: its labels are there, and
// no word of Helm's.
bool is_rendered(const View& view) {
  const auto objects = ours(view);
  return !our_release(view) && std::ranges::any_of(objects, [](const Json* each) {
    return !of_metadata(*each, "labels", "helm.sh/chart").empty();
  });
}

Release release_or_usual(const View& view) {
  return our_release(view).value_or(Release{running::installed_name, view.ns});
}

// Whether Helm would say "has no deployed releases".
bool has_no_record(const View& view) {
  const bool of_the_namespace = release_or_usual(view).ns == view.ns;
  return (of_the_namespace && view.name_space.found == Found::absent) ||
         (view.releases.there() &&
          std::ranges::none_of(revisions(view.releases), [](const auto& each) {
            return each.status == "deployed" || each.status == "superseded";
          }));
}

bool enforces(const View& view) {
  const std::string mode = setting(view, "mode");
  return settings_known(view) ? mode != "shadow" : !refusing(view).empty();
}

// The values whose default was another in the chart that is installed: what holds now.
std::vector<std::string> former_defaults(const View& view) {
  const auto objects = ours(view);
  const bool older = std::ranges::any_of(objects, [](const Json* each) {
    return of_metadata(*each, "labels", "helm.sh/chart").starts_with(older_chart);
  });
  if (!older || !view.deployment.there()) return {};
  const Json& pod = text::member(text::member(view.deployment.object, "spec"), "template");
  std::vector<std::string> out = {
      fmt::format("--set config.mode={}", enforces(view) ? "enforce" : "shadow")};
  const std::string name = text::text_member(text::member(pod, "spec"), "priorityClassName");
  // At a comma of it Helm would read a value more.
  if (name.empty() || print::is_plain_name(name)) out.push_back("--set priorityClassName=" + name);
  if (const int port = container_port(pod, "https"); port != 0)
    out.push_back(fmt::format("--set port={}", port));
  return out;
}

std::string upgrade(const View& view, const std::vector<std::string>& flags) {
  const Release release = release_or_usual(view);
  std::vector<std::string> all = former_defaults(view);
  std::erase_if(all, [&](const std::string& each) {
    const auto key = each.substr(0, each.find('=') + 1);
    return std::ranges::any_of(flags, [&](const auto& flag) { return flag.starts_with(key); });
  });
  all.insert(all.end(), flags.begin(), flags.end());
  return fmt::format("helm upgrade {} {} -n {} --reset-then-reuse-values{}{}",
                     shell_word(release.name), chart, shell_word(release.ns),
                     all.empty() ? "" : " ", fmt::join(all, " "));
}

// Helm takes over what carries its annotations with this name and namespace.
std::string install_again(const View& view) {
  const Release release = release_or_usual(view);
  return fmt::format("helm install {} {} -n {} --create-namespace -f values.yaml",
                     shell_word(release.name), chart, shell_word(release.ns));
}

}  // namespace

std::optional<Release> release_of(const Json& object) {
  Release release{of_metadata(object, "annotations", "meta.helm.sh/release-name"),
                  of_metadata(object, "annotations", "meta.helm.sh/release-namespace")};
  if (!is_release_name(release.name) || !base::is_dns_label(release.ns)) return std::nullopt;
  return release;
}

std::optional<Release> our_release(const View& view) {
  // One object may have lost its annotations, or have another's.
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const Json* each : ours(view))
    if (const auto release = release_of(*each)) ++counts[{release->name, release->ns}];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  if (most == counts.end()) return std::nullopt;
  return Release{most->first.first, most->first.second};
}

std::vector<Revision> revisions(const ReadList& records) {
  std::vector<Revision> out;
  for (const Json& each : records.items)
    if (const auto number = base::plain_decimal(of_metadata(each, "labels", "version")))
      out.push_back({*number, of_metadata(each, "labels", "status")});
  std::ranges::sort(out, std::ranges::greater{}, &Revision::number);
  return out;
}

std::string kubectl(const std::string& ns, std::string_view what) {
  return fmt::format("kubectl -n {} {}", shell_word(ns), what);
}

std::string with_values(const View& view, const std::vector<std::string>& flags) {
  if (is_rendered(view))
    return fmt::format("render the chart again, as before, with {} in addition, and apply it",
                       fmt::join(flags, " "));
  if (has_no_record(view))
    return with_note(
        fmt::format("Helm has no record of it: {} {}", install_again(view), fmt::join(flags, " ")),
        its_values);
  return upgrade(view, flags);
}

std::string put_back(const View& view) {
  if (is_rendered(view)) return "render the chart again, as before, and apply it";
  if (has_no_record(view))
    return with_note("Helm has no record of it: " + install_again(view), its_values);
  return upgrade(view, {});
}

std::string without_argument(const View& view, std::string_view flag) {
  const std::string word = fmt::format("--{}", flag);
  const Json& args = text::member(own_container(pod_template(view.deployment.object)), "args");
  // What the chart writes before those of extraArgs: "serve" and --config.
  constexpr std::size_t of_the_chart = 2;
  Json kept = Json::array();
  bool is_value = false;
  for (std::size_t i = of_the_chart; args.is_array() && i < args.size(); ++i) {
    const std::string each = args[i].is_string() ? args[i].get<std::string>() : std::string();
    const bool taken = is_value || each == word || each.starts_with(word + '=');
    is_value = each == word;
    if (!taken) kept.push_back(each);
  }
  // What the others say may be nobody's business.
  if (!kept.empty()) return fmt::format("remove {} from extraArgs, and keep the others", word);
  return with_values(view, {"--set-json 'extraArgs=[]'"});
}

std::string without_variables(const View& view, const std::set<std::string>& names) {
  const Json& env = text::member(own_container(pod_template(view.deployment.object)), "env");
  Json kept = Json::array();
  for (const Json& each : env)
    if (!names.contains(text::text_member(each, "name"))) kept.push_back(each);
  if (!kept.empty())
    return fmt::format("remove {} from extraEnv, and keep the others", fmt::join(names, ", "));
  return with_values(view, {"--set-json 'extraEnv=[]'"});
}

std::string as_the_chart_says(const View& view) {
  return with_note(put_back(view), "if kubectl has edited it, Helm 4 also needs --force-conflicts");
}

std::string with_note(const std::string& fix, std::string_view note) {
  return fmt::format("{} # {}", fix, note);
}

std::string install(const View& view) {
  return fmt::format(
      "helm install {} {} -n {} --create-namespace --set image.repository=REGISTRY/tpu-webhook",
      running::installed_name, chart,
      shell_word(view.ns.empty() ? running::usual_namespace : view.ns));
}

std::string uninstall(const Release& release) {
  return fmt::format("helm uninstall {} -n {}", shell_word(release.name), shell_word(release.ns));
}

std::string roll_back(const Release& release, unsigned revision) {
  return fmt::format("helm rollback {} {} -n {}", shell_word(release.name), revision,
                     shell_word(release.ns));
}

bool is_of_this_release(const View& view) {
  const auto objects = ours(view);
  return std::ranges::all_of(objects, [](const Json* each) {
    const std::string of = of_metadata(*each, "labels", objects::key::app_version);
    return of.empty() || of == text::version;
  });
}

std::string log_of_the_program(const View& view) {
  return kubectl(view.ns, fmt::format("logs deployment/{}", running::installed_name));
}

std::string log_of_the_keeper(const View& view) {
  return kubectl(view.ns, fmt::format("logs deployment/{}", certificate::keeper_name));
}

bool is_cert_managers(const View& view) {
  const auto asked = [](const Read& configuration) {
    return !of_metadata(configuration.object, "annotations", "cert-manager.io/inject-ca-from")
                .empty();
  };
  return asked(view.configuration) || asked(view.validating) || view.request.there();
}

std::string how_to_trust(const View& view) {
  if (view.is_kept)
    return "find the reason in the log of Deployment tpu-webhook-keeper, which should have written "
           "the right caBundle: " +
           log_of_the_keeper(view);
  if (is_cert_managers(view))
    return "cert-manager's CA injector writes it; whether it has the CA: " +
           kubectl(view.ns, "describe certificates");
  return "set the caBundle to the CA that signed it, here in ca.crt: " +
         with_values(view, {"--set-file certificate.caBundle=ca.crt"});
}

std::string stop_calling() {
  return fmt::format(
      "kubectl delete mutatingwebhookconfigurations,validatingwebhookconfigurations {} "
      "--ignore-not-found",
      running::installed_name);
}

}  // namespace tpuwh::server::doctor
