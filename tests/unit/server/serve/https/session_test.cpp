// A session on one end of a pair of sockets, and what the sweep makes of its waits: the clock of
// the limits is an argument.
#include "server/serve/https/session.hpp"

#include "server/limits/limits.hpp"
#include "tests/support/heap_bytes.hpp"
#include "tests/support/issued.hpp"
#include "tests/support/named_case.hpp"
#include "tests/unit/server/serve/https/with_handlers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::https {
namespace {

using test::case_name;
using test::PrintTo;
using namespace std::chrono_literals;

const std::string ask_livez = "GET /livez HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string ask_nothing = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

// Returns a review of a Ray worker whose index labels from KubeRay say its place. The server does
// not ask the ledger for a place, but tells the ledger this one.
std::string placed_worker_review() {
  std::string review = worker_review();
  review.replace(review.find(R"("labels":{)"), 10,
                 R"("labels":{"ray.io/worker-group-replica-index":"0",)"
                 R"("replicaIndex":"w-0","ray.io/replica-host-index":"1",)");
  return review;
}

// Returns a review of a Ray worker whose chips are in a claim, which must be read first.
std::string claiming_review() {
  std::string review = worker_review();
  const std::string limits = R"("limits":{"google.com/tpu":"4"})", spec = R"("spec":{)";
  review.replace(review.find(limits), limits.size(), R"("claims":[{"name":"c"}])");
  review.insert(review.find(spec) + spec.size(),
                R"("resourceClaims":[{"name":"c","resourceClaimTemplateName":"four"}],)");
  return review;
}

std::string of_size(std::string review, std::size_t size) {
  return review + std::string(size - review.size(), ' ');
}

std::string posted_head(const std::string& more, const std::string& target = "/mutate") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n{}\r\n",
                     target, more);
}

std::string posted(const std::string& body, const std::string& more = "") {
  return posted_head(fmt::format("Content-Length: {}\r\n{}", body.size(), more)) + body;
}

// Keeps its connection.
const std::string ask_again = posted(service_review());

std::string blank_chunk(std::size_t size) {
  return fmt::format("{:x}\r\n{}\r\n", size, std::string(size, ' '));
}

// The base of fakes that answer only when a test calls answer(), unless at_once is true.
class Slow {
 public:
  explicit Slow(net::Executor executor) : answered_(executor, net::TimePoint::max()) {}
  void answer() { answered_.cancel(); }

  bool at_once = true;
  std::vector<std::string> asked;

 protected:
  net::Task<void> wait() {
    if (!at_once) co_await answered_.async_wait(net::as_result);
  }

 private:
  net::Timer answered_;
};

class SlowPlaces final : public kube::places::Places, public Slow {
 public:
  using Slow::Slow;

  net::Task<webhook::ledger::PlaceAnswer> place(kube::places::OwnedPlaceRequest request) override {
    asked.push_back(request.group);
    if (broken) throw std::runtime_error("no ledger");
    co_await wait();
    co_return webhook::ledger::given_place({0, 1}, "0-1-0123456789abcdef");
  }
  void note(const webhook::ledger::PlaceRequest& request, topology::Place) override {
    noted.emplace_back(request.group);
  }

  bool broken = false;
  std::vector<std::string> noted;
};

// Answers that each claim has four chips.
class SlowClaims final : public kube::places::Claims, public Slow {
 public:
  using Slow::Slow;

  net::Task<kube::places::ReadClaims> read(std::vector<kube::places::OwnedClaim> claims,
                                           bool patient, std::string /*owner*/) override {
    asked.push_back(patient ? "patiently" : "at once");
    for (const kube::places::OwnedClaim& each : claims) asked.push_back(each.name);
    co_await wait();
    kube::places::ReadClaims out;
    for (kube::places::OwnedClaim& each : claims)
      out[std::move(each)] = {.known = webhook::read::Claimed::Known::chips, .chips = 4};
    co_return out;
  }
};

class SessionTest : public WithHandlers {
 protected:
  explicit SessionTest(std::size_t held_bytes = limits::held_bytes,
                       log::LogLevel level = log::LogLevel::error)
      : WithHandlers(level), load_(8, 8, held_bytes) {}
  ~SessionTest() override {
    for (const int peer : peers_) ::close(peer);
    turn();
  }

  // A connection; the peer's end of it.
  int connect(int send_buffer = 0) {
    return connect_to([&](net::Socket socket) { return serve_plain(std::move(socket), service_); },
                      "", send_buffer);
  }
  // One that has spoken before it is let in.
  int connect_with(const std::string& bytes) {
    return connect_to([&](net::Socket socket) { return serve_plain(std::move(socket), service_); },
                      bytes);
  }
  template <class Serve>
  int connect_to(Serve&& serve, const std::string& bytes = "", int send_buffer = 0) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    if (send_buffer > 0)
      ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    send(ends[1], bytes);
    net::Socket socket(context_.get_executor(), boost::asio::ip::tcp::v4(), ends[0]);
    boost::asio::co_spawn(context_, serve(std::move(socket)), boost::asio::detached);
    turn();
    return peers_.emplace_back(ends[1]);
  }
  // Until nothing is ready.
  void turn() {
    do context_.restart();
    while (context_.poll() > 0);
  }
  void send(int peer, const std::string& bytes) {
    EXPECT_EQ(::send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT),
              static_cast<ssize_t>(bytes.size()));
  }
  void say(int peer, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 32u << 10) {
      send(peer, bytes.substr(at, 32u << 10));
      turn();
    }
  }
  // What has come.
  std::string hear(int peer) {
    std::string heard(64u << 10, '\0');
    const ssize_t size = ::recv(peer, heard.data(), heard.size(), MSG_DONTWAIT);
    heard.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return heard;
  }
  std::string ask(int peer, const std::string& bytes) {
    say(peer, bytes);
    return hear(peer);
  }
  static unsigned status_of(const std::string& answer) {
    return answer.size() < 12 ? 0 : static_cast<unsigned>(std::stoul(answer.substr(9, 3)));
  }
  // Behind all that came.
  bool is_closed(int peer) {
    turn();
    std::array<char, 4096> scrap;
    ssize_t size = 1;
    while (size > 0) size = ::recv(peer, scrap.data(), scrap.size(), MSG_DONTWAIT);
    return size == 0;
  }
  void sweep_after(limits::Duration time) {
    connections_.sweep(net::Clock::now() + time);
    turn();
  }
  void run_for(limits::Duration time) {
    context_.restart();
    context_.run_for(time);
  }
  void answer(Slow& waited_for) {
    sweep_after(limits::between_answers - 1s);
    waited_for.answer();
    turn();
  }
  static void expect_busy(const std::string& answer) {
    EXPECT_EQ(status_of(answer), 503u);
    EXPECT_NE(answer.find("Retry-After: 1\r\n"), std::string::npos) << answer;
    EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos) << answer;
  }
  // Expects that other large reviews are answered while a large `review` waits for the cluster.
  void expect_no_place_taken(const std::string& review, Slow& waited_for) {
    const auto ask_large = [&](int peer, const std::string& body) {
      return ask(peer, posted(of_size(body, limits::large_review_bytes + 1)));
    };
    waited_for.at_once = false;
    const int peer = connect(), other = connect();
    EXPECT_EQ(ask_large(peer, review), "");
    EXPECT_EQ(status_of(ask_large(other, service_review())), 200u);
    waited_for.answer();
    turn();
    EXPECT_EQ(status_of(hear(peer)), 200u);
    EXPECT_EQ(status_of(ask_large(other, service_review())), 200u);
  }
  // Sends `part`, which has 1,000 bytes, `parts` times. Returns each size that the held memory has
  // had, and expects that the memory is always large enough for the parts that were sent.
  std::vector<std::size_t> steps_of(int peer, int parts, const std::string& part) {
    std::vector<std::size_t> steps;
    for (int i = 1; i <= parts; ++i) {
      say(peer, part);
      if (steps.empty() || steps.back() != held()) steps.push_back(held());
      EXPECT_GE(held(), i * std::size_t{1000} + webhook::read::padding);
    }
    return steps;
  }
  // The sweep in the middle of a wait, and a little behind its end.
  void expect_ended_after(limits::Duration limit, std::size_t connections = 1) {
    ASSERT_EQ(load_.connections.used(), connections);
    const net::TimePoint now = net::Clock::now();
    connections_.sweep(now + limit / 2);
    turn();
    EXPECT_EQ(load_.connections.used(), connections) << "before " << limit.count() << " ms";
    connections_.sweep(now + limit + 100ms);
    turn();
    EXPECT_EQ(load_.connections.used(), 0u) << "after " << limit.count() << " ms";
  }
  void take_turn(LargeReview& other) {
    boost::asio::co_spawn(context_,
                          other.take(context_.get_executor(), LargeReviews::Pass::first, 10s),
                          boost::asio::detached);
    turn();
  }
  std::size_t held() const { return load_.held_bytes.used(); }

  Load load_;
  Connections connections_{load_};
  boost::asio::io_context context_{1};  // its sessions end before what they are counted in
  SlowPlaces places_{context_.get_executor()};
  SlowClaims claims_{context_.get_executor()};
  Service service_{.port = Port::webhook,
                   .connections = connections_,
                   .handlers = handlers_,
                   .places = places_,
                   .claims = claims_,
                   .health = health_,
                   .log = log_,
                   .metrics = metrics_};
  std::vector<int> peers_;
};

// --- waits: each has its own limit

TEST_F(SessionTest, the_first_request_has_the_time_of_a_header) {
  connect();
  EXPECT_EQ(load_.handshakes.used(), 0u);
  expect_ended_after(limits::header);
}

TEST_F(SessionTest, a_request_that_lies_unread_is_not_late) {
  const int peer = connect();
  send(peer, ask_livez);
  sweep_after(limits::header + 100ms);
  EXPECT_EQ(status_of(hear(peer)), 200u);
}

TEST_F(SessionTest, the_next_request_may_take_longer) {
  const int peer = connect();
  EXPECT_EQ(status_of(ask(peer, ask_again)), 200u);
  expect_ended_after(limits::idle);
}

TEST_F(SessionTest, a_header_that_has_begun_has_its_time) {
  const int peer = connect();
  ask(peer, ask_again);
  say(peer, ask_livez.substr(0, 1));
  expect_ended_after(limits::header);
}

TEST_F(SessionTest, a_header_that_has_begun_behind_an_answer_has_its_time) {
  const int peer = connect();
  EXPECT_EQ(status_of(ask(peer, ask_again + ask_again.substr(0, 1))), 200u);
  expect_ended_after(limits::header);
}

TEST_F(SessionTest, a_body_that_stops_has_its_grace) {
  const int peer = connect();
  say(peer, posted(service_review()).substr(0, 200));
  expect_ended_after(limits::body_grace);
}

TEST_F(SessionTest, a_body_that_is_slow_uses_its_grace_up) {
  const int peer = connect();
  say(peer, posted_head("Content-Length: 9\r\n") + "1");
  ::usleep(60'000);
  say(peer, "2");
  sweep_after(limits::body_grace - 30ms);
  EXPECT_EQ(load_.connections.used(), 0u);
}

TEST_F(SessionTest, a_body_has_the_time_that_its_caller_names) {
  const int peer = connect();
  say(peer, posted_head("Content-Length: 9\r\n", "/mutate?timeout=500ms"));
  expect_ended_after(500ms);
}

TEST_F(SessionTest, a_body_that_comes_when_its_caller_has_gone_is_refused) {
  const int peer = connect();
  say(peer, posted_head("Content-Length: 9\r\n", "/mutate?timeout=1ms"));
  ::usleep(2'000);
  const std::string answer = ask(peer, "12345678");
  EXPECT_EQ(status_of(answer), 408u) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
}

TEST_F(SessionTest, the_peer_has_its_time_to_close_behind_the_last_answer) {
  const int peer = connect();
  const std::string answer =
      ask(peer, "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
  EXPECT_TRUE(is_closed(peer)) << "no more will come";
  EXPECT_EQ(load_.connections.used(), 1u) << "and it is listened to";
  say(peer, std::string(10'000, 'x'));
  expect_ended_after(limits::linger);
}

TEST_F(SessionTest, a_peer_that_leaves_is_forgotten) {
  const int peer = connect();
  ask(peer, ask_livez);
  ASSERT_EQ(load_.connections.used(), 1u);
  ::shutdown(peer, SHUT_RDWR);
  turn();
  EXPECT_EQ(load_.connections.used(), 0u);
}

TEST_F(SessionTest, a_peer_that_leaves_within_a_request_is_forgotten) {
  for (const std::string& part :
       {ask_livez.substr(0, 5), posted(service_review()).substr(0, 200)}) {
    const int peer = connect();
    say(peer, part);
    ASSERT_EQ(load_.connections.used(), 1u);
    ::shutdown(peer, SHUT_WR);
    turn();
    EXPECT_EQ(load_.connections.used(), 0u) << part;
    EXPECT_EQ(hear(peer), "") << part;
  }
}

// --- answers

struct AnswerCase {
  const char* name;
  std::string request;
  unsigned want_status;
  bool want_close;
  bool is_refusal = want_status != 200;  // counted by its status
};

const AnswerCase answer_cases[] = {
    {"good", ask_livez, 200, true},
    {"http_1_0", "GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, true},
    {"close", "GET /livez HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", 200, true},
    {"unknown_path", ask_nothing, 404, true},
    {"unknown_path_with_a_body", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", 404,
     true},
    {"no_length", posted_head(""), 411, true},
    {"no_host", "GET /livez HTTP/1.1\r\n\r\n", 400, true},
    {"no_request", "x\r\n\r\n", 400, true},
    {"long_header",
     "GET /livez HTTP/1.1\r\nHost: h\r\nX: " + std::string(limits::header_bytes, 'x') + "\r\n\r\n",
     431, true},
    {"long_body", posted_head(fmt::format("Content-Length: {}\r\n", limits::body_bytes + 1)), 413,
     true},
    {"bad_chunk", posted_head("Transfer-Encoding: chunked\r\n") + "xyz\r\n", 400, true},
    {"bad_chunk_later",
     posted_head("Transfer-Encoding: chunked\r\n") + blank_chunk(5000) + "xyz\r\n", 400, true},
    {"long_size_line",
     posted_head("Transfer-Encoding: chunked\r\n") + "1;a=" + std::string(20'000, 'x'), 400, true},
    {"no_review", posted("{}"), 400, true, false},  // an answer, counted as a review
    {"review", posted(service_review()), 200, false},
    {"whole_body_expected", posted(service_review(), "Expect: 100-continue\r\n"), 200, false},
};

class Answers : public SessionTest, public testing::WithParamInterface<AnswerCase> {};

TEST_P(Answers, say_whether_they_are_the_last) {
  const AnswerCase& the = GetParam();
  const int peer = connect();
  const std::string answer = ask(peer, the.request);
  EXPECT_EQ(status_of(answer), the.want_status) << answer;
  EXPECT_EQ(answer.find("Connection: close") != std::string::npos, the.want_close) << answer;
  EXPECT_EQ(answer.find("Retry-After"), std::string::npos) << answer;
  EXPECT_EQ(is_closed(peer), the.want_close);
  if (!the.want_close) {
    EXPECT_EQ(status_of(ask(peer, posted(service_review()))), 200u);
  }
  EXPECT_EQ(service_.answered, the.want_close ? 0u : 2u);
  const std::string counted =
      fmt::format("requests_refused_total{{status=\"{}\"}} 1", the.want_status);
  EXPECT_EQ(metrics_.text().find(counted) != std::string::npos, the.is_refusal);
  EXPECT_EQ(held(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Session, Answers, testing::ValuesIn(answer_cases), case_name);

TEST_F(SessionTest, a_draining_server_says_close) {
  const int peer = connect();
  health_.set_draining();
  EXPECT_NE(ask(peer, ask_livez).find("Connection: close"), std::string::npos);
}

TEST_F(SessionTest, a_body_that_is_expected_is_asked_for) {
  const int peer = connect();
  const std::string body = service_review();
  const std::string request = posted(body, "Expect: 100-continue\r\n");
  EXPECT_EQ(ask(peer, request.substr(0, request.size() - body.size())),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(status_of(ask(peer, body)), 200u);
  EXPECT_EQ(
      ask(peer, "GET /livez HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n").substr(9, 3),
      "200")
      << "there is no body to ask for";
}

TEST_F(SessionTest, a_head_has_no_body) {
  const std::string answer = ask(connect(), "HEAD /livez HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST_F(SessionTest, requests_that_come_together_are_answered_one_a_turn) {
  const int peer = connect();
  send(peer, ask_again + ask_again + ask_again);
  std::vector<std::size_t> seen;
  // Behind each answer others run.
  std::function<void()> look = [&] {
    seen.push_back(service_.answered);
    if (seen.size() < 20) boost::asio::post(context_, look);
  };
  boost::asio::post(context_, look);
  turn();
  EXPECT_EQ(service_.answered, 3u);
  for (const std::size_t count : {1u, 2u})
    EXPECT_NE(std::ranges::find(seen, count), seen.end()) << count;
}

// --- memory

TEST_F(SessionTest, who_waits_holds_no_buffer) {
  const int peer = connect();
  EXPECT_EQ(service_.read_buffer.capacity(), limits::read_buffer_bytes) << "nothing has come";
  say(peer, ask_livez.substr(0, 5));
  EXPECT_EQ(service_.read_buffer.capacity(), 0u) << "it has something unread";
  for (const std::string& request : {ask_livez.substr(5), ask_nothing}) {
    say(peer, request);
    EXPECT_EQ(service_.read_buffer.capacity(), limits::read_buffer_bytes) << request;
  }
}

// A review that does not fit into the read buffer together with its header.
const std::string apart = of_size(service_review(), limits::read_buffer_bytes);

TEST_F(SessionTest, holds_memory_for_a_body_that_is_not_whole_in_the_buffer) {
  const int peer = connect();
  say(peer, posted(apart).substr(0, 16'000));
  EXPECT_EQ(held(), apart.size() + webhook::read::padding);
  EXPECT_EQ(status_of(ask(peer, posted(apart).substr(16'000))), 200u);
  EXPECT_EQ(held(), 0u);
}

TEST_F(SessionTest, a_body_of_another_leaves_its_own_alone) {
  const int peer = connect(), other = connect();
  const std::string request = posted(of_size(service_review(), 20'000));
  say(peer, request.substr(0, 10'000));
  EXPECT_EQ(status_of(ask(other, request)), 200u);
  EXPECT_EQ(status_of(ask(peer, request.substr(10'000))), 200u);
}

TEST_F(SessionTest, who_waits_holds_no_long_target) {
  const int peer = connect();
  std::string ask_long = ask_again;
  ask_long.insert(ask_long.find("/mutate") + 7, "?" + std::string(limits::header_bytes / 2, 'x'));
  ask(connect(), ask_long);
  ask(peer, ask_again);
  const std::size_t before = test::heap_bytes();
  EXPECT_EQ(status_of(ask(peer, ask_long)), 200u);
  EXPECT_LT(test::heap_bytes(), before + limits::header_bytes / 4);
}

// What a body that has not come whole has of the memory for bodies.
struct HeldCase {
  const char* name;
  std::string begin;
  std::size_t want;
};

constexpr std::size_t padding_bytes = webhook::read::padding;
constexpr std::size_t kept_bytes = limits::whole_body_bytes, usual_bytes = limits::usual_body_bytes,
                      first_bytes = limits::first_body_bytes;

HeldCase of_length(const char* name, std::size_t length, std::size_t sent, std::size_t want) {
  return {name, posted_head(fmt::format("Content-Length: {}\r\n", length)) + std::string(sent, ' '),
          want};
}
const HeldCase held_cases[] = {
    of_length("whole_of_a_short_one", 1000, 1, 1000 + padding_bytes),
    of_length("whole_of_a_usual_one", 20'000, 1, 20'000 + padding_bytes),
    of_length("whole_of_the_largest_usual_one", kept_bytes, 1, kept_bytes + padding_bytes),
    of_length("little_of_a_larger_one", kept_bytes + 1, 1, first_bytes),
    of_length("little_of_a_large_one", 1u << 20, 1, first_bytes),
    of_length("nothing_of_one_that_has_not_begun", 1u << 20, 0, first_bytes),
    of_length("all_that_is_held_of_a_large_one", 1u << 20, first_bytes - padding_bytes,
              first_bytes),
};

class HeldBytes : public SessionTest, public testing::WithParamInterface<HeldCase> {};

TEST_P(HeldBytes, are_counted) {
  const int peer = connect();
  say(peer, GetParam().begin);
  EXPECT_EQ(held(), GetParam().want);
  ::shutdown(peer, SHUT_WR);
  turn();
  EXPECT_EQ(held(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Session, HeldBytes, testing::ValuesIn(held_cases), case_name);

// Twice as much again and again, and never more than the whole.
TEST_F(SessionTest, the_memory_of_a_large_body_doubles) {
  const int peer = connect();
  const std::size_t whole = 200'000;
  say(peer, posted_head(fmt::format("Content-Length: {}\r\n", whole)));
  EXPECT_EQ(
      steps_of(peer, 199, std::string(1000, ' ')),
      (std::vector<std::size_t>{first_bytes, 2 * first_bytes, 4 * first_bytes, 8 * first_bytes,
                                16 * first_bytes, 32 * first_bytes, whole + padding_bytes}));
}

TEST_F(SessionTest, the_memory_of_a_chunked_body_doubles) {
  const int peer = connect();
  say(peer, posted_head("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(steps_of(peer, 40, blank_chunk(1000)),
            (std::vector<std::size_t>{first_bytes, 2 * first_bytes, 4 * first_bytes,
                                      8 * first_bytes, 16 * first_bytes}));
  say(peer, "0\r\n\r\n");
  EXPECT_EQ(status_of(hear(peer)), 400u) << "blanks are no review";
  EXPECT_EQ(held(), 0u);
}

// Less memory than large bodies leave to usual ones, and a little.
class LittleMemory : public SessionTest {
 protected:
  static constexpr std::size_t beyond = 50'000;
  LittleMemory() : SessionTest(limits::usual_bodies_bytes + beyond) {}
};

TEST_F(LittleMemory, is_left_to_usual_bodies) {
  const int peer = connect();
  say(peer, posted_head("Content-Length: 1000000\r\n"));
  EXPECT_EQ(held(), first_bytes);
  for (int i = 0; i < 40; ++i) say(peer, std::string(1000, ' '));
  EXPECT_EQ(held(), 8 * first_bytes) << "the next step would take theirs";
  const int usual = connect();
  EXPECT_EQ(status_of(ask(usual, posted(of_size(service_review(), usual_bytes)))), 200u);
}

TEST_F(LittleMemory, is_enough_to_the_last_byte_for_a_usual_body) {
  Share rest(load_.held_bytes);
  rest.force(load_.held_bytes.cap() - usual_bytes - padding_bytes);
  EXPECT_EQ(status_of(ask(connect(), posted(of_size(service_review(), usual_bytes)))), 200u);
}

TEST_F(LittleMemory, is_not_asked_for_where_a_body_has_enough) {
  const int peer = connect();
  const std::string request = posted(of_size(service_review(), usual_bytes + 1000));
  say(peer, request.substr(0, request.size() - 10));
  ASSERT_EQ(held(), usual_bytes + 1000 + padding_bytes);
  Share rest(load_.held_bytes);
  rest.force(load_.held_bytes.cap() - held());
  EXPECT_EQ(status_of(ask(peer, request.substr(request.size() - 10))), 200u);
}

TEST_F(LittleMemory, is_not_asked_for_by_what_comes_and_goes_out_whole) {
  Share rest(load_.held_bytes);
  rest.force(load_.held_bytes.cap());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(status_of(ask(connect(), ask_livez)), 200u);
    EXPECT_EQ(status_of(ask(connect(), ask_nothing)), 404u);
    EXPECT_EQ(status_of(ask(connect(), posted(service_review()))), 200u);
  }
}

// A review for which the ledger is asked needs memory of its own, even if the read buffer holds the
// whole review.
TEST_F(LittleMemory, is_waited_for) {
  for (const std::string& review : {apart, worker_review()}) {
    const int peer = connect();
    Share rest(load_.held_bytes);
    rest.force(load_.held_bytes.cap());
    say(peer, posted(review));
    EXPECT_EQ(hear(peer), "");
    connections_.sweep(net::Clock::now() + limits::idle);
    rest.reset();
    run_for(limits::memory_poll * 5);
    EXPECT_EQ(status_of(hear(peer)), 200u);
  }
  EXPECT_EQ(places_.asked, std::vector<std::string>{"w"});
}

// Within the time that it is waited for; on a machine that stands still meanwhile, at the next try.
TEST_F(LittleMemory, comes_from_those_who_keep_us_waiting) {
  unsigned status = 0;
  for (int tries = 0; tries < 5 && status != 200; ++tries) {
    const int slow = connect();
    say(slow, posted_head("Content-Length: 30000\r\n") + std::string(1000, ' '));
    Share rest(load_.held_bytes);
    rest.force(load_.held_bytes.cap() - held());
    const int peer = connect();
    say(peer, posted(worker_review()));
    run_for(limits::patience_when_full + 200ms);
    status = status_of(hear(peer));
    EXPECT_TRUE(is_closed(slow) || status != 200);
    ::shutdown(slow, SHUT_RDWR);
    ::shutdown(peer, SHUT_RDWR);
    run_for(limits::memory_poll * 2);
  }
  EXPECT_EQ(status, 200u);
}

TEST_F(LittleMemory, is_waited_for_no_longer_than_its_limit) {
  const int peer = connect();
  Share rest(load_.held_bytes);
  rest.force(load_.held_bytes.cap());
  say(peer, posted(apart));
  run_for(limits::memory_wait / 2);
  EXPECT_EQ(hear(peer), "");
  run_for(limits::memory_wait);
  expect_busy(hear(peer));
}

// --- answers that are not read

// A socket that takes less than an answer at once.
class SlowReader : public SessionTest {
 protected:
  int connect() { return SessionTest::connect(1); }
  // Asks until an answer does not go out whole; how many were asked for.
  int fill(int peer, const std::string& request = ask_again) {
    int asked = 0;
    while (held() == 0 && asked < 1000) {
      say(peer, request);
      ++asked;
    }
    return asked;
  }
  // One whose socket holds as many answers as it can.
  int connect_full() {
    const int fit = fill(connect()) - 1;
    ::shutdown(peers_.back(), SHUT_RDWR);
    const int peer = connect();
    for (int i = 0; i < fit; ++i) say(peer, ask_again);
    EXPECT_EQ(held(), 0u);
    return peer;
  }
  std::string hear_all(int peer) {
    std::string all;
    for (std::string part; !(part = hear(peer)).empty(); turn()) all += part;
    return all;
  }
};

TEST_F(SlowReader, has_its_time_and_holds_what_is_left) {
  const int peer = connect();
  fill(peer);
  EXPECT_GT(held(), 0u);
  EXPECT_LT(held(), 1000u);
  expect_ended_after(limits::write);
  EXPECT_EQ(held(), 0u);
}

TEST_F(SlowReader, gets_every_byte_and_goes_on) {
  const int peer = connect();
  for (int round = 0; round < 2; ++round) {
    const int asked = fill(peer);
    const std::string all = hear_all(peer), body = "\"uid\":\"u1\"";
    std::size_t bodies = 0;
    for (auto at = all.find(body); at != std::string::npos; at = all.find(body, at + 1)) ++bodies;
    EXPECT_EQ(bodies, static_cast<std::size_t>(asked));
    EXPECT_EQ(held(), 0u);
  }
  EXPECT_EQ(status_of(ask(peer, ask_again)), 200u);
  expect_ended_after(limits::idle);
}

// "100 Continue" into a socket that holds as many answers as it can. What the peer has sent
// meanwhile is no reason to wait for it longer.
TEST_F(SlowReader, is_not_told_to_go_on_for_ever) {
  const int peer = connect_full();
  say(peer, posted_head("Content-Length: 2\r\nExpect: 100-continue\r\n"));
  say(peer, "{}");
  expect_ended_after(limits::write);
}

TEST_F(SlowReader, that_was_told_to_go_on_waits_for_us) {
  places_.at_once = false;
  const int peer = connect_full();
  const std::string body = worker_review();
  say(peer,
      posted_head(fmt::format("Content-Length: {}\r\nExpect: 100-continue\r\n", body.size())));
  say(peer, body);
  EXPECT_NE(hear_all(peer).find("100 Continue"), std::string::npos);
  EXPECT_EQ(places_.asked, std::vector<std::string>{"w"});
  answer(places_);
  EXPECT_EQ(status_of(hear(peer)), 200u);
}

// --- reviews that wait for the cluster

// So large that five hold a namespace's share.
constexpr std::size_t fifth_of_a_share = limits::waiting_bytes / 2 / 5 - 100;

std::string in_namespace(const std::string& ns, std::string review) {
  return review.replace(review.find(R"("namespace":"ns")"), 16, R"("namespace":")" + ns + '"');
}

TEST_F(SessionTest, reviews_that_wait_for_the_ledger_leave_memory_to_other_namespaces) {
  places_.at_once = false;
  const std::string review = posted(of_size(worker_review(), fifth_of_a_share));
  std::vector<int> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(connect());
    EXPECT_EQ(ask(waiting.back(), review), "");
  }
  EXPECT_EQ(status_of(ask(connect(), review)), 503u) << "the sixth is answered at once";
  waiting.push_back(connect());
  EXPECT_EQ(
      ask(waiting.back(), posted(of_size(in_namespace("ms", worker_review()), fifth_of_a_share))),
      "");
  places_.answer();
  turn();
  for (const int each : waiting) EXPECT_EQ(status_of(hear(each)), 200u);
  places_.at_once = true;
  EXPECT_EQ(status_of(ask(connect(), review)), 200u) << "their memory was given back";
}

// --- reviews that are too large to be read

struct ExcessCase {
  const char* name;
  std::string request;
  unsigned want_status;
  const char* want;
};

std::string of_excess(const std::string& start, const std::string& path, std::size_t size) {
  return posted_head(fmt::format("Content-Length: {}\r\n", size), path) + start +
         std::string(size - start.size(), 'x');
}
std::string in_chunks(const std::string& request) {
  const std::size_t body = request.find("\r\n\r\n") + 4;
  std::string all = posted_head("Transfer-Encoding: chunked\r\n", "/validate");
  for (std::size_t at = body; at < request.size(); at += 100'000) {
    const std::string part = request.substr(at, 100'000);
    all += fmt::format("{:x}\r\n", part.size()) + part + "\r\n";
  }
  return all + "0\r\n\r\n";
}
const std::string large_start =
    R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
    R"("kind":{"group":"batch","version":"v1","kind":"Job"},"operation":"CREATE",)"
    R"("userInfo":{"extra":{"a":["\",\"object\":"]},"object":{}},"object":{"metadata":{"name":")";
const std::size_t beyond_body = limits::body_bytes + 1;
const ExcessCase excess_cases[] = {
    {"validate", of_excess(large_start, "/validate", beyond_body), 200, "was not checked"},
    {"in_chunks", in_chunks(of_excess(large_start, "/validate", 2 * beyond_body)), 200,
     R"("uid":"u1")"},
    {"shadow", of_excess(large_start, "/shadow/validate", beyond_body), 200, R"("allowed":true)"},
    {"without_a_uid", of_excess("{", "/validate", beyond_body), 413, "uid"},
    {"larger_than_any", of_excess(large_start, "/validate", limits::discarded_bytes + 1), 413,
     "larger than"},
    {"of_a_pod", of_excess(large_start, "/mutate", beyond_body), 413, "larger than"},
};

class Excess : public SessionTest, public testing::WithParamInterface<ExcessCase> {};

TEST_P(Excess, is_allowed_where_objects_are_checked) {
  const ExcessCase& the = GetParam();
  const int peer = connect();
  std::string answer;
  for (std::size_t at = 0; at < the.request.size() && answer.empty(); at += 50'000) {
    say(peer, the.request.substr(at, 50'000));
    answer += hear(peer);
    EXPECT_LE(held(), limits::body_bytes + padding_bytes);
  }
  EXPECT_EQ(status_of(answer), the.want_status) << answer;
  EXPECT_NE(answer.find(the.want), std::string::npos) << answer;
  EXPECT_EQ(held(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Session, Excess, testing::ValuesIn(excess_cases), case_name);

// --- large reviews: one at a time

TEST_F(SessionTest, a_large_review_waits_for_its_turn) {
  LargeReview other(load_.large_reviews);
  take_turn(other);
  const int usual = connect(), large = connect();
  EXPECT_EQ(status_of(ask(usual, posted(of_size(service_review(), limits::large_review_bytes)))),
            200u);
  EXPECT_EQ(status_of(ask(usual, posted(worker_review()))), 200u) << "nor does one in two passes";
  EXPECT_EQ(ask(large, posted(of_size(service_review(), limits::large_review_bytes + 1))), "");
  other.give_back();
  turn();
  EXPECT_EQ(status_of(hear(large)), 200u);
  EXPECT_EQ(
      status_of(ask(usual, posted(of_size(service_review(), 2 * limits::large_review_bytes)))),
      200u)
      << "the place was given back";
}

TEST_F(SessionTest, a_large_review_waits_no_longer_than_its_caller) {
  LargeReview other(load_.large_reviews);
  take_turn(other);
  const int peer = connect();
  const std::string body = of_size(service_review(), limits::large_review_bytes + 1);
  say(peer,
      posted_head(fmt::format("Content-Length: {}\r\n", body.size()), "/mutate?timeout=1s") + body);
  run_for(1200ms);
  expect_busy(hear(peer));
}

// What it was read into, an index of four bytes for each of its own.
TEST_F(SessionTest, a_large_review_leaves_no_memory_behind) {
  const int peer = connect();
  ask(peer, posted(service_review()));
  const std::size_t before = test::heap_bytes();
  std::string review = service_review(), ones;
  for (int i = 0; i < 100'000; ++i) ones += "1,";
  review.insert(review.rfind('}'), ",\"x\":[" + ones + "1]");
  ask(peer, posted(of_size(review, 1u << 20)));
  EXPECT_LT(test::heap_bytes(), before + (256u << 10));
}

// --- the ledger

TEST_F(SessionTest, asks_the_ledger_and_answers_with_its_word) {
  places_.at_once = false;
  const int peer = connect(), other = connect();
  EXPECT_EQ(ask(peer, posted(worker_review())), "");
  EXPECT_EQ(places_.asked, std::vector<std::string>{"w"});
  EXPECT_EQ(claims_.asked, std::vector<std::string>{});
  EXPECT_EQ(service_.read_buffer.capacity(), limits::read_buffer_bytes) << "it needs none";
  EXPECT_EQ(status_of(ask(other, ask_livez)), 200u) << "others are served meanwhile";
  answer(places_);
  const std::string answer = hear(peer);
  EXPECT_EQ(status_of(answer), 200u);
  EXPECT_NE(answer.find("\"patch\":"), std::string::npos) << answer;
  EXPECT_EQ(places_.noted, std::vector<std::string>{});
  EXPECT_NE(metrics_.text().find("ledger_answer_duration_seconds_count{answer=\"given\"} 1"),
            std::string::npos);
  EXPECT_EQ(held(), 0u);
}

// The peer was never waited for, or no more.
TEST_F(SessionTest, whose_request_has_come_waits_for_us) {
  places_.at_once = false;
  const int peer = connect_with(posted(worker_review()));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(std::exchange(places_.asked, {}), std::vector<std::string>{"w"});
    answer(places_);
    EXPECT_EQ(status_of(hear(peer)), 200u);
    if (i == 0) say(peer, posted(worker_review()));
  }
}

TEST_F(SessionTest, tells_the_ledger_of_a_place_that_is_there) {
  EXPECT_EQ(status_of(ask(connect(), posted(placed_worker_review()))), 200u);
  EXPECT_EQ(places_.asked, std::vector<std::string>{});
  EXPECT_EQ(places_.noted, std::vector<std::string>{"w"});
}

TEST_F(SessionTest, a_large_review_has_no_place_while_the_ledger_is_asked) {
  expect_no_place_taken(worker_review(), places_);
}

// --- claims

class Claiming : public SessionTest {
 protected:
  Claiming() { cluster_.claim.known = webhook::read::Claimed::Known::unread; }
};

TEST_F(Claiming, is_read_first_and_answered_then) {
  claims_.at_once = false;
  const int peer = connect(), other = connect();
  EXPECT_EQ(ask(peer, posted(claiming_review())), "");
  EXPECT_EQ(claims_.asked, (std::vector<std::string>{"patiently", "four"}));
  EXPECT_EQ(places_.asked, std::vector<std::string>{});
  EXPECT_EQ(status_of(ask(other, ask_livez)), 200u) << "others are served meanwhile";
  answer(claims_);
  const std::string answer = hear(peer);
  EXPECT_EQ(status_of(answer), 200u);
  EXPECT_NE(answer.find("\"patch\":"), std::string::npos) << answer;
  EXPECT_EQ(claims_.asked.size(), 2u) << "once";
  EXPECT_EQ(places_.asked, std::vector<std::string>{"w"});
}

TEST_F(Claiming, waits_while_its_namespace_has_memory_for_it) {
  claims_.at_once = false;
  const std::string review = of_size(claiming_review(), fifth_of_a_share);
  for (int i = 0; i < 6; ++i) ask(connect(), posted(review));
  ask(connect(), posted(in_namespace("ms", review)));
  std::vector<std::string> how;
  for (std::size_t i = 0; i < claims_.asked.size(); i += 2) how.push_back(claims_.asked[i]);
  EXPECT_EQ(how, (std::vector<std::string>{"patiently", "patiently", "patiently", "patiently",
                                           "patiently", "at once", "patiently"}));
}

TEST_F(Claiming, has_no_place_of_a_large_review_meanwhile) {
  expect_no_place_taken(claiming_review(), claims_);
}

TEST_F(Claiming, is_not_waited_for_in_shadow_mode) {
  const std::string body = claiming_review();
  const std::string head =
      posted_head(fmt::format("Content-Length: {}\r\n", body.size()), "/shadow");
  EXPECT_EQ(status_of(ask(connect(), head + body)), 200u);
  EXPECT_EQ(claims_.asked, (std::vector<std::string>{"at once", "four"}));
}

// --- the log

class Logged : public SessionTest {
 protected:
  Logged() : SessionTest(limits::held_bytes, log::LogLevel::debug) {}

  // What was written while `peer` asked so and others had their turn.
  std::string said_of(int peer, const std::string& bytes) {
    testing::internal::CaptureStderr();
    say(peer, bytes);
    EXPECT_FALSE(log_.holds_lines());
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Logged, review_has_its_line_at_the_end_of_the_turn) {
  const int peer = connect();
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(said_of(peer, posted(service_review())).find(" msg=review uid=u1 "),
              std::string::npos);
}

TEST_F(Logged, refusal_has_its_line) {
  EXPECT_NE(said_of(connect(), ask_nothing).find(" msg=refused status=404 "), std::string::npos);
}

TEST_F(Logged, exception_ends_its_session_alone) {
  places_.broken = true;
  const int other = connect(), peer = connect();
  EXPECT_NE(said_of(peer, posted(worker_review()))
                .find(" level=error msg=\"session ended by an exception\" error=\"no ledger\""),
            std::string::npos);
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(status_of(ask(other, ask_livez)), 200u);
}

// --- TLS

class TlsSession : public Logged {
 protected:
  int connect() {
    return connect_to([this](net::Socket socket) {
      return serve_tls(std::move(socket), certificate_, service_);
    });
  }

 private:
  const std::vector<std::string> names_ = {"localhost"};
  const tls::SystemTime now_ = std::chrono::system_clock::now();
  const tls::ContextPtr certificate_ = tls::make_context(test::issue(names_, now_).pair, now_);
};

TEST_F(TlsSession, begins_with_a_handshake_that_has_its_time) {
  connect();
  EXPECT_EQ(load_.handshakes.used(), 1u);
  testing::internal::CaptureStderr();
  expect_ended_after(limits::handshake);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("handshake failed"), std::string::npos);
}

TEST_F(TlsSession, that_does_not_begin_is_counted_and_logged) {
  const std::string said = said_of(connect(), ask_livez);
  EXPECT_NE(said.find(" msg=\"handshake failed\" error="), std::string::npos) << said;
  EXPECT_EQ(said.find("refused a caller"), std::string::npos) << said;
  EXPECT_EQ(said.find("rejected our certificate"), std::string::npos) << said;
  EXPECT_EQ(load_.connections.used(), 0u);
  EXPECT_NE(metrics_.text().find("tpu_webhook_handshakes_failed_total 1\n"), std::string::npos);
}

}  // namespace
}  // namespace tpuwh::server::https
