#include "server/settings/table.hpp"

#include "base/names.hpp"
#include "server/net/address.hpp"
#include "server/settings/names.hpp"
#include "server/text/duration.hpp"
#include "server/text/json_text.hpp"
#include "webhook/findings/finding.hpp"
#include "webhook/workloads/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tpuwh::server::settings {

namespace {

using webhook::config::Config;
using webhook::config::Override;

std::string want(std::string_view wanted, const Json& found) {
  if (found.is_null()) return fmt::format("expected {}, got nothing", wanted);
  std::string text = text::dump_json(found);
  if (text.size() > 80) text = text.substr(0, 80) + "...";
  return fmt::format("expected {}, got {}", wanted, text);
}

// A row by what each says, and the rest of it.
Setting named(std::string key, std::string flag, std::string help, Setting rest = {}) {
  rest.key = std::move(key);
  rest.flag = std::move(flag);
  rest.help = std::move(help);
  return rest;
}

// Identifies a setting of one workload API: `member` points to its field in Config::of(kind). Any
// other setting is identified by a pointer to its field in ServeOptions or Config.
template <class T, class Of>
struct OfWorkload {
  webhook::config::WorkloadKind kind;
  T Of::*member;
};

template <class Options, class T>
auto& at(Options& options, T ServeOptions::*member) {
  return options.*member;
}
template <class Options, class T>
auto& at(Options& options, T Config::*member) {
  return options.webhook.*member;
}
template <class Options, class T, class Of>
auto& at(Options& options, const OfWorkload<T, Of>& member) {
  return options.webhook.of(member.kind).*member.member;
}

template <class T>
const T& show(const T& value) {
  return value;
}

// A value that is text in the file: `parse` turns it into the member's value or into nothing,
// `print` turns it back.
template <class Member, class Parse, class Print>
Setting text(Setting row, const std::string& wanted, Member member, Parse parse, Print print) {
  row.set = [=](ServeOptions& options, std::string_view, const Json& value) -> std::string {
    if (!value.is_string()) return want(wanted, value);
    const auto parsed = parse(value.get_ref<const std::string&>());
    if (!parsed) return want(wanted, value);
    at(options, member) = *parsed;
    return {};
  };
  row.get = [=](const ServeOptions& options) -> Json { return print(at(options, member)); };
  return row;
}

template <class Member>
Setting any_text(Setting row, const std::string& wanted, Member member) {
  const auto any = [](const std::string& name) { return std::optional(name); };
  return text(std::move(row), wanted, member, any, show<std::string>);
}

template <class Member>
Setting file_name(Setting row, Member member) {
  row.type_name = "FILE";
  return any_text(std::move(row), "a file's name", member);
}

template <class Member>
Setting address(Setting row, bool optional, Member member) {
  row.type_name = "ADDR:PORT";
  const auto parse = [optional](const std::string& each) {
    const bool good = (optional && each.empty()) || net::parse_address(each);
    return good ? std::optional(each) : std::nullopt;
  };
  return text(std::move(row), "ADDR:PORT, such as 0.0.0.0:8443, [::1]:8443 or :8443", member, parse,
              show<std::string>);
}

template <class Member>
Setting duration(Setting row, Member member) {
  row.type_name = "DURATION";
  const auto print = [](std::chrono::milliseconds value) {
    return value.count() % 1000 == 0 ? fmt::format("{}s", value.count() / 1000)
                                     : fmt::format("{}ms", value.count());
  };
  return text(std::move(row), "a duration such as 5s", member, text::parse_duration, print);
}

template <class T>
std::optional<T> value_of(const Names<T>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &Names<T>::value_type::first);
  return found == names.end() ? std::nullopt : std::optional<T>(found->second);
}

template <class T>
Json name_of(const Names<T>& names, const std::optional<T>& value) {
  const auto found = std::ranges::find(names, value, &Names<T>::value_type::second);
  return found == names.end() ? Json() : Json(found->first);
}

// One of a few names. The member may be optional: nothing is then said.
template <class T, class Member>
Setting choice(Setting row, const Names<T>& names, Member member) {
  for (const auto& [name, meaning] : names) row.names.emplace_back(name);
  const auto parse = [names](std::string_view name) { return value_of(names, name); };
  const auto print = [names](const std::optional<T>& value) { return name_of(names, value); };
  row.type_name = fmt::format("{}", fmt::join(row.names, "|"));
  const std::string list = row.type_name;
  return text(std::move(row), list, member, parse, print);
}

template <class Member>
Setting boolean(Setting row, Member member) {
  row.shape = Shape::boolean;
  row.set = [=](ServeOptions& options, std::string_view, const Json& value) -> std::string {
    if (!value.is_boolean()) return want("true or false", value);
    at(options, member) = value.get<bool>();
    return {};
  };
  row.get = [=](const ServeOptions& options) -> Json {
    const std::optional<bool> value = at(options, member);
    return value ? Json(*value) : Json();
  };
  return row;
}

template <class Member>
Setting number(Setting row, std::int64_t least, std::int64_t most, Member member) {
  row.shape = Shape::integer;
  row.least = least;
  row.most = most;
  row.set = [=](ServeOptions& options, std::string_view, const Json& value) -> std::string {
    const bool whole = value.is_number_integer();
    if (!whole || value < least || value > most)
      return want(fmt::format("a whole number from {} to {}", least, most), value);
    auto& target = at(options, member);
    target = value.get<std::remove_reference_t<decltype(target)>>();
    return {};
  };
  row.get = [=](const ServeOptions& options) -> Json { return at(options, member); };
  return row;
}

// A list of texts, at least one; `take` puts the parsed ones into the member, or says what is
// wrong with one.
template <class Take, class Get>
Setting list(Setting row, const std::string& wanted, Take take, Get get) {
  row.shape = Shape::list;
  row.set = [=](ServeOptions& options, std::string_view, const Json& value) -> std::string {
    if (!value.is_array() || value.empty()) return want("a list of " + wanted, value);
    std::vector<std::string> texts;
    for (const Json& each : value) {
      if (!each.is_string() || each.get_ref<const std::string&>().empty())
        return want(wanted, each);
      texts.push_back(each.get<std::string>());
    }
    return take(options, texts);
  };
  row.get = get;
  return row;
}

// Any texts. What is empty by default is not said.
template <class Member>
Setting any_texts(Setting row, const std::string& wanted, Member member) {
  const auto take = [=](ServeOptions& options, const std::vector<std::string>& texts) {
    at(options, member) = texts;
    return std::string();
  };
  const auto get = [=](const ServeOptions& options) -> Json {
    return at(options, member).empty() ? Json() : Json(at(options, member));
  };
  return list(std::move(row), wanted, take, get);
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const webhook::workloads::Workload& workload : webhook::workloads::workloads())
    names.emplace_back(workload.name);
  return names;
}

Setting workloads_setting() {
  const auto names = workload_names();
  const std::string wanted = "names out of " + fmt::format("{}", fmt::join(names, ","));
  const auto take = [wanted](ServeOptions& options, const std::vector<std::string>& texts) {
    webhook::config::WorkloadSet set;
    for (const std::string& name : texts) {
      const auto found = std::ranges::find(webhook::workloads::workloads(), name,
                                           &webhook::workloads::Workload::name);
      if (found == webhook::workloads::workloads().end()) return want(wanted, name);
      set.add(found->kind);
    }
    options.webhook.workloads = set;
    return std::string();
  };
  const auto get = [](const ServeOptions& options) {
    Json out = Json::array();
    for (const webhook::workloads::Workload& workload : webhook::workloads::workloads())
      if (options.webhook.workloads.has(workload.kind)) out.push_back(workload.name);
    return out;
  };
  return list(
      named("workloads", "--workloads", "Workload APIs to handle; other Pods are left unchanged",
            {.scope = Scope::decision, .names = names, .type_name = "NAME,..."}),
      wanted, take, get);
}

// "tpu-webhook.dev" <-> "tpu-webhook.dev/"
Setting prefix_setting() {
  const auto parse = [](const std::string& name) {
    return base::is_qualified_name(name + "/x") ? std::optional(name + "/") : std::nullopt;
  };
  const auto print = [](const std::string& prefix) { return prefix.substr(0, prefix.size() - 1); };
  return text(named("annotationPrefix", "--annotation-prefix",
                    "Prefix of this webhook's annotations and labels",
                    {.scope = Scope::names, .type_name = "DOMAIN"}),
              "a DNS name such as tpu.example.com", &Config::prefix, parse, print);
}

const Names<webhook::config::Mode>& modes() {
  static const Names<webhook::config::Mode> names = {{"enforce", webhook::config::Mode::enforce},
                                                     {"shadow", webhook::config::Mode::shadow}};
  return names;
}

void add_ports(std::vector<Setting>& out) {
  out.push_back(
      address(named("listen", "--listen", "Address to serve HTTPS on; port 0 selects a free port"),
              false, &ServeOptions::listen));
  out.push_back(address(named("healthListen", "--health-listen",
                              "Address to serve /livez, /readyz and /metrics on, over plain HTTP"),
                        true, &ServeOptions::health_listen));
  out.push_back(address(named("metricsListen", "--metrics-listen",
                              "Address to serve /metrics alone on, over plain HTTP"),
                        true, &ServeOptions::metrics_listen));
  out.push_back(boolean(named("healthMetrics", "--health-metrics",
                              "Serve /metrics at the address of --health-listen, too",
                              {.negation = "--no-health-metrics"}),
                        &ServeOptions::health_metrics));
  out.push_back(number(
      named("threads", "--threads", "Event loops for HTTPS, one thread each", {.type_name = "N"}),
      1, limits::most_threads, &ServeOptions::threads));
}

void add_certificate(std::vector<Setting>& out) {
  out.push_back(file_name(
      named("tls.cert", "--tls-cert", "Certificate chain, PEM; read again when it changes"),
      &ServeOptions::tls_cert));
  out.push_back(file_name(named("tls.key", "--tls-key", "Private key of the certificate, PEM"),
                          &ServeOptions::tls_key));
  out.push_back(file_name(
      named("tls.clientCa", "--tls-client-ca",
            "Answer only callers that show a certificate of one of these CAs, PEM; read again "
            "when it changes. The API server shows none unless it is configured to"),
      &ServeOptions::tls_client_ca));
  out.push_back(
      any_texts(named("tls.clientNames", "--tls-client-name",
                      "With --tls-client-ca: the common name or a DNS name that a caller's "
                      "certificate must have; may be repeated",
                      {.type_name = "NAME"}),
                "names of a certificate", &ServeOptions::tls_client_names));
}

void add_log(std::vector<Setting>& out) {
  out.push_back(choice<log::LogFormat>(
      named("log.format", "--log-format", "Format of log lines on standard error"),
      {{"text", log::LogFormat::text}, {"json", log::LogFormat::json}}, &ServeOptions::log_format));
  out.push_back(choice<log::LogLevel>(named("log.level", "--log-level", "Lowest level to log"),
                                      {{"debug", log::LogLevel::debug},
                                       {"info", log::LogLevel::info},
                                       {"warn", log::LogLevel::warn},
                                       {"error", log::LogLevel::error}},
                                      &ServeOptions::log_level));
}

void add_drain(std::vector<Setting>& out) {
  out.push_back(duration(
      named("drain.delay", "--drain-delay", "How long to keep serving, not ready, after SIGTERM"),
      &ServeOptions::drain_delay));
  out.push_back(duration(
      named("drain.timeout", "--drain-timeout", "How long open connections then have to finish"),
      &ServeOptions::drain_timeout));
}

void add_ledger(std::vector<Setting>& out) {
  out.push_back(
      choice<LedgerKind>(named("ledger", "--ledger",
                               "Source of the ids of Ray workers without index labels: cluster "
                               "(objects in the cluster), memory (this process; for a single "
                               "replica), none (no ids), or auto: cluster if tpu-webhook runs in a "
                               "Pod, otherwise memory"),
                         {{"auto", LedgerKind::automatic},
                          {"cluster", LedgerKind::cluster},
                          {"memory", LedgerKind::memory},
                          {"none", LedgerKind::none}},
                         &ServeOptions::ledger));
}

void add_claims(std::vector<Setting>& out) {
  out.push_back(boolean(
      named("claims", "--claims",
            "Read the cluster's ResourceClaims and their templates, and give Pods that ask for "
            "chips by claim their variables, too"),
      &Config::claims));
}

void add_cluster(std::vector<Setting>& out) {
  out.push_back(
      any_text(named("cluster.serviceAccount", "--service-account",
                     "Directory of the Pod's token, ca.crt and namespace, if not where Kubernetes "
                     "mounts them",
                     {.type_name = "DIR"}),
               "a directory", &ServeOptions::service_account));
}

void add_decision(std::vector<Setting>& out) {
  out.push_back(choice<webhook::config::Mode>(
      named("mode", "--mode", "shadow: decide, log and warn, but allow every Pod unchanged",
            {.scope = Scope::decision}),
      modes(), &Config::mode));
  out.push_back(workloads_setting());
  out.push_back(boolean(
      named("placement", "--placement", "Add affinity terms that keep a slice on one node pool",
            {.negation = "--no-placement", .scope = Scope::decision}),
      &Config::placement));
  out.push_back(boolean(
      named("placementHint", "--placement-hint",
            "Prefer node pools that can hold the whole slice, by the state of the cluster's Nodes",
            {.negation = "--no-placement-hint", .scope = Scope::decision}),
      &Config::placement_hint));
  out.push_back(boolean(
      named("followers", "--followers",
            "Write the node pool of a JobSet's leader Pod into the node selectors of its follower "
            "Pods, as JobSet's own webhook does",
            {.negation = "--no-followers", .scope = Scope::decision}),
      &Config::followers));
  out.push_back(prefix_setting());
  out.push_back(
      number(named("basePort", "--base-port", "Port of process 0 in TPU_PROCESS_ADDRESSES",
                   {.scope = Scope::decision, .type_name = "PORT"}),
             1, 65535, &Config::base_port));
  out.push_back(boolean(
      named("kuberayTruncatedService", "--kuberay-truncated-service",
            "Name the Service of Ray workers as KubeRay up to 1.3 does: its last 50 characters",
            {.scope = Scope::decision}),
      &Config::kuberay_truncates_service_name));
  out.push_back(
      boolean(named("tpuNameEverywhere", "--tpu-name-everywhere",
                    "Set TPU_NAME for every workload, not only for Ray and LeaderWorkerSet",
                    {.scope = Scope::decision}),
              &Config::tpu_name_everywhere));
  out.push_back(boolean(
      named("torchTpu", "--torch-tpu",
            "Set TORCH_TPU_TOPOLOGY and TORCH_TPU_SLICEBUILDER_ADDRESSES, which torch_tpu reads",
            {.scope = Scope::decision}),
      &Config::torch_tpu));
}

using webhook::findings::Level;
using webhook::findings::Levels;

const Names<Level>& levels() {
  static const Names<Level> names = {
      {"deny", Level::deny}, {"warn", Level::warn}, {"off", Level::off}};
  return names;
}

// "want …, not …", or "".
std::string set_levels(const Json& value, Levels& out) {
  if (!value.is_object()) return want("a mapping such as TPU-405: deny", value);
  for (const auto& [id, named] : value.items()) {
    const webhook::findings::Row* row = webhook::findings::find(id);
    if (row == nullptr)
      return fmt::format("expected ids from TPU-101 on (kubectl tpu findings lists them), got {}",
                         base::printable(id));
    const auto level = named == false      ? Level::off
                       : named.is_string() ? value_of(levels(), named.get<std::string>())
                                           : std::nullopt;
    if (!level) return fmt::format("{}: {}", id, want("deny|warn|off", named));
    out.set(row->finding, *level);
  }
  return {};
}

// Null where nothing is said.
Json get_levels(const Levels& said) {
  Json out;
  for (const webhook::findings::Row& row : webhook::findings::table())
    if (const auto level = said.find(row.finding))
      out[std::string(row.id)] = name_of(levels(), level);
  return out;
}

// In the file alone: a flag would need a syntax of its own.
void add_levels(std::vector<Setting>& out) {
  Setting setting{
      .key = "findings",
      .scope = Scope::decision,
      .shape = Shape::levels,
      .help = "Levels of findings by id: deny, warn or off (kubectl tpu findings lists the ids)"};
  setting.set = [](ServeOptions& options, std::string_view, const Json& value) {
    return set_levels(value, options.webhook.findings);
  };
  setting.get = [](const ServeOptions& options) { return get_levels(options.webhook.findings); };
  out.push_back(std::move(setting));
}

void add_levels_of_namespaces(std::vector<Setting>& out) {
  Setting setting{.key = "perNamespace.*.findings",
                  .scope = Scope::decision,
                  .shape = Shape::levels,
                  .help = "Overrides levels of findings in this namespace"};
  setting.set = [](ServeOptions& options, std::string_view ns, const Json& value) {
    return set_levels(value, options.webhook.per_namespace[std::string(ns)].findings);
  };
  setting.get = [](const ServeOptions& options) {
    Json of = Json::object();
    for (const auto& [ns, each] : options.webhook.per_namespace)
      if (Json levels_of = get_levels(each.findings); !levels_of.is_null())
        of[ns] = std::move(levels_of);
    return of;
  };
  out.push_back(std::move(setting));
}

// perNamespace.*.<name>
Setting namespace_setting(std::string_view name, std::optional<bool> Override::*member) {
  Setting setting{
      .key = fmt::format("perNamespace.*.{}", name),
      .scope = Scope::decision,
      .shape = Shape::boolean,
      .help = fmt::format("Overrides {0} and perWorkload.*.{0} in this namespace", name),
  };
  setting.set = [member](ServeOptions& options, std::string_view ns, const Json& value) {
    if (!value.is_boolean()) return want("true or false", value);
    options.webhook.per_namespace[std::string(ns)].*member = value.get<bool>();
    return std::string();
  };
  setting.get = [member](const ServeOptions& options) {
    Json out_of = Json::object();
    for (const auto& [ns, each] : options.webhook.per_namespace)
      if (each.*member) out_of[ns] = *(each.*member);
    return out_of;
  };
  return setting;
}

// In the file alone: a flag would need a syntax of its own.
void add_overrides(std::vector<Setting>& out) {
  for (const webhook::workloads::Workload& workload : webhook::workloads::workloads()) {
    const auto key = [&](const char* last) {
      return fmt::format("perWorkload.{}.{}", workload.name, last);
    };
    out.push_back(choice<webhook::config::Mode>(
        named(key("mode"), "", "Overrides mode for this workload API", {.scope = Scope::decision}),
        modes(), OfWorkload{workload.kind, &webhook::config::WorkloadOverride::mode}));
    out.push_back(boolean(named(key("placement"), "", "Overrides placement for this workload API",
                                {.scope = Scope::decision}),
                          OfWorkload{workload.kind, &Override::placement}));
    out.push_back(
        boolean(named(key("placementHint"), "", "Overrides placementHint for this workload API",
                      {.scope = Scope::decision}),
                OfWorkload{workload.kind, &Override::placement_hint}));
  }
  out.push_back(namespace_setting("placement", &Override::placement));
  out.push_back(namespace_setting("placementHint", &Override::placement_hint));
  add_levels_of_namespaces(out);
}

}  // namespace

std::span<const Setting> settings() {
  static const std::vector<Setting> table = [] {
    std::vector<Setting> out;
    add_ports(out);
    add_certificate(out);
    add_log(out);
    add_drain(out);
    add_ledger(out);
    add_claims(out);
    add_cluster(out);
    add_decision(out);
    add_levels(out);
    add_overrides(out);
    return out;
  }();
  return table;
}

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> parts;
  while (true) {
    const auto part = key.substr(0, key.find('.'));
    parts.emplace_back(part);
    if (part.size() == key.size()) return parts;
    key.remove_prefix(part.size() + 1);
  }
}

const KeyTree* KeyTree::child(std::string_view key) const {
  for (const KeyTree& each : children)
    if (each.name == key || each.name == "*") return &each;
  return nullptr;
}

const KeyTree& key_tree() {
  static const KeyTree root = [] {
    KeyTree tree;
    for (const Setting& setting : settings()) {
      KeyTree* at = &tree;
      for (const std::string& part : split_key(setting.key)) {
        const auto there = std::ranges::find(at->children, part, &KeyTree::name);
        at = there != at->children.end() ? &*there
                                         : &at->children.emplace_back(KeyTree{.name = part});
      }
      at->setting = &setting;
    }
    return tree;
  }();
  return root;
}

}  // namespace tpuwh::server::settings
