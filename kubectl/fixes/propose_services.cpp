#include "base/names.hpp"
#include "kubectl/fixes/headless_service.hpp"
#include "kubectl/fixes/proposing.hpp"
#include "kubectl/objects/json_path.hpp"
#include "kubectl/objects/keys.hpp"
#include "kubectl/objects/label_selector.hpp"
#include "server/text/json_text.hpp"

#include <algorithm>

namespace tpuwh::server::fixes {

namespace {

using webhook::read::Label;

std::string name_of(const Json& object) {
  return text::text_member(text::member(object, "metadata"), "name");
}

// That the Pods will have: the template's, and those that the API server writes on a Job's.
Json labels_of(const Subject& subject, const PodTemplate& each) {
  Json out = Json::object();
  Path path = each.spec();
  path.pop_back();
  const Json* own = each.value(path / "metadata" / "labels");
  if (own != nullptr && own->is_object()) out = *own;
  if (text::text_member(subject.object, "kind") == "Job")
    for (const Label key : {Label::job_name_legacy, Label::job_name})
      out[objects::key_of(key)] = name_of(subject.object);
  return out;
}

// One that a Pod has in common with the others of its slice; none where nothing says which is.
Json common_label(const Json& labels) {
  for (const char* key :
       {objects::key_of(Label::job_name), objects::key_of(Label::job_name_legacy),
        objects::key_of(Label::lws_name), objects::key_of(Label::ray_cluster), "app"})
    if (const std::string value = text::text_member(labels, key); !value.empty())
      return {{key, value}};
  return Json::object();
}

// As few as tell them from others.
Json selector_of(const Subject& subject, const PodTemplate& each) {
  if (text::text_member(subject.object, "kind") == "Job")
    return {{objects::key_of(webhook::read::Label::job_name_legacy), name_of(subject.object)}};
  if (each.maker() == Maker::nobody) return common_label(labels_of(subject, each));
  const Json& own =
      text::member(text::member(text::member(subject.object, "spec"), "selector"), "matchLabels");
  return own.is_object() && !own.empty() ? own : labels_of(subject, each);
}

bool is_headless(const Json& service) {
  return text::text_member(text::member(service, "spec"), "clusterIP") == "None";
}

const Json* service_named(const Subject& subject, const std::string& name) {
  const auto found = std::ranges::find_if(subject.services,
                                          [&](const Json* each) { return name_of(*each) == name; });
  return found == subject.services.end() ? nullptr : *found;
}

// Where the object says under which Service its Pods are.
Path subdomain_path(const PodTemplate& each) {
  return each.maker() == Maker::stateful_set ? each.holder() / "serviceName"
                                             : each.spec("subdomain");
}

// Null where nothing tells its Pods from others.
Json new_service(const Subject& subject, const PodTemplate& each, const std::string& name) {
  const Json selector = selector_of(subject, each);
  if (selector.empty() || !base::is_dns_label(name)) return nullptr;
  return headless_service(subject.ns, name, selector);
}

// The headless Services of the input that find the Pods.
Tier services_that_select(const Subject& subject, const PodTemplate& each) {
  Tier out;
  const Json labels = labels_of(subject, each);
  for (const Json* service : subject.services)
    if (is_headless(*service) && objects::selects(*service, labels))
      out.push_back({set(subdomain_path(each), name_of(*service))});
  return out;
}

Tier with_new_service(const Subject& subject, const PodTemplate& each, const std::string& name,
                      Steps steps) {
  const Json service = new_service(subject, each, name);
  if (service.is_null()) return {};
  steps.emplace_back(Command::create(service));
  return {steps};
}

Edit of_service(const Subject& subject, const Json& service, const char* field, Json value) {
  return {.object = ObjectName{"Service", subject.ns, name_of(service)},
          .path = Path("/spec") / field,
          .value = std::move(value)};
}

// Who writes such a label refuses one that somebody else wrote.
bool is_free(const std::string& label) {
  return label != objects::key_of(webhook::read::Label::job_name_legacy) &&
         label != objects::key::controller_uid &&
         label.find("kubernetes.io/") == std::string::npos &&
         label.find("k8s.io/") == std::string::npos && !label.starts_with("ray.io/");
}

// One that is there, and not as it has to be.
Tier with_mended(const Subject& subject, const PodTemplate& each, const Json& service) {
  if (!is_headless(service)) {
    Steps steps{of_service(subject, service, "clusterIP", "None")};
    if (text::member(text::member(service, "spec"), "type").is_string())
      steps.emplace_back(Edit{.object = ObjectName{"Service", subject.ns, name_of(service)},
                              .path = Path("/spec/type")});
    return {steps};
  }
  if (objects::selects(service, labels_of(subject, each)))
    return {{of_service(subject, service, "publishNotReadyAddresses", true)}};
  const Json& wanted = text::member(text::member(service, "spec"), "selector");
  Tier out;
  if (Json selector = selector_of(subject, each); !selector.empty())
    out.push_back({of_service(subject, service, "selector", std::move(selector))});
  Path labels = each.spec();
  labels.pop_back();
  Steps label_them;
  if (wanted.is_object())
    for (const auto& label : wanted.items()) {
      if (!is_free(label.key())) return out;
      label_them.emplace_back(set(labels / "metadata" / "labels" / label.key(), label.value()));
    }
  out.push_back(label_them);
  return out;
}

}  // namespace

Tiers subdomain_proposals(const Asked& asked) {
  Tiers out(2);
  for (const PodTemplate& each : asked.all) {
    const Path path = subdomain_path(each);
    if (!each.asks_for_tpu() || !each.text(path).empty()) continue;
    const std::string name = name_of(asked.subject.object);
    for (Steps& steps : services_that_select(asked.subject, each))
      out[0].push_back(std::move(steps));
    if (service_named(asked.subject, name) == nullptr)
      for (Steps& steps : with_new_service(asked.subject, each, name, {set(path, name)}))
        out[1].push_back(std::move(steps));
  }
  return out;
}

Tiers service_proposals(const Asked& asked) {
  Tiers out(2);
  for (const PodTemplate& each : asked.all) {
    const std::string name = each.text(subdomain_path(each));
    if (!each.asks_for_tpu() || name.empty()) continue;
    const Json* service = service_named(asked.subject, name);
    Tier ways = service != nullptr ? with_mended(asked.subject, each, *service)
                                   : services_that_select(asked.subject, each);
    for (Steps& steps : ways) out[0].push_back(std::move(steps));
    if (service == nullptr)
      for (Steps& steps : with_new_service(asked.subject, each, name, {}))
        out[1].push_back(std::move(steps));
  }
  return out;
}

}  // namespace tpuwh::server::fixes
