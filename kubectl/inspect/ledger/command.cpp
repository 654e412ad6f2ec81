#include "kubectl/inspect/ledger/command.hpp"

#include "kubectl/inspect/running/api_server.hpp"
#include "kubectl/inspect/running/installation.hpp"
#include "kubectl/objects/read_json.hpp"
#include "kubectl/text/json_line.hpp"
#include "server/kube/access/errc.hpp"
#include "server/text/json_text.hpp"
#include "webhook/ledger/group_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <ostream>

namespace tpuwh::server::ledger {

namespace {

constexpr int unchanged = 1;

// A replica writes a group's object once for each Pod that comes or goes.
constexpr int most_tries = 5;

const kube::client::Resource all_pods{"", "v1", "pods", ""};

Error failure(std::string why) {
  return Error(kube::access::Errc::api_access, std::move(why));
}

void add_ledger_object(Result<kube::cluster::LedgerObject> object, LedgerInventory& inventory) {
  if (object)
    inventory.objects.push_back(std::move(*object));
  else
    inventory.not_known.push_back(object.error().message());
}

// The Pods with a token, of one namespace or all.
running::Listing list_living(running::ApiServer& session, const std::string& prefix,
                             const std::string& ns, LivingTokens& living) {
  const std::string label = prefix + "token";
  kube::client::Resource pods = all_pods;
  pods.ns = ns;
  return session.list(pods, {.labels = label, .fields = {}}, "Pod", [&](std::string_view pod) {
    add_pod(objects::parse_json(pod), label, living);
  });
}

Result<LedgerInventory> read_objects(running::ApiServer& session, const LedgerOptions& options) {
  const auto installed = running::find_installation(session, options.ns);
  if (!installed) return installed.error();
  LedgerInventory inventory;
  inventory.ns = installed->ns;
  const kube::client::Selectors selectors{.labels = std::string(kube::cluster::ledger_label),
                                          .fields = {}};
  const auto listing =
      session.list(kube::cluster::ledger_objects(inventory.ns), selectors, "ConfigMap",
                   [&](std::string_view text) {
                     add_ledger_object(kube::cluster::parse_ledger_object(text), inventory);
                   });
  if (listing.end == running::Listing::End::partial)
    inventory.not_known.push_back(listing.why);
  else if (!listing.whole())
    return failure(listing.why);
  std::ranges::sort(inventory.objects, {}, &kube::cluster::LedgerObject::group);
  return inventory;
}

Result<LedgerInventory> read_running(const LedgerOptions& options) {
  const auto session = running::open_session(options.access);
  if (!session) return session.error();
  auto inventory = read_objects(**session, options);
  if (!inventory) return inventory;
  LivingTokens living;
  const auto pods = list_living(**session, options.prefix, "", living);
  if (pods.end == running::Listing::End::failed) return failure(pods.why);
  if (pods.whole())
    inventory->living = std::move(living);
  else
    inventory->not_known.push_back(pods.why);
  return inventory;
}

Result<LedgerInventory> read_snapshot(const LedgerOptions& options, std::istream& in) {
  source::SnapshotFile snapshot(options.access.snapshot, in, reads_of_ledger());
  LedgerInventory inventory;
  inventory.ns = options.ns;
  LivingTokens living;
  bool pods = false;
  const std::string label = options.prefix + "token";
  const auto told = snapshot.for_each([&](std::string_view kind, const Json& object) {
    if (kind == "Pod") {
      pods = true;
      add_pod(object, label, living);
    }
    if (kind == "ConfigMap" && is_ledger_object(object, options.ns))
      add_ledger_object(kube::cluster::read_ledger_object(object), inventory);
  });
  if (!told) return told.error();
  for (const std::string& each : snapshot.not_known()) inventory.not_known.push_back(each);
  if (pods || snapshot.has_list_of("Pod"))
    inventory.living = std::move(living);
  else
    inventory.not_known.push_back("no Pod in the snapshot");
  std::ranges::sort(inventory.objects, {}, &kube::cluster::LedgerObject::group);
  return inventory;
}

// One `ledger release`, on one ledger object.
class Release {
 public:
  Release(const ReleaseOptions& options, running::ApiServer& session, const text::Console& console,
          std::string ns, kube::cluster::LedgerObject object)
      : options_(options),
        session_(session),
        console_(console),
        objects_(kube::cluster::ledger_objects(ns)),
        object_(std::move(object)) {}

  int run() {
    auto first = plan();
    if (!first) return text::print_error(console_, first.error());
    tell(*first);
    if (first->free.empty() || options_.dry_run) return 0;
    if (const int code = confirm(*first); code != 0) return code;
    if (!options_.choice.force && !wait())
      return text::print_error(console_, "interrupted", unchanged);
    return write(*first);
  }

 private:
  std::string name() const { return group_text(object_.group); }

  // From what is stored and what lives at this moment, in this order: a Pod that came between
  // the two lives, one that goes meanwhile keeps its entry a little longer.
  Result<ReleasePlan> plan() {
    LivingTokens living;
    const auto pods = list_living(session_, options_.ledger.prefix, object_.group.ns, living);
    if (!pods.whole()) return failure(pods.why);
    return plan_release(object_, options_.choice, living);
  }

  void tell(const ReleasePlan& plan) const {
    for (const std::string& each : plan.kept) console_.out << text::printed("{}\n", each);
    for (const webhook::ledger::LedgerEntry& entry : plan.free)
      console_.out << text::printed("{}{}: entry {} of {}\n", options_.dry_run ? "would free " : "",
                                    place_text(entry.place), entry.token, name());
    if (plan.free.empty()) console_.out << text::printed("nothing to free in {}\n", name());
    console_.out.flush();
  }

  int confirm(const ReleasePlan& plan) const {
    if (options_.yes) return 0;
    if (!console_.interactive)
      return text::print_error(console_,
                               "not a terminal: pass --yes to free, or --dry-run to look");
    console_.out << text::printed("free {} in {}? [y/N] ", plan.free.size(), name());
    console_.out.flush();
    std::string answer;
    std::getline(console_.in, answer);
    if (answer == "y" || answer == "yes") return 0;
    return text::print_error(console_, "not confirmed; nothing was changed", unchanged);
  }

  bool wait() {
    constexpr auto time = webhook::ledger::times::rebuild;
    console_.out << text::printed(
        "waiting {} s, since a Pod may be stored up to a minute after its entry\n",
        time / std::chrono::seconds(1));
    console_.out.flush();
    session_.catch_interrupts();
    return session_.wait(std::chrono::duration_cast<std::chrono::milliseconds>(time));
  }

  int write(const ReleasePlan& first) {
    for (int tries = 0; tries < most_tries; ++tries) {
      const auto read = read_again();
      if (!read) return text::print_error(console_, read.error());
      if (!*read) return done("its ledger object was deleted; nothing is left to free");
      auto now = plan();
      if (!now) return text::print_error(console_, now.error());
      const ReleasePlan sure = confirmed(first, *now);
      if (sure.free.empty()) return done("nothing is left to free");
      const kube::client::Response response = session_.send(request_for(sure));
      if (response.ok())
        return done(
            fmt::format("freed {} of {} entries", sure.free.size(), object_.record.entries.size()));
      // What may have happened or not is seen by reading again.
      const bool again =
          response.delivery == kube::client::Delivery::unknown ||
          (response.answered() && (response.head.status == 409 || response.head.status == 404));
      if (!again) return text::print_error(console_, refusal(response));
    }
    return text::print_error(
        console_,
        fmt::format("{}: others changed it {} times in a row; try again", name(), most_tries),
        unchanged);
  }

  int done(const std::string& what) const {
    console_.out << text::printed("{}: {}\n", name(), what);
    return 0;
  }

  // False: the object is no longer there.
  Result<bool> read_again() {
    const kube::client::Response response =
        session_.send(kube::client::get(objects_, object_.name));
    if (response.answered() && response.head.status == 404) return false;
    if (!response.ok()) return failure(refusal(response, "get"));
    auto object = kube::cluster::parse_ledger_object(response.body);
    if (!object) return object.error();
    object_ = std::move(*object);
    return true;
  }

  kube::client::Request request_for(const ReleasePlan& plan) const {
    const webhook::ledger::LedgerRecord left = without(object_.record, plan);
    if (left.entries.empty())
      return kube::client::remove(objects_, object_.name, {.version = object_.version, .uid = {}});
    auto put = kube::client::update(
        objects_, object_.name,
        kube::cluster::ledger_object_text(object_.group, left, object_.version));
    return std::move(put.value());  // fails only without a version, and this one was read
  }

  std::string refusal(const kube::client::Response& response,
                      std::string_view verb = "update") const {
    return response.answered() ? kube::client::sentence(verb, objects_, response.status())
                               : response.error;
  }

  const ReleaseOptions& options_;
  running::ApiServer& session_;
  const text::Console& console_;
  const kube::client::Resource objects_;
  kube::cluster::LedgerObject object_;
};

int release_from(running::ApiServer& session, const ReleaseOptions& options,
                 const text::Console& console) {
  auto inventory = read_objects(session, options.ledger);
  if (!inventory) return text::print_error(console, inventory.error());
  bool found = false;
  int worst = 0;
  // A RayCluster that was recreated has another uid, and another object.
  for (kube::cluster::LedgerObject& object : inventory->objects) {
    if (!options.group.names(object.group)) continue;
    found = true;
    worst = std::max(worst, Release(options, session, console, inventory->ns, object).run());
  }
  if (found) return worst;
  const auto& group = options.group;
  return text::print_error(
      console, fmt::format("no ledger object of {}/{}/{} in namespace {}; see `kubectl tpu "
                           "ledger list`",
                           group.ns, group.cluster, group.group, inventory->ns));
}

}  // namespace

const source::Reads& reads_of_ledger() {
  static const source::Reads reads{{"ConfigMap"},
                                   "no ConfigMap",
                                   {"Pod", "Namespace"},
                                   "kubectl get configmaps,pods -A -o json"};
  return reads;
}

int run_ledger_list(const LedgerOptions& options, const text::Console& console) {
  const auto inventory =
      options.access.of_file() ? read_snapshot(options, console.in) : read_running(options);
  if (!inventory) return text::print_error(console, inventory.error());
  if (options.output == LedgerOutput::json)
    console.out << text::json_line(inventory_json(*inventory));
  else
    console.out << inventory_text(*inventory, console.terminal);
  return 0;
}

int run_ledger_release(const ReleaseOptions& options, const text::Console& console) {
  const auto session = running::open_session(options.ledger.access);
  if (!session) return text::print_error(console, session.error());
  return release_from(**session, options, console);
}

}  // namespace tpuwh::server::ledger
