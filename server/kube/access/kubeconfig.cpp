#include "base/names.hpp"
#include "server/kube/access/api_config.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/access/kubeconfig_file.hpp"
#include "server/kube/access/server_url.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>
#include <sstream>

namespace tpuwh::server::kube::access {

namespace {

using base::printable;

std::vector<std::string> split_list(const std::string& variable) {
  std::vector<std::string> files;
  std::istringstream parts(variable);
  for (std::string file; std::getline(parts, file, ':');)
    if (!file.empty()) files.push_back(file);
  return files;
}

// Where the files to read are named, for the message that none is there.
struct Source {
  std::vector<std::string> files;
  std::string said_by;
};

Source files_of(const KubeconfigChoice& choice) {
  if (!choice.file.empty()) return {{choice.file}, "--kubeconfig"};
  if (!choice.variable.empty()) return {split_list(choice.variable), "$KUBECONFIG"};
  if (choice.home.empty()) return {{}, "$HOME, which is empty,"};
  return {{choice.home + "/.kube/config"}, "neither --kubeconfig nor $KUBECONFIG; $HOME"};
}

Result<Kubeconfig> load(const KubeconfigChoice& choice) {
  const Source source = files_of(choice);
  auto config = Kubeconfig::load(source.files);
  if (config && config->empty())
    return Error(
        Errc::api_access,
        fmt::format(
            "no kubeconfig: {} names {}, which does not exist; expected an existing file, from "
            "--kubeconfig, $KUBECONFIG or ~/.kube/config",
            source.said_by,
            source.files.empty() ? "no file" : fmt::format("{}", fmt::join(source.files, ":"))));
  return config;
}

std::string known(const Kubeconfig::Entries& entries) {
  std::vector<std::string> names;
  for (const auto& [each, fields] : entries) names.push_back(printable(each, 200));
  return fmt::format("{}", fmt::join(names, ", "));
}

// The entry of that name, or an error with those there are.
Result<KubeconfigFields> choose(const Kubeconfig::Entries& entries, const std::string& name,
                                std::string_view what, const std::string& where) {
  if (const auto found = entries.find(name); found != entries.end()) return found->second;
  return Error(Errc::api_access,
               fmt::format("{}: no {} is named \"{}\"; {}", where, what, printable(name, 200),
                           entries.empty() ? fmt::format("there are no {}s", what)
                                           : "expected one of " + known(entries)));
}

// What we do not do, said rather than passed over: it would mean another identity or way.
struct Unsupported {
  const char* key;
  const char* instead;
};
constexpr Unsupported of_clusters[] = {
    {"proxy-url",
     "run this where the API server can be reached, or through `kubectl proxy` and a "
     "cluster with server: http://127.0.0.1:8001"},
};
constexpr Unsupported of_users[] = {
    {"auth-provider",
     "Kubernetes 1.26 removed it: use a token or, in kubectl-tpu, exec and the provider's plugin"},
    {"as", "use the credentials of that user, or `kubectl proxy --as ...`"},
    {"as-groups", "use credentials with these groups"},
    {"as-uid", "use the credentials of that user"},
    {"as-user-extra", "use the credentials of that user"},
};

// "", [] and {} say nothing: tools write `proxy-url: ""` and the like, and we once refused them.
bool says_something(const Json* value) {
  if (value == nullptr) return false;
  return value->is_string() ? !value->get_ref<const std::string&>().empty() : !value->empty();
}

std::optional<Error> refuse(const KubeconfigFields& fields, std::span<const Unsupported> keys) {
  for (const Unsupported& each : keys)
    if (says_something(fields.value(each.key)))
      return fields.wrong(each.key, fmt::format("is not supported; {}", each.instead));
  return std::nullopt;
}

std::optional<Error> read_cluster(KubeconfigFields& cluster, ApiConfig& config) {
  if (auto wrong = refuse(cluster, of_clusters)) return wrong;
  const std::string server = cluster.text("server");
  config.insecure = cluster.flag("insecure-skip-tls-verify");
  config.tls_name = cluster.text("tls-server-name");
  config.ca_pem = cluster.pem("certificate-authority", "CERTIFICATE", config.ca_file);
  if (cluster.error()) return cluster.error();
  if (config.insecure && !config.ca_pem.empty())
    return cluster.wrong("insecure-skip-tls-verify",
                         "is given together with certificate-authority, which would be ignored; "
                         "expected one of the two");
  const auto url = parse_server_url(server);
  if (!url) return cluster.wrong("server", url.error().message());
  config.tls = url->tls;
  config.host = url->host;
  config.port = url->port;
  config.base_path = url->path;
  if (config.tls_name.empty()) config.tls_name = config.host;
  return std::nullopt;
}

std::optional<Error> read_client_certificate(KubeconfigFields& user, ApiConfig& config) {
  config.client.certificate =
      user.pem("client-certificate", "CERTIFICATE", config.client_cert_file);
  config.client.key = user.pem("client-key", "PRIVATE KEY", config.client_key_file);
  if (user.error()) return user.error();
  if (config.client.certificate.empty() != config.client.key.empty())
    return user.wrong("", config.client.key.empty()
                              ? "a client-certificate without its client-key; expected both"
                              : "a client-key without its client-certificate; expected both");
  return std::nullopt;
}

// A token comes before a plugin, as in client-go (plugin/pkg/client/auth/exec): what the user
// says outright is not asked for again.
Result<std::shared_ptr<Credentials>> read_credentials(KubeconfigFields& user,
                                                      const KubeconfigFields& cluster,
                                                      const ApiConfig& config, ExecReader* exec) {
  const std::string token = user.text("token");
  const std::string token_file = user.path("tokenFile");
  const std::string name = user.text("username");
  const std::string password = user.text("password");
  if (user.error()) return *user.error();
  const bool bearer = !token.empty() || !token_file.empty();
  if (bearer && !name.empty())
    return user.wrong("username", "is given together with a token; expected one of the two");
  if (!token.empty() && !is_token(token))
    return user.wrong("token", "holds blanks or control characters; expected one bearer token");
  if (!token_file.empty())
    return std::shared_ptr<Credentials>(std::make_shared<TokenFile>(token_file, token));
  if (!token.empty()) return bearer_token(token);
  if (user.has("exec") && exec == nullptr)
    return user.wrong("exec",
                      "is not supported by this program, which starts no other; use a token, a "
                      "client certificate or, in a Pod, its service account");
  if (user.has("exec")) return exec(user.at("exec"), cluster, config);
  if (!name.empty()) return basic_credentials(name, password);
  return no_credentials();
}

}  // namespace

Result<ApiConfig> kubeconfig_config(const KubeconfigChoice& choice, ExecReader* exec) {
  auto kubeconfig = load(choice);
  if (!kubeconfig) return kubeconfig.error();
  const std::string files = kubeconfig->files();
  const std::string name = choice.context.empty() ? kubeconfig->current_context() : choice.context;
  if (name.empty() && !kubeconfig->contexts().empty())
    return Error(Errc::api_access,
                 fmt::format("{}: there is no current-context; expected --context with one of {}",
                             files, known(kubeconfig->contexts())));
  auto context = choose(kubeconfig->contexts(), name, "context", files);
  if (!context) return context.error();
  const std::string cluster_name = context->text("cluster");
  const std::string user_name = context->text("user");
  ApiConfig config;
  config.ns = context->text("namespace");
  if (config.ns.empty()) config.ns = "default";
  if (context->error()) return *context->error();
  config.source = fmt::format("context \"{}\" of {}", printable(name, 200), files);

  auto cluster = choose(kubeconfig->clusters(), cluster_name, "cluster", context->place());
  if (!cluster) return cluster.error();
  if (auto wrong = read_cluster(*cluster, config)) return *wrong;
  config.credentials = no_credentials();
  if (user_name.empty()) return config;  // anonymous

  auto user = choose(kubeconfig->users(), user_name, "user", context->place());
  if (!user) return user.error();
  if (auto wrong = refuse(*user, of_users)) return *wrong;
  if (auto wrong = read_client_certificate(*user, config)) return *wrong;
  auto credentials = read_credentials(*user, *cluster, config, exec);
  if (!credentials) return credentials.error();
  config.credentials = std::move(*credentials);
  return config;
}

}  // namespace tpuwh::server::kube::access
