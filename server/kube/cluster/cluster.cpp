#include "server/kube/cluster/cluster.hpp"

#include "server/kube/client/bounded_json.hpp"
#include "server/kube/client/client.hpp"
#include "server/kube/cluster/store_sink.hpp"
#include "server/net/cancelled.hpp"
#include "server/text/json_text.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <list>
#include <utility>

namespace tpuwh::server::kube::cluster {

std::vector<Watched> watched(const Features& features) {
  const bool ledger = features.ledger, followers = features.followers;
  const bool pods = ledger || followers;
  std::vector<Watched> out;
  const auto add = [&](Watched each, std::initializer_list<std::pair<bool, const char*>> uses) {
    for (const auto& [is_on, use] : uses)
      if (is_on) each.needed_by.append(each.needed_by.empty() ? "" : ", ").append(use);
    if (!each.needed_by.empty()) out.push_back(std::move(each));
  };
  add({store::Kind::pod, {"", "v1", "pods", ""}, {"", std::string(store::running_pods)}, {}},
      {{ledger, "places of Ray workers"},
       {pods && features.placement_hint, "the placement hint"},
       {followers, "node selectors of JobSet followers"}});
  add({store::Kind::node, {"", "v1", "nodes", ""}, {}, {}},
      {{features.placement_hint, "the placement hint"},
       {followers, "node selectors of JobSet followers"}});
  add({store::Kind::service,
       {"", "v1", "services", ""},
       {std::string(store::headless_service_of), ""},
       {}},
      {{ledger, "the names of RayClusters' headless Services"}});
  add({store::Kind::ray_cluster, {"ray.io", "v1", "rayclusters", ""}, {}, {}},
      {{ledger, "places of Ray workers"}});
  return out;
}

std::vector<Watched> watched_claims(const std::string& version) {
  const std::string needed_by = "variables of Pods with resource claims";
  return {{store::Kind::claim, claim_objects(version), {}, needed_by},
          {store::Kind::claim_template, claim_template_objects(version), {}, needed_by},
          {store::Kind::device_class,
           device_classes(version),
           {},
           "chips of claims for another device class than tpu.google.com"}};
}

namespace {

// The newest version that is read of those that an APIGroup names; "" where it names none. The
// three have what is read in the same places.
std::string newest_claims(std::string_view api_group) {
  const auto found = client::parse_bounded(api_group);
  if (!found) return {};
  for (const char* wanted : {"v1", "v1beta2", "v1beta1"})
    for (const auto& each : text::member(*found, "versions"))
      if (text::text_member(each, "version") == wanted) return wanted;
  return {};
}

}  // namespace

struct Cluster::Connected {
  Connected(net::Executor on, net::TaskGroup& tasks, const access::ApiConfig& config,
            const Features& features, store::Store& store, log::Log& to, Listener told)
      : executor(on),
        client(on, config),
        ledger(client, store, tasks, to, config.ns),
        claims(client, store, tasks),
        kept(store),
        all_tasks(tasks),
        out(to),
        listener(std::move(told)) {
    for (const Watched& each : watched(features)) follow(each);
    if (features.ledger) tasks.keep(executor, "ledger", [this] { return ledger.run(); });
  }

  void follow(const Watched& what) {
    Following& each = following.emplace_back(what, client, kept, out);
    all_tasks.keep(executor, "watch-" + what.resource.plural,
                   [&watcher = each.watcher] { return watcher.run(); });
  }

  bool synced() const {
    return claims_settled && std::ranges::all_of(following, [](const Following& each) {
             const watch::WatchStatus status = each.watcher.status();
             return status.synced || status.trouble != watch::Trouble::none;
           });
  }

  // Returns a text that lists the features that are off, for example "nodes may not be read, off:
  // the placement hint, node selectors of JobSet followers", or "" if all features are on.
  std::string what_is_off() const {
    std::string all;
    for (const Following& each : following)
      if (each.watcher.status().trouble == watch::Trouble::forbidden)
        all.append(all.empty() ? "" : "; ")
            .append(each.what.resource.plural)
            .append(" may not be read, off: ")
            .append(each.what.needed_by);
    if (!claims_off.empty()) all.append(all.empty() ? "" : "; ").append(claims_off);
    return all;
  }

  // A watched resource, its watcher, and the sink that writes the watcher's events into the store.
  struct Following {
    Following(const Watched& watched, client::Client& client, store::Store& store, log::Log& log)
        : what(watched),
          sink(store, watched.kind),
          watcher(client, watched.resource, watched.selectors, sink, log) {}
    const Watched what;
    StoreSink sink;
    watch::Watcher watcher;
  };

  net::Executor executor;
  client::Client client;
  ClusterLedger ledger;
  ClaimsOfPods claims;
  store::Store& kept;
  net::TaskGroup& all_tasks;
  log::Log& out;
  const Listener listener;
  std::string off;              // the text of what_is_off() that was reported last
  bool claims_settled = true;   // false while the served version of resource.k8s.io is looked up
  std::string claims_off = {};  // why claims are not watched, as a text; "" if they are watched
  std::list<Following> following;
};

Cluster::Cluster(std::string prefix, const Features& features)
    : features_(features), store_(std::move(prefix)) {
  store_.keep_of_pods({.ray_workers = features.ledger,
                       .leaders = features.followers,
                       .holders = features.placement_hint});
}
Cluster::~Cluster() = default;

void Cluster::connect(net::Executor executor, net::TaskGroup& tasks, access::ApiConfig config,
                      log::Log& log, Listener listener) {
  connected_ = std::make_unique<Connected>(executor, tasks, config, features_, store_, log,
                                           std::move(listener));
  log.info("cluster", {{"server", config.host + ':' + config.port},
                       {"as", config.source},
                       {"ledger_namespace", config.ns}});
  if (features_.claims) {
    store_.read_claims(true);
    connected_->claims_settled = false;
    tasks.keep(executor, "claims", [this] { return begin_claims(); });
  }
  tasks.keep(executor, "sync", [this] { return wait_until_synced(); });
  tasks.keep(executor, "pools", [this] { return look_around(); });
}

void Cluster::disconnect() {
  connected_.reset();
}

ClusterStatus Cluster::status() const {
  ClusterStatus status;
  for (const auto& each : connected_->following)
    status.watches.push_back(
        {each.what.resource.plural, each.watcher.status(), store_.size(each.what.kind)});
  if (features_.claims) status.claims = connected_->claims.status();
  if (features_.ledger) status.ledger = connected_->ledger.status();
  return status;
}

// Which version is served has to be known first, and may be another after an upgrade of the API
// server, which ends the watches: then they are not served any more, and a restart asks again.
net::Task<void> Cluster::begin_claims() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  Connected& all = *connected_;
  net::Timer timer(all.executor);
  for (;;) {
    client::Request request;
    request.method = "GET";
    request.target = "/apis/resource.k8s.io";
    request.purpose = client::Purpose::watch;
    const client::Response response =
        co_await all.client.send(std::move(request), limits::api::command_call);
    const bool over = co_await net::cancelled();
    if (over) co_return;
    const std::string version = response.ok() ? newest_claims(response.body) : std::string();
    const bool none = response.ok() ? version.empty() : response.head.status == 404;
    if (!version.empty() || none) all.claims_settled = true;
    store_.read_claims(!none);
    all.claims_off = none ? "the API server serves no version of resource.k8s.io that tpu-webhook "
                            "reads (v1, v1beta2, v1beta1); it sets no variables in Pods with "
                            "resource claims"
                          : "";
    if (!version.empty()) {
      all.claims.set_version(version);
      for (const Watched& each : watched_claims(version)) all.follow(each);
      co_return;
    }
    timer.expires_after(none ? limits::api::slow_retry : limits::api::backoff_first);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
  }
}

net::Task<void> Cluster::wait_until_synced() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  net::Timer timer(connected_->executor);
  for (;;) {
    if (connected_->synced()) break;
    timer.expires_after(limits::api::sync_poll);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) co_return;
  }
  tell_what_is_off();
  connected_->listener.synced();
}

void Cluster::tell_what_is_off() {
  std::string off = connected_->what_is_off();
  if (off == connected_->off) return;
  if (off.empty())
    connected_->out.info("nothing is off any more");
  else
    connected_->out.warn("off", {{"why", off}});
  connected_->off = std::move(off);
  connected_->listener.off(connected_->off);
}

// Turns the placement hint off while a watch that it uses receives no data: the watch of Nodes or,
// if another feature watches Pods, the watch of Pods. With old data the hint could keep a slice
// away from a node pool that has become able to hold the slice. Also reports which features are
// off.
net::Task<void> Cluster::look_around() {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  const bool reads_pods = features_.ledger || features_.followers;
  net::Timer timer(connected_->executor);
  for (;;) {
    const auto now = net::Clock::now();
    const bool pods_as_known = !reads_pods || store_.is_fresh(store::Kind::pod, now);
    store_.trust_pools(features_.placement_hint && pods_as_known &&
                       store_.is_fresh(store::Kind::node, now));
    tell_what_is_off();
    timer.expires_after(limits::api::pools_look);
    const auto [error] = co_await timer.async_wait(net::as_result);
    if (error) break;
  }
  store_.trust_pools(false);
}

net::Task<webhook::ledger::PlaceAnswer> Cluster::place(kube::places::OwnedPlaceRequest request) {
  // Made here and run there: the ledger is used on the client's executor alone.
  auto asking = connected_->ledger.place(std::move(request));
  auto [fault, answer] =
      co_await boost::asio::co_spawn(connected_->executor, std::move(asking), net::as_result);
  if (fault) answer = webhook::ledger::try_again("the ledger failed");
  co_return answer;
}

net::Task<kube::places::ReadClaims> Cluster::read(std::vector<kube::places::OwnedClaim> claims,
                                                  bool patient, std::string owner) {
  auto asking = connected_->claims.read(claims, patient, std::move(owner));
  auto [fault, read] =
      co_await boost::asio::co_spawn(connected_->executor, std::move(asking), net::as_result);
  if (fault)
    for (kube::places::OwnedClaim& each : claims)
      read[std::move(each)] = {.known = webhook::read::Claimed::Known::unreadable,
                               .why = "a resource claim was not read",
                               .again = true};
  co_return std::move(read);
}

}  // namespace tpuwh::server::kube::cluster
