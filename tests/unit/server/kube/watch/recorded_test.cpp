// What a real API server sent, cut in every place: the same calls of the sink each time. Each piece
// is in memory of its own that is gone after the call, as the client's buffer may be.
#include "server/kube/watch/watch_readers.hpp"

#include "tests/support/own_mapping.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::kube::watch {
namespace {

using Json = nlohmann::json;

std::string read_recorded(const std::string& name) {
  const std::string path = TPUWH_RECORDED "/" + name;
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string& recorded(const std::string& name) {
  static std::map<std::string, std::string> texts;
  const auto [entry, is_new] = texts.try_emplace(name);
  if (is_new) entry->second = read_recorded(name);
  return entry->second;
}

// Objects by name, without what items of a list lack.
using Contents = std::map<std::string, Json>;

std::pair<std::string, Json> entry(std::string_view text) {
  Json object = Json::parse(text);
  object.erase("kind");
  object.erase("apiVersion");
  return {object["metadata"]["name"], object};
}

Contents contents_of_list(const std::string& name) {
  Contents out;
  const Json list = Json::parse(recorded(name));
  for (const auto& item : list["items"]) out.insert(entry(item.dump()));
  return out;
}

// The first string behind `key`: in these objects, that of the metadata.
std::string value_of(std::string_view text, std::string_view key) {
  const auto begin = text.find(key) + key.size();
  return std::string(text.substr(begin, text.find('"', begin) - begin));
}
std::string name_of(std::string_view object) {
  return value_of(object, R"("name":")");
}

class Store final : public Sink {
 public:
  void begin_relist() override {
    calls_.emplace_back("begin");
    building_ = true;
    next_.clear();
  }
  void upsert(std::string_view object) override {
    const std::string name = name_of(object);
    calls_.push_back("upsert " + name + value_of(object, R"("resourceVersion":")"));
    (building_ ? next_ : now_)[name] = object;
  }
  void remove(std::string_view object) override {
    calls_.push_back("remove " + name_of(object));
    (building_ ? next_ : now_).erase(name_of(object));
  }
  void end_relist() override {
    calls_.emplace_back("end");
    building_ = false;
    now_ = next_;
  }
  void moved(net::TimePoint) override { calls_.emplace_back("moved"); }

  Contents contents() const {
    Contents out;
    for (const auto& [name, text] : now_) out.insert(entry(text));
    return out;
  }
  const std::map<std::string, std::string>& texts() const { return now_; }
  const std::vector<std::string>& calls() const { return calls_; }

 private:
  bool building_ = false;
  std::map<std::string, std::string> now_, next_;
  std::vector<std::string> calls_;
};

// How bytes arrive: calls `give` with pieces until it is enough.
using Cut =
    std::function<void(std::string_view text, const std::function<bool(std::string)>& give)>;

Cut whole() {
  return [](std::string_view text, const auto& give) { give(std::string(text)); };
}
Cut cut_at(std::size_t at) {
  return [at](std::string_view text, const auto& give) {
    const auto first = std::min(at, text.size());
    if (give(std::string(text.substr(0, first)))) give(std::string(text.substr(first)));
  };
}
Cut bytes() {
  return [](std::string_view text, const auto& give) {
    std::ranges::all_of(text, [&](char byte) { return give(std::string(1, byte)); });
  };
}

// One resource, its store, and an API server that plays recordings.
class Replay {
 public:
  explicit Replay(Cut cut) : cut_(std::move(cut)) { begun(fsm_.start(tick())); }

  void page(const std::string& name) {
    ASSERT_EQ(fsm_.state(), WatchState::listing);
    PageReader reader(fsm_, store, pulse());
    feed(reader, name);
    begun(reader.finish(answered(200)));
  }
  void watch(const std::string& name) {
    ASSERT_EQ(fsm_.state(), WatchState::opening);
    EventReader reader(fsm_, store, pulse());
    reader.on_head({.status = 200, .content_type = {}, .retry_after = {}});
    feed(reader, name);
    begun(reader.finish(answered(200)));
  }
  void refuse(unsigned status, const std::string& name) {
    client::Response response = answered(status);
    response.body = recorded(name);
    if (fsm_.state() == WatchState::listing) {
      begun(PageReader(fsm_, store, pulse()).finish(response));
    } else {
      begun(EventReader(fsm_, store, pulse()).finish(response));
    }
  }
  const WatchFsm& fsm() const { return fsm_; }

  Store store;

 private:
  static Tick tick() { return {net::TimePoint(std::chrono::hours(1)), 0.5}; }
  Pulse pulse() {
    return {.tick = tick,
            .moved = [this](net::TimePoint now) { store.moved(now); },
            .passed_over = [](std::size_t) { ADD_FAILURE() << "nothing recorded is too long"; }};
  }
  static client::Response answered(unsigned status) {
    client::Response response;
    response.delivery = client::Delivery::answered;
    response.head.status = status;
    return response;
  }
  void begun(Step step) {
    if (step.note == Note::begin_relist) store.begin_relist();
    if (std::holds_alternative<Wait>(step.action)) fsm_.waited(tick());
  }
  void feed(client::StreamReader& reader, const std::string& name) {
    const std::string& text = recorded(name);
    cut_(text, [&](const std::string& piece) {
      const test::OwnMapping alone(piece);
      return reader.on_bytes(alone.text());
    });
  }

  Cut cut_;
  WatchFsm fsm_{client::Resource{.group = "", .version = "v1", .plural = "configmaps", .ns = ""}};
};

Replay list_and_watch(const Cut& cut) {
  Replay replay(cut);
  replay.refuse(422, "watch-list-422.json");
  replay.page("page-1.json");
  replay.page("page-2.json");
  replay.page("page-3.json");
  replay.watch("watch.jsonl");
  return replay;
}

Replay watch_list(const Cut& cut) {
  Replay replay(cut);
  replay.watch("watch-list.jsonl");
  return replay;
}

// A continue token and a watch that are too old; in between what was known stays.
Replay expired(const Cut& cut) {
  Replay replay(cut);
  replay.refuse(422, "watch-list-422.json");
  replay.page("page-1.json");
  replay.refuse(410, "continue-410.json");
  replay.page("whole.json");
  replay.watch("watch-410.jsonl");
  return replay;
}

TEST(RecordedTest, list_and_watch_end_where_a_list_does) {
  const Replay replay = list_and_watch(whole());
  EXPECT_EQ(replay.store.contents(), contents_of_list("after.json"));
  EXPECT_EQ(replay.store.contents().size(), 5u);
  EXPECT_EQ(replay.fsm().relists(), 0u);
  const std::vector<std::string> last = {"moved", "remove b", "moved", "upsert a1009",
                                         "moved", "moved",    "moved"};
  const auto& calls = replay.store.calls();
  ASSERT_GE(calls.size(), last.size());
  EXPECT_TRUE(std::equal(last.rbegin(), last.rend(), calls.rbegin()));
  EXPECT_EQ(std::ranges::count(calls, "end"), 1);
}

TEST(RecordedTest, watch_list_ends_where_a_list_does) {
  const Replay replay = watch_list(whole());
  EXPECT_EQ(replay.store.contents(), contents_of_list("after.json"));
  const auto& calls = replay.store.calls();
  const auto end = std::ranges::find(calls, "end");
  EXPECT_EQ(std::ranges::count(calls.begin(), end, "moved"), 0) << "nothing is exposed before";
  EXPECT_EQ(end - calls.begin(), 6);  // begin, and five objects
}

TEST(RecordedTest, what_is_too_old_is_listed_anew) {
  const Replay replay = expired(whole());
  EXPECT_EQ(replay.store.contents(), contents_of_list("whole.json"));
  EXPECT_EQ(replay.fsm().relists(), 1u);
  EXPECT_EQ(replay.fsm().state(), WatchState::listing);
  EXPECT_EQ(replay.fsm().error(),
            "cannot watch configmaps: 410 Expired: too old resource version: 1 (1000)");
}

TEST(RecordedTest, a_custom_resources_metadata_stands_behind_its_items) {
  const std::string text = recorded("custom-resource.json");
  decode::ListDecoder decoder;
  decoder.feed(text);
  std::string_view item;
  ASSERT_EQ(decoder.next(item), decode::ListDecoder::Outcome::item);
  EXPECT_EQ(Json::parse(item)["kind"], "Thing");
  EXPECT_EQ(decoder.next(item), decode::ListDecoder::Outcome::end);
  EXPECT_EQ(decoder.continue_token(), "continue-3");
}

TEST(RecordedTest, an_empty_list_is_a_state) {
  Replay replay(whole());
  replay.refuse(422, "watch-list-422.json");
  replay.page("empty.json");
  EXPECT_TRUE(replay.fsm().synced());
  EXPECT_TRUE(replay.store.contents().empty());
}

class CutTest : public testing::TestWithParam<Replay (*)(const Cut&)> {
 protected:
  void expect_same(const Replay& got) {
    ASSERT_EQ(got.store.calls(), want_.store.calls());
    ASSERT_EQ(got.store.texts(), want_.store.texts());
    ASSERT_EQ(got.fsm().version(), want_.fsm().version());
    ASSERT_EQ(got.fsm().error(), want_.fsm().error());
  }
  const Replay want_ = GetParam()(whole());
};

TEST_P(CutTest, in_two_at_every_byte) {
  const std::size_t longest = recorded("watch-list.jsonl").size();
  for (std::size_t at = 0; at <= longest; ++at) {
    SCOPED_TRACE(at);
    expect_same(GetParam()(cut_at(at)));
  }
}

TEST_P(CutTest, byte_by_byte) {
  expect_same(GetParam()(bytes()));
}

INSTANTIATE_TEST_SUITE_P(, CutTest, testing::Values(list_and_watch, watch_list, expired));

}  // namespace
}  // namespace tpuwh::server::kube::watch
