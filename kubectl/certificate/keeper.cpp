#include "kubectl/certificate/keeper.hpp"

#include "base/result.hpp"
#include "kubectl/certificate/configuration.hpp"
#include "kubectl/certificate/times.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/client/bounded_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

namespace tpuwh::server::certificate {
namespace {

std::string host_of(const std::string& ns) {
  return fmt::format("{}.{}.svc", configuration_name, ns);
}

// Returns the body of a 2xx response, otherwise the error of the request.
Result<std::string> body_of(const kube::client::Response& response,
                            const kube::client::Resource& resource, const char* verb) {
  if (!response.answered()) return Error(kube::access::Errc::api_access, response.error);
  if (response.ok()) return response.body;
  return Error(kube::access::Errc::api_access,
               kube::client::sentence(verb, resource, response.status()));
}

}  // namespace

struct Keeper::Configuration {
  kube::client::Resource resource;
  Json object;
};

Keeper::Keeper(net::Executor executor, kube::access::ApiConfig config, std::string secret,
               log::Log& log)
    : client_(executor, config),
      ns_(config.ns),
      secret_(std::move(secret)),
      log_(log),
      renewal_(host_of(config.ns)),
      random_(std::random_device{}()) {}

net::Task<void> Keeper::run() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(client_.executor());
  for (;;) {
    const Look found = co_await look();
    timer.expires_after(pause(found));
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
  }
}

// Returns how long to wait before the next call of look(). Part of the pause is random, so that two
// keepers do not write at the same time again and again.
net::Clock::duration Keeper::pause(Look look) {
  const bool begins = !trusted_ && !no_entries_;
  const bool hurried = look == Look::written || look == Look::lost || begins;
  const net::Clock::duration least = hurried ? times::look_again : times::look;
  return least + std::uniform_int_distribution<net::Clock::rep>(0, least.count())(random_) *
                     net::Clock::duration(1);
}

// Calls try_to_look() and catches every exception, such as a failure of OpenSSL, so that the keeper
// continues: the next call may succeed.
net::Task<Keeper::Look> Keeper::look() {
  std::string why;
  try {
    const Look found = co_await try_to_look();
    co_return found;
  } catch (const std::exception& fault) {
    why = fault.what();
  }
  co_return fail(why);
}

// Reads the webhook configurations before the Secret, so that a newer caBundle is never replaced
// with an older caBundle. Every keeper writes the Secret first and the caBundles second. So a
// Secret that is read after the caBundles is at least as new as the caBundles. If a configuration
// changes after this keeper has read it, the API server rejects this keeper's update of it with a
// conflict.
net::Task<Keeper::Look> Keeper::try_to_look() {
  const auto configurations = co_await read_configurations();
  if (!configurations) co_return fail(configurations.error().message());
  const auto secret = co_await read();
  if (!secret) co_return fail(secret.error().message());
  warn(secret->trouble);

  std::size_t entries = 0;
  std::set<std::string> trusted_already;
  for (const Configuration& each : *configurations) {
    entries += entries_of(each.object);
    add_trusted(each.object, trusted_already);
  }
  const auto all_trust = [&](const std::string& bundle) {
    return std::ranges::all_of(*configurations,
                               [&](const auto& each) { return trusts(each.object, bundle); });
  };
  Contents contents = secret->contents;
  const Renewal::Step step =
      renewal_.next({.contents = contents,
                     .asked = secret->asked,
                     .trusted = entries > 0 && all_trust(contents.bundle()),
                     .trusted_already = fmt::format("{}", fmt::join(trusted_already, "")),
                     .now = std::chrono::system_clock::now(),
                     .at = net::Clock::now()});
  warn(step.trouble);
  Look result = Look::at_rest;
  // While the limit secret_writes delays a write, the Secret may have contents that another program
  // wrote. So the CAs in the Secret are not written into the configurations.
  if (step.paused) co_return result;
  if (step.write) {
    contents = *step.write;
    const kube::client::Resource resource = secrets(ns_);
    std::string object = with_contents(*secret, contents, step.answers);
    const Look written = co_await write(resource, secret_, std::move(object));
    if (written != Look::written) co_return written;
    log_.info("certificate", {{"secret", secret_}, {"written", step.why}});
    result = Look::written;
  }
  for (const Configuration& each : *configurations) {
    if (trusts(each.object, contents.bundle())) continue;
    std::string object = with_bundle(each.object, contents.bundle());
    const Look written = co_await write(each.resource, configuration_name, std::move(object));
    if (written != Look::written) co_return written;
    log_.info("certificate", {{"configuration", each.resource.plural}, {"written", "caBundle"}});
    result = Look::written;
  }
  judge(all_trust(contents.bundle()) && contents.leaf != tls::Pair(), entries);
  co_return result;
}

// Logs a message when the caBundle of every webhook has become the list of CAs in the Secret. Logs
// a warning when the configurations have no webhook, because then no API server calls tpu-webhook.
void Keeper::judge(bool all_trust, std::size_t entries) {
  const bool trusted = all_trust && entries > 0;
  if (trusted && !trusted_) log_.info("certificate trusted", {{"secret", secret_}});
  trusted_ = trusted;
  if (entries == 0 && !no_entries_)
    log_.warn(
        "no API server calls tpu-webhook: its webhook configurations do not exist or have no "
        "webhooks",
        {{"name", configuration_name}});
  no_entries_ = entries == 0;
}

net::Task<Result<std::vector<Keeper::Configuration>>> Keeper::read_configurations() {
  std::vector<Configuration> found;
  for (const kube::client::Resource& resource : configurations()) {
    kube::client::Request request = kube::client::get(resource, configuration_name);
    const kube::client::Response response = co_await client_.send(std::move(request), times::call);
    // Status 404 is not an error: the ValidatingWebhookConfiguration exists only if the chart's
    // value `validation` is true.
    if (response.answered() && response.head.status == 404) continue;
    const auto body = body_of(response, resource, "get");
    if (!body) co_return body.error();
    auto object = kube::client::parse_bounded(*body);
    if (!object)
      co_return Error(base::Errc::bad_json, resource.name() + " " + object.error().message());
    if (const std::string fault = fault_of(*object); !fault.empty())
      co_return bad_value(
          fmt::format("the answer is not {} {}: {}", resource.name(), configuration_name, fault));
    found.push_back({resource, std::move(*object)});
  }
  co_return found;
}

net::Task<Result<SecretObject>> Keeper::read() {
  kube::client::Request request = kube::client::get(secrets(ns_), secret_);
  const kube::client::Response response = co_await client_.send(std::move(request), times::call);
  if (response.answered() && response.head.status == 404)
    co_return Error(kube::access::Errc::api_access,
                    fmt::format("Secret {}/{} does not exist, and the keeper has no permission to "
                                "create it; run helm upgrade, which creates this Secret",
                                ns_, secret_));
  const auto body = body_of(response, secrets(ns_), "get");
  if (!body) co_return body.error();
  auto secret = read_secret(*body);
  if (secret &&
      text::text_member(text::member(secret->object, "metadata"), "resourceVersion").empty())
    co_return bad_value(
        fmt::format("Secret {}/{} was answered without metadata.resourceVersion", ns_, secret_));
  co_return secret;
}

net::Task<Keeper::Look> Keeper::write(kube::client::Resource resource, std::string name,
                                      std::string object) {
  auto put = kube::client::update(resource, name, std::move(object));
  if (!put) co_return fail(put.error().message());
  const kube::client::Response response = co_await client_.send(std::move(*put), times::call);
  // HTTP 409 means that another program has written the object since this keeper read it. The next
  // look() reads what that program wrote.
  if (response.answered() && response.head.status == 409) co_return Look::lost;
  const auto body = body_of(response, resource, "update");
  if (!body) co_return fail(body.error().message());
  co_return Look::written;
}

Keeper::Look Keeper::fail(const std::string& why) {
  if (failures_said_.allows(net::Clock::now()))
    log_.error("certificate", {{"secret", secret_}, {"error", why}});
  return Look::failed;
}

void Keeper::warn(const std::string& trouble) {
  if (!trouble.empty() && failures_said_.allows(net::Clock::now()))
    log_.warn("certificate", {{"secret", secret_}, {"error", trouble}});
}

}  // namespace tpuwh::server::certificate
