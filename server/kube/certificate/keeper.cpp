#include "server/kube/certificate/keeper.hpp"

#include "base/result.hpp"
#include "server/kube/access/errc.hpp"
#include "server/kube/certificate/configuration.hpp"
#include "server/kube/client/bounded_json.hpp"
#include "server/limits/limits.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace tpuwh::server::kube::certificate {
namespace {

namespace times = limits::renewal;

std::string host_of(const std::string& ns) {
  return fmt::format("{}.{}.svc", configuration_name, ns);
}

// The object of a 2xx answer; else why there is none.
Result<std::string> body_of(const client::Response& response, const client::Resource& resource,
                            const char* verb) {
  if (!response.answered()) return Error(access::Errc::api_access, response.error);
  if (response.ok()) return response.body;
  return Error(access::Errc::api_access, client::sentence(verb, resource, response.status()));
}

}  // namespace

struct Keeper::Configuration {
  client::Resource resource;
  Json object;
};

Keeper::Keeper(net::Executor executor, access::ApiConfig config, std::string secret, log::Log& log,
               Listener listener)
    : client_(executor, config),
      ns_(config.ns),
      secret_(std::move(secret)),
      log_(log),
      listener_(std::move(listener)),
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

// Replicas that have lost a race must not meet again.
net::Clock::duration Keeper::pause(Look look) {
  const bool begins = !was_trusted_ && !nobody_calls_;
  const bool hurried = look == Look::written || look == Look::lost || begins;
  const net::Clock::duration least = hurried ? times::look_again : times::look;
  return least + std::uniform_int_distribution<net::Clock::rep>(0, least.count())(random_) *
                     net::Clock::duration(1);
}

// Whatever was answered, and whatever OpenSSL says of it: the next look may succeed.
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

// The configurations are read before the Secret. So whoever wrote a newer bundle into one that is
// read here had written it into the Secret before, and that is read, too; and what is written
// into a configuration after this reading makes our own write fail. A bundle never goes back.
net::Task<Keeper::Look> Keeper::try_to_look() {
  const auto configurations = co_await read_configurations();
  if (!configurations) co_return fail(configurations.error().message());
  const auto secret = co_await read();
  if (!secret) co_return fail(secret.error().message());
  if (!secret->trouble.empty() && failures_said_.allows(net::Clock::now()))
    log_.warn("certificate", {{"secret", secret_}, {"error", secret->trouble}});

  const auto all_trust = [&](const std::string& bundle) {
    return std::ranges::all_of(*configurations,
                               [&](const auto& each) { return trusts(each.object, bundle); });
  };
  Contents contents = secret->contents;
  const Renewal::Step step = renewal_.next({.contents = contents,
                                            .asked = secret->asked,
                                            .trusted = all_trust(contents.bundle()),
                                            .now = std::chrono::system_clock::now(),
                                            .at = net::Clock::now()});
  if (!step.trouble.empty() && failures_said_.allows(net::Clock::now()))
    log_.warn("certificate", {{"secret", secret_}, {"error", step.trouble}});
  Look result = Look::at_rest;
  // What the Secret holds meanwhile may be anything: no configuration is made to trust it.
  if (step.paused) {
    if (step.serve) serve(*step.serve);
    co_return result;
  }
  if (step.write) {
    contents = *step.write;
    const client::Resource resource = secrets(ns_);
    std::string object = with_contents(*secret, contents, step.answers);
    const Look written = co_await write(resource, secret_, std::move(object));
    if (written != Look::written) co_return written;
    log_.info("certificate", {{"secret", secret_}, {"written", step.why}});
    result = Look::written;
  }
  if (!serve(step.serve ? *step.serve : contents.leaf)) co_return Look::failed;
  for (const Configuration& each : *configurations) {
    if (trusts(each.object, contents.bundle())) continue;
    std::string object = with_bundle(each.object, contents.bundle());
    const Look written = co_await write(each.resource, configuration_name, std::move(object));
    if (written != Look::written) co_return written;
    log_.info("certificate", {{"configuration", each.resource.plural}, {"written", "caBundle"}});
    result = Look::written;
  }
  std::size_t entries = 0;
  for (const Configuration& each : *configurations) entries += entries_of(each.object);
  judge(all_trust(contents.bundle()), entries);
  co_return result;
}

void Keeper::judge(bool all_trust, std::size_t entries) {
  status_.trusted = all_trust && entries > 0;
  if (entries == 0 && !nobody_calls_)
    log_.warn(
        "no API server calls this server: its webhook configuration does not exist or is empty",
        {{"name", configuration_name}});
  nobody_calls_ = entries == 0;
  if (!status_.trusted || was_trusted_) return;
  was_trusted_ = true;
  listener_.trusted();
}

net::Task<Result<std::vector<Keeper::Configuration>>> Keeper::read_configurations() {
  std::vector<Configuration> found;
  for (const client::Resource& resource : configurations()) {
    client::Request request = client::get(resource, configuration_name);
    const client::Response response = co_await client_.send(std::move(request), times::call);
    // The one for workload objects is there where the chart's `validation` is on.
    if (response.answered() && response.head.status == 404) continue;
    const auto body = body_of(response, resource, "get");
    if (!body) co_return body.error();
    auto object = client::parse_bounded(*body);
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
  client::Request request = client::get(secrets(ns_), secret_);
  const client::Response response = co_await client_.send(std::move(request), times::call);
  if (response.answered() && response.head.status == 404)
    co_return Error(access::Errc::api_access,
                    fmt::format("Secret {}/{} does not exist, and this server may not create it: "
                                "helm upgrade does",
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

net::Task<Keeper::Look> Keeper::write(client::Resource resource, std::string name,
                                      std::string object) {
  auto put = client::update(resource, name, std::move(object));
  if (!put) co_return fail(put.error().message());
  const client::Response response = co_await client_.send(std::move(*put), times::call);
  // Another replica was first: look at what it has written.
  if (response.answered() && response.head.status == 409) co_return Look::lost;
  const auto body = body_of(response, resource, "update");
  if (!body) co_return fail(body.error().message());
  ++status_.writes;
  co_return Look::written;
}

bool Keeper::serve(const tls::Pair& leaf) {
  if (leaf == served_) return true;
  try {
    listener_.serve(tls::make_context(leaf, std::chrono::system_clock::now()));
  } catch (const std::exception& fault) {
    fail(fault.what());
    return false;
  }
  served_ = leaf;
  return true;
}

Keeper::Look Keeper::fail(const std::string& why) {
  ++status_.failures;
  if (failures_said_.allows(net::Clock::now()))
    log_.error("certificate", {{"secret", secret_}, {"error", why}});
  return Look::failed;
}

}  // namespace tpuwh::server::kube::certificate
