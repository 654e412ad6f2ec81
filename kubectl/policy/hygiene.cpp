#include "kubectl/policy/hygiene.hpp"

#include "kubectl/objects/json_path.hpp"
#include "kubectl/policy/rules_cel.hpp"
#include "kubectl/reference/ids/policy_rows.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace tpuwh::server::policy {

namespace {

using team_rules::matches;
using team_rules::PodTemplate;
using text::text_member;

bool is_true(const Json& value) {
  return value == Json(true);
}

template <class F>
void each_container(const Json& pod, F&& f) {
  for (const char* list : {"containers", "initContainers"})
    for (const Json& container : objects::at(pod, {"spec", list})) f(container);
}

bool asks(const Json& pod) {
  bool found = false;
  each_container(pod, [&](const Json& container) {
    for (const auto& [resource, amount] : objects::at(container, {"resources", "limits"}).items())
      found = found || webhook::read::asks_for_chips(resource);
  });
  return found;
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(patterns, [&](const auto& each) { return matches(each, text); });
}

bool has_digest(std::string_view image) {
  const auto at = image.rfind("@sha256:");
  const auto digits = at == std::string_view::npos ? "" : image.substr(at + 8);
  return digits.size() == 64 &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_latest(std::string_view image) {
  const auto slash = image.rfind('/');
  const auto name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  return image.ends_with(":latest") ||
         (!name.empty() && name.find_first_of(":@") == std::string_view::npos);
}

class Look {
 public:
  Look(const team_rules::Hygiene& hygiene, std::vector<Unclean>& out)
      : hygiene_(hygiene), out_(out) {}

  void look(const PodTemplate& one) {
    title_ = one.title;
    const Json& pod = *one.pod;
    labels(pod);
    const auto image = [](const Json& container) { return text_member(container, "image"); };
    if (!hygiene_.images.empty())
      container("image-not-allowed", pod, [&](const Json& c) -> std::optional<std::string> {
        if (any_matches(hygiene_.images, image(c))) return {};
        return fmt::format("has image {}, expected one of {}", image(c), joined(hygiene_.images));
      });
    if (hygiene_.digests)
      container("image-without-digest", pod, [&](const Json& c) -> std::optional<std::string> {
        if (has_digest(image(c))) return {};
        return fmt::format("has image {}, expected one by its digest", image(c));
      });
    if (hygiene_.tags)
      container("image-latest", pod, [&](const Json& c) -> std::optional<std::string> {
        if (!is_latest(image(c))) return {};
        return fmt::format("has image {}, expected a tag other than latest", image(c));
      });
    if (!hygiene_.privileged)
      container("privileged", pod, [](const Json& c) -> std::optional<std::string> {
        if (!is_true(objects::at(c, {"securityContext", "privileged"}))) return {};
        return "is privileged";
      });
    node(objects::at(pod, {"spec"}));
    if (!hygiene_.secret_variables.empty())
      container("key-in-text", pod, [&](const Json& c) { return key_in_text(c); });
  }

  void add(std::string_view name, const std::string& sentence) {
    out_.push_back({std::string(ids::id_of(ids::rows::of_policy, name)), title_ + sentence});
  }

 private:
  void labels(const Json& pod) {
    for (const auto& [key, values] : hygiene_.labels) {
      const std::string found = text_member(objects::at(pod, {"metadata", "labels"}), key);
      if (!found.empty() && any_matches(values, found)) continue;
      add("label-required", fmt::format("label {} is {}, expected {}", key,
                                        found.empty() ? "missing" : found, expected_words(values)));
    }
  }

  // The first container with something wrong is named.
  template <class F>
  void container(std::string_view name, const Json& pod, F&& wrong) {
    bool told = false;
    each_container(pod, [&](const Json& each) {
      if (told) return;
      const std::optional<std::string> what = wrong(each);
      if (!what) return;
      told = true;
      add(name, fmt::format("container {} {}", text_member(each, "name"), *what));
    });
  }

  void node(const Json& spec) {
    if (!hygiene_.host_paths)
      for (const Json& volume : objects::at(spec, {"volumes"}))
        if (volume.contains("hostPath")) {
          add("host-path",
              fmt::format("volume {} is a path of the node", text_member(volume, "name")));
          break;
        }
    if (!hygiene_.host_network && is_true(objects::at(spec, {"hostNetwork"})))
      add("host-network", "hostNetwork is true");
    if (hygiene_.default_account) return;
    const std::string account = spec.contains("serviceAccountName")
                                    ? text_member(spec, "serviceAccountName")
                                    : text_member(spec, "serviceAccount");
    if (account.empty() || account == "default")
      add("default-account", "serviceAccountName is default");
  }

  std::optional<std::string> key_in_text(const Json& container) const {
    for (const Json& each : objects::at(container, {"env"}))
      if (!text_member(each, "value").empty() &&
          any_matches(hygiene_.secret_variables, text_member(each, "name")))
        return fmt::format("writes the value of variable {} down, expected valueFrom a Secret",
                           text_member(each, "name"));
    return {};
  }

  const team_rules::Hygiene& hygiene_;
  std::vector<Unclean>& out_;
  std::string title_;
};

}  // namespace

std::vector<PodTemplate> templates_with_chips(const Json& object) {
  std::vector<PodTemplate> out = team_rules::templates_of(object);
  std::erase_if(out, [](const PodTemplate& each) { return !asks(*each.pod); });
  return out;
}

std::vector<Unclean> unclean(const team_rules::Rules& rules, std::string_view ns,
                             const Json& object, const std::vector<PodTemplate>& templates) {
  std::vector<Unclean> out;
  const team_rules::Rule* rule = team_rules::rule_of(rules, ns);
  if (rule == nullptr) return out;
  const team_rules::Hygiene& hygiene = rule->hygiene;
  Look look(hygiene, out);
  for (const PodTemplate& each : templates) look.look(each);
  const Json& made = text_member(object, "kind") == "CronJob"
                         ? objects::at(object, {"spec", "jobTemplate"})
                         : object;
  const bool queued =
      !text_member(objects::at(made, {"metadata", "labels"}), "kueue.x-k8s.io/queue-name").empty();
  if (hygiene.queue && !queued && !templates.empty())
    Look(hygiene, out).add("queue-required", "label kueue.x-k8s.io/queue-name is missing");
  for (Unclean& each : out)
    each.sentence += fmt::format(" (rule {}{}{})", rule->name,
                                 rules.contact.empty() ? "" : "; ask ", rules.contact);
  return out;
}

}  // namespace tpuwh::server::policy
