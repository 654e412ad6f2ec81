// Whatever an API server answers a list or a watch, of any type and size: no exception, and the
// watch goes on to its next try.
#include "server/kube/client/status.hpp"
#include "server/kube/cluster/ledger_object.hpp"
#include "server/kube/cluster/store_sink.hpp"
#include "server/kube/store/store.hpp"
#include "server/kube/watch/watch_readers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/own_mapping.hpp"

namespace tpuwh::server::kube::watch {
namespace {

using cluster::StoreSink;
using store::Kind;

// Values of every type, as a peer may put them anywhere.
const std::vector<std::string>& values() {
  static const std::vector<std::string> all = {"null",
                                               "true",
                                               "[]",
                                               "{}",
                                               "[[]]",
                                               "[null]",
                                               "\"\"",
                                               "\"x\"",
                                               "\"\\ud800\"",
                                               "\"4294967296\"",
                                               "\"-1\"",
                                               "\"1e9\"",
                                               "0",
                                               "-1",
                                               "1.5",
                                               "1e400",
                                               "-1e400",
                                               "18446744073709551616",
                                               "4294967295",
                                               std::string(1000, '9'),
                                               "{\"a\":{\"b\":[1]}}",
                                               "\"" + std::string(70'000, 'y') + "\""};
  return all;
}

// An object of each kind with one value of another type in each place.
std::vector<std::string> objects() {
  const std::string templates[] = {
      R"({"metadata":{"name":"w","namespace":"ns","uid":"u","resourceVersion":"5","labels":@}})",
      R"({"metadata":{"name":"w","namespace":"ns","uid":"u","labels":{"ray.io/node-type":"worker",)"
      R"("ray.io/cluster":"c","ray.io/group":@,"tpu-webhook.dev/token":@,)"
      R"("ray.io/worker-group-replica-index":@}},"spec":{"containers":[{"name":"m","resources":)"
      R"({"limits":{"google.com/tpu":"4"}}}]},"status":{"phase":@}})",
      R"({"metadata":{"name":@,"namespace":@,"uid":@,"deletionTimestamp":@}})",
      R"({"metadata":@,"spec":@,"status":@})",
      R"({"metadata":{"name":"n","labels":{"cloud.google.com/gke-nodepool":@}},)"
      R"("status":{"allocatable":{"google.com/tpu":@},"conditions":[{"type":@,"status":@}]}})",
      R"({"metadata":{"name":"n"},"spec":{"unschedulable":@,"taints":@},"status":{"conditions":@}})",
      R"({"metadata":{"name":"s","namespace":"ns","labels":{"ray.io/headless-worker-svc":@}}})",
      R"({"metadata":{"name":"c","namespace":"ns","uid":"u"},"spec":{"workerGroupSpecs":@}})",
      R"({"metadata":{"name":"c","namespace":"ns","uid":"u"},"spec":{"workerGroupSpecs":[{)"
      R"("groupName":@,"numOfHosts":@,"replicas":@,"minReplicas":@,"maxReplicas":@,"suspend":@}]}})",
      R"({"metadata":{"name":"w","namespace":"ns","uid":"u","ownerReferences":@},"spec":{)"
      R"("nodeName":@,"containers":@}})"};
  std::vector<std::string> all = {"7", "\"x\"", "[]", "null"};
  for (const std::string& text : templates)
    for (const std::string& value : values())
      for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
        std::string object = text.substr(0, at) + value + text.substr(at + 1);
        for (std::size_t other; (other = object.find('@')) != std::string::npos;)
          object.replace(other, 1, "\"1\"");
        all.push_back(std::move(object));
      }
  return all;
}

client::Response answered(unsigned status, std::string body = {}) {
  client::Response response;
  response.delivery = client::Delivery::answered;
  response.head.status = status;
  response.body = std::move(body);
  return response;
}

class HostileAnswers : public testing::TestWithParam<Kind> {
 protected:
  static Tick tick() { return {net::TimePoint(std::chrono::hours(1)), 0.5}; }
  static Pulse pulse() {
    return {.tick = tick, .moved = [](net::TimePoint) {}, .passed_over = [](std::size_t) {}};
  }
  template <class Reader>
  Step give(Reader& reader, const std::string& text) {
    const test::OwnMapping alone(text);
    reader.on_bytes(alone.text());
    return reader.finish(answered(200));
  }
  // The next try, whatever it is.
  static bool goes_on(const Step& step) { return !std::holds_alternative<ReadOn>(step.action); }

  store::Store store_{"tpu-webhook.dev/"};
  StoreSink sink_{store_, GetParam()};
  WatchFsm fsm_{client::Resource{.group = "", .version = "v1", .plural = "pods", .ns = ""}};
};

TEST_P(HostileAnswers, to_a_list_are_passed_over_or_tried_again) {
  std::vector<std::string> pages = values();
  for (const std::string& value : values()) {
    pages.push_back(R"({"metadata":)" + value + R"(,"items":[]})");
    pages.push_back(R"({"metadata":{"resourceVersion":)" + value + R"(,"continue":)" + value +
                    R"(},"items":[]})");
    pages.push_back(R"({"metadata":{"resourceVersion":"5"},"items":)" + value + "}");
  }
  for (const std::string& object : objects())
    pages.push_back(R"({"metadata":{"resourceVersion":"5"},"items":[)" + object + "]}");
  fsm_.start(tick());
  fsm_.watch_refused(client::read_status(422, "", {}), tick());
  for (const std::string& page : pages) {
    sink_.begin_relist();
    PageReader reader(fsm_, sink_, pulse());
    Step step = give(reader, page);
    EXPECT_TRUE(goes_on(step)) << page.substr(0, 200);
    // Back to where a page is asked for.
    if (fsm_.state() == WatchState::opening)
      fsm_.watch_refused(client::read_status(410, "", {}), tick());
    while (fsm_.state() == WatchState::waiting) step = fsm_.waited(tick());
    if (fsm_.state() == WatchState::opening)
      fsm_.watch_refused(client::read_status(410, "", {}), tick());
    while (fsm_.state() == WatchState::waiting) step = fsm_.waited(tick());
    ASSERT_EQ(fsm_.state(), WatchState::listing) << page.substr(0, 200);
  }
}

TEST_P(HostileAnswers, to_a_watch_are_passed_over_or_tried_again) {
  std::vector<std::string> lines = values();
  for (const std::string& value : values()) {
    lines.push_back(R"({"type":)" + value + R"(,"object":)" + value + "}");
    lines.push_back(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":)" + value +
                    R"(,"annotations":)" + value + "}}}");
    lines.push_back(R"({"type":"ERROR","object":)" + value + "}");
    lines.push_back(R"({"type":"ERROR","object":{"kind":"Status","code":)" + value +
                    R"(,"reason":)" + value + R"(,"details":)" + value + "}}");
  }
  for (const std::string& object : objects())
    for (const char* type : {"ADDED", "MODIFIED", "DELETED"})
      lines.push_back(R"({"type":")" + std::string(type) + R"(","object":)" + object + "}");
  for (const std::string& line : lines) {
    WatchFsm fsm{client::Resource{.group = "", .version = "v1", .plural = "pods", .ns = ""}};
    fsm.start(tick());
    EventReader reader(fsm, sink_, pulse());
    reader.on_head({.status = 200, .content_type = {}, .retry_after = {}});
    EXPECT_TRUE(goes_on(give(reader, line + "\n"))) << line.substr(0, 200);
  }
}

INSTANTIATE_TEST_SUITE_P(, HostileAnswers,
                         testing::Values(Kind::pod, Kind::node, Kind::service, Kind::ray_cluster));

TEST(HostileLedger, object_is_an_error_or_a_record_of_its_slices) {
  const store::GroupName group{"ns", "c", "u", "g"};
  const std::string text = cluster::ledger_object_text(
      group,
      {.hosts_per_slice = 4, .rebuilding = false, .entries = {{{0, 1}, "0-1-00000000000000aa"}}},
      "5");
  for (const char* member :
       {"metadata", "data", "format", "namespace", "ray-cluster", "ray-cluster-uid", "group",
        "hosts-per-slice", "state", "entries", "name", "resourceVersion"})
    for (const std::string& value : values()) {
      const std::string key = '"' + std::string(member) + "\":";
      const std::size_t at = text.find(key);
      ASSERT_NE(at, std::string::npos) << member;
      // In its place, and as a member of the object.
      const std::string object = text.substr(0, at) + key + value + ",\"x" + text.substr(at + 1);
      const std::string last = text.substr(0, text.size() - 1) + "," + key + value + "}";
      for (const std::string& each : {object, last}) {
        const auto found = cluster::parse_ledger_object(each);
        if (!found) continue;
        for (const auto& entry : found->record.entries)
          EXPECT_LT(entry.place.host, found->record.hosts_per_slice) << each;
      }
    }
}

TEST(HostileStatus, is_read_as_far_as_it_is_one) {
  for (const std::string& value : values()) {
    client::read_status(500, value, {});
    for (const char* member : {"kind", "code", "reason", "message", "details"})
      client::read_status(0, R"({"kind":"Status",")" + std::string(member) + "\":" + value + "}",
                          {});
    client::read_status(0,
                        R"({"kind":"Status","details":{"retryAfterSeconds":)" + value +
                            R"(,"causes":)" + value + "}}",
                        {});
    client::read_status(0, R"({"kind":"Status","details":{"causes":[)" + value + "]}}", {});
  }
}

}  // namespace
}  // namespace tpuwh::server::kube::watch
