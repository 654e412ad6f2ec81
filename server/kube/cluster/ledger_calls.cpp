#include "server/kube/cluster/ledger_calls.hpp"

#include "base/names.hpp"
#include "server/kube/client/item_reader.hpp"
#include "server/kube/cluster/ledger_object.hpp"
#include "server/kube/store/store.hpp"

#include <utility>

namespace tpuwh::server::kube::cluster {

using CallKind = LedgerCalls::Call::Kind;
using Outcome = LedgerCalls::Outcome;
using OutcomeKind = Outcome::Kind;

namespace {

Outcome failed(std::string why) {
  return {.kind = OutcomeKind::failed, .why = std::move(why)};
}

// Until a person acts: neither who we are nor what we may changes by asking again.
bool needs_operator(const client::Status& status) {
  return status.code == 401 || status.code == 403;
}

bool is_selectable(std::string_view value) {
  return !value.empty() && base::is_label_value(value);
}

client::Resource pods_of(const store::GroupName& group) {
  return {.group = "", .version = "v1", .plural = "pods", .ns = group.ns};
}

// Gathers the Pods of a list as it comes.
class PodReader final : public client::ItemReader {
 public:
  explicit PodReader(std::string prefix) : reader_(std::move(prefix)) {}
  webhook::ledger::GroupPods take_pods() { return std::move(pods_); }
  std::size_t unread() const { return unread_; }

 private:
  void on_item(std::string_view json) override {
    auto pod = reader_.pod(json);
    if (!pod) ++unread_;
    if (!pod || pod->ended || !pod->ray) return;
    pods_[pod->uid] = {std::move(pod->ray->token), pod->ray->place, pod->leaving};
  }

  store::ObjectReader reader_;
  webhook::ledger::GroupPods pods_;
  std::size_t unread_ = 0;
};

}  // namespace

LedgerCalls::LedgerCalls(client::Client& client, std::string prefix, std::string ns)
    : client_(client), prefix_(std::move(prefix)), ns_(std::move(ns)) {}

net::Task<Outcome> LedgerCalls::perform(const store::GroupName& name, const Call& call,
                                        client::Purpose purpose) {
  const client::Resource objects = ledger_objects(ns_);
  const std::string object = ledger_object_name(name);
  client::Request request;
  switch (call.kind) {
    case CallKind::none:
    case CallKind::later:
      co_return Outcome{};
    case CallKind::list: {
      Outcome outcome = co_await list_pods(name, purpose);
      co_return outcome;
    }
    case CallKind::read:
      request = client::get(objects, object);
      break;
    case CallKind::create:
      request = client::create(objects, ledger_object_text(name, call.record, ""));
      break;
    case CallKind::update: {
      auto put =
          client::update(objects, object, ledger_object_text(name, call.record, call.version));
      if (!put) co_return failed(put.error().message());
      request = std::move(*put);
      break;
    }
    case CallKind::remove:
      request = client::remove(objects, object, {.version = call.version, .uid = {}});
      break;
  }
  request.purpose = purpose;
  Outcome outcome = co_await send(name, std::move(request));
  co_return outcome;
}

// A read, a write or a removal of the group's ledger object.
net::Task<Outcome> LedgerCalls::send(const store::GroupName& name, client::Request request) {
  const bool removes = request.method == "DELETE";
  const std::string verb = request.reads()            ? "get"
                           : removes                  ? "delete"
                           : request.method == "POST" ? "create"
                                                      : "update";
  const client::Response response =
      co_await client_.send(std::move(request), limits::api::ledger_call);
  if (!response.answered()) {
    Outcome unanswered = failed(response.error);
    unanswered.unsent = response.delivery == client::Delivery::failed;
    co_return unanswered;
  }
  if (!response.ok()) {
    const client::Status status = response.status();
    Outcome refused;
    refused.kind = status.code == 404   ? OutcomeKind::absent
                   : status.code == 409 ? OutcomeKind::conflict
                                        : OutcomeKind::failed;
    refused.why = client::sentence(verb, ledger_objects(ns_), status);
    refused.lasting = needs_operator(status);
    co_return refused;
  }
  Outcome outcome;
  outcome.kind = OutcomeKind::ok;
  if (removes) co_return outcome;
  auto object = parse_ledger_object(response.body);
  if (!object) co_return failed(object.error().message());
  // Names can be made that have the object of another group, whose places these would be.
  if (object->group != name)
    co_return failed("ledger object " + object->name + " is another group's");
  outcome.version = std::move(object->version);
  outcome.record = std::move(object->record);
  co_return outcome;
}

// What is stored now: consistent, whatever the watch has shown.
net::Task<Outcome> LedgerCalls::list_pods(const store::GroupName& name, client::Purpose purpose) {
  // Both stand in a selector, which has no quotes: what is no label's value could add to it, and
  // no Pod has it as a label.
  if (!is_selectable(name.cluster) || !is_selectable(name.group)) {
    Outcome unselectable = failed(
        "the name of the RayCluster or of its worker group is not a label value, which no Pod can "
        "have");
    unselectable.lasting = unselectable.unsent = true;
    co_return unselectable;
  }
  const client::Selectors selectors{
      .labels = "ray.io/cluster=" + name.cluster + ",ray.io/group=" + name.group,
      .fields = std::string(store::running_pods)};
  PodReader reader(prefix_);
  const client::StreamLimits within{.silence = limits::api::ledger_call,
                                    .total = limits::api::ledger_call};
  client::Request request = client::list(pods_of(name), selectors, {});
  request.purpose = purpose;
  const client::Response response = co_await client_.stream(std::move(request), within, reader);
  if (!response.answered()) co_return failed(response.error);
  if (!response.ok()) {
    const client::Status status = response.status();
    Outcome refused = failed(client::sentence("list", pods_of(name), status));
    refused.lasting = needs_operator(status);
    co_return refused;
  }
  if (!reader.whole()) co_return failed("the list of the group's Pods was cut off");
  // A Pod that is not seen would count as gone, and its place be given twice.
  if (reader.page().passed_over() > 0)
    co_return failed("a Pod of the group is larger than " +
                     std::to_string(limits::api::object_bytes) + " bytes and cannot be read");
  if (reader.unread() > 0)
    co_return failed("a Pod of the group cannot be read; a list in it has more than " +
                     std::to_string(webhook::read::max_elements) + " elements, or it is not a Pod");
  Outcome outcome;
  outcome.kind = OutcomeKind::ok;
  outcome.pods = reader.take_pods();
  co_return outcome;
}

}  // namespace tpuwh::server::kube::cluster
