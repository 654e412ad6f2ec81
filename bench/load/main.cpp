// load ADDRESS:PORT PATH FILE [--connections N] [--seconds S] [--rate N] [--handshakes N]
//                             [--log FD]
//
// POSTs a file to https://ADDRESS:PORT/PATH over keep-alive connections and prints one JSON
// object: requests, seconds, p50, p99, p999 (microseconds), late (microseconds by which a request
// was begun after its time, p99), handshakes, log_lines.
//
//   without --rate   closed: each connection sends its next request when it has its answer
//   --rate N         open: N requests a second, timed from when each was due, whether or not the
//                    server is done with those before it
//   --handshakes N   besides, N new connections a second, closed as soon as they are open
//   --connections 0 --handshakes 0   one new connection after another, eight at a time
//   --log FD         besides, reads the server's log from a pipe, as a container runtime does, and
//                    counts its lines about reviews
//
// One thread, which never sleeps: what it measures is the server's delay and not its own
// waking up. Give it a core of its own. Loopback only.
#include "bench/load/connection.hpp"

#include <getopt.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace tpuwh::bench;

namespace {

using Seconds = std::chrono::duration<double>;

struct Options {
  sockaddr_in address{};
  std::string request;
  std::size_t connections = 8;
  double seconds = 1;
  double rate = 0;
  double handshakes = -1;  // none
  int log = -1;            // none
};

constexpr std::size_t handshakes_at_a_time = 8;

std::string request_of(const std::string& path, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  const std::string body((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return "POST " + path +
         "?timeout=10s HTTP/1.1\r\nHost: tpu-webhook.tpu-webhook-system.svc:443\r\n"
         "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n"
         "Content-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Microseconds.
class Times {
 public:
  void add(Clock::duration time) {
    micros_.push_back(std::chrono::duration<double, std::micro>(time).count());
  }

  double part(double which) {
    if (micros_.empty()) return 0;
    const auto at = static_cast<std::size_t>(which * static_cast<double>(micros_.size() - 1));
    std::nth_element(micros_.begin(), micros_.begin() + static_cast<std::ptrdiff_t>(at),
                     micros_.end());
    return micros_[at];
  }

  std::size_t count() const { return micros_.size(); }

 private:
  std::vector<double> micros_;
};

// So many a second from `start` on; none for a rate below zero.
class Schedule {
 public:
  Schedule(double rate, Clock::time_point start) : rate_(rate), start_(start) {}

  bool is_due(Clock::time_point now) const { return rate_ > 0 && next() <= now; }
  Clock::time_point next() const {
    return start_ +
           std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(done_) / rate_));
  }
  void advance() { ++done_; }

 private:
  double rate_;
  Clock::time_point start_;
  std::size_t done_ = 0;
};

// The log of a server, whose end of the pipe does not block. Counted as it comes: to keep it took
// new memory every other millisecond, for which the answers under way had to wait.
class LogReader {
 public:
  LogReader(int file, int epoll) : file_(file) {
    if (file < 0) return;
    epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event);
  }

  // What there is of it.
  void read() {
    for (;;) {
      const ssize_t got = ::read(file_, chunk_.data() + held_, chunk_.size() - held_);
      if (got <= 0) return;
      held_ += static_cast<std::size_t>(got);
      count_whole_lines();
    }
  }

  // Lines about reviews, as text or JSON.
  std::size_t reviews() const { return reviews_; }

 private:
  void count_whole_lines() {
    std::string_view rest(chunk_.data(), held_);
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      const std::string_view line = rest.substr(0, end);
      reviews_ += holds(line, "msg=review ") || holds(line, "\"msg\":\"review\"") ? 1 : 0;
      rest.remove_prefix(end + 1);
    }
    if (rest.size() == chunk_.size()) rest = {};  // no line of ours is so long
    std::copy(rest.begin(), rest.end(), chunk_.begin());
    held_ = rest.size();
  }

  static bool holds(std::string_view line, std::string_view words) {
    return line.substr(0, 100).find(words) != std::string_view::npos;
  }

  int file_;
  std::vector<char> chunk_ = std::vector<char>(65536);
  std::size_t held_ = 0;
  std::size_t reviews_ = 0;
};

class Load {
 public:
  explicit Load(const Options& options) : options_(options) {
    for (std::size_t i = 0; i < options.connections; ++i)
      connections_.push_back(std::make_unique<Connection>(context_, options.address, epoll_));
    while (open_ < connections_.size()) turn();
  }

  void run() {
    const auto start = Clock::now();
    const auto end = start + std::chrono::duration_cast<Clock::duration>(Seconds(options_.seconds));
    requests_due_ = Schedule(options_.rate, start);
    handshakes_due_ = Schedule(options_.handshakes, start);
    for (;;) {
      const auto now = Clock::now();
      if (now >= end) break;
      begin_requests(now);
      begin_handshakes(now);
      turn();
    }
    seconds_ = Seconds(Clock::now() - start).count();
  }

  // The lines of the last turn are written behind their answers.
  void read_rest_of_log() {
    for (int i = 0; options_.log >= 0 && i < 10; ++i) {
      log_.read();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  void print() {
    std::printf(
        "{\"requests\": %zu, \"seconds\": %.6f, \"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, "
        "\"late\": %.1f, \"handshakes\": %zu, \"log_lines\": %zu}\n",
        took_.count(), seconds_, took_.part(0.5), took_.part(0.99), took_.part(0.999),
        late_.part(0.99), handshakes_, log_.reviews());
  }

 private:
  void begin_requests(Clock::time_point now) {
    if (options_.rate <= 0) {
      for (; !idle_.empty(); idle_.pop_front()) idle_.front()->send(options_.request, Clock::now());
      return;
    }
    for (; !idle_.empty() && requests_due_.is_due(now); idle_.pop_front()) {
      late_.add(now - requests_due_.next());
      idle_.front()->send(options_.request, requests_due_.next());
      requests_due_.advance();
    }
  }

  void begin_handshakes(Clock::time_point now) {
    if (options_.handshakes == 0) {
      while (opening_.size() < handshakes_at_a_time) begin_handshake();
    } else if (handshakes_due_.is_due(now)) {
      begin_handshake();
      handshakes_due_.advance();
    }
  }

  void begin_handshake() {
    opening_.push_back(std::make_unique<Connection>(context_, options_.address, epoll_));
  }

  // What is ready, without waiting for it.
  void turn() {
    epoll_event events[64];
    const int ready = ::epoll_wait(epoll_, events, 64, 0);
    for (int i = 0; i < ready; ++i) {
      if (events[i].data.ptr == &log_)
        log_.read();
      else
        advance(*static_cast<Connection*>(events[i].data.ptr));
    }
  }

  void advance(Connection& connection) {
    switch (connection.advance()) {
      case Progress::waits:
        return;
      case Progress::opened:
        return opened(connection);
      case Progress::answered:
        took_.add(Clock::now() - connection.due());
        idle_.push_back(&connection);
    }
  }

  void opened(Connection& connection) {
    const auto it = std::find_if(opening_.begin(), opening_.end(),
                                 [&](const auto& one) { return one.get() == &connection; });
    if (it == opening_.end()) {
      ++open_;
      idle_.push_back(&connection);
      return;
    }
    ++handshakes_;
    opening_.erase(it);
  }

  const Options& options_;
  SSL_CTX* const context_ = SSL_CTX_new(TLS_client_method());  // for the life of the process
  const int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  LogReader log_{options_.log, epoll_};
  std::vector<std::unique_ptr<Connection>> connections_;
  std::list<std::unique_ptr<Connection>> opening_;
  std::deque<Connection*> idle_;
  std::size_t open_ = 0;
  std::size_t handshakes_ = 0;
  Schedule requests_due_{-1, {}}, handshakes_due_{-1, {}};
  Times took_, late_;
  double seconds_ = 0;
};

Options read_options(int argc, char** argv) {
  constexpr option names[] = {{"connections", required_argument, nullptr, 'c'},
                              {"seconds", required_argument, nullptr, 's'},
                              {"rate", required_argument, nullptr, 'r'},
                              {"handshakes", required_argument, nullptr, 'n'},
                              {"log", required_argument, nullptr, 'l'},
                              {nullptr, 0, nullptr, 0}};
  Options options;
  int wrong = 0;
  for (int name = 0; (name = ::getopt_long(argc, argv, "", names, nullptr)) != -1;) {
    if (name == 'c') options.connections = static_cast<std::size_t>(std::atoi(optarg));
    if (name == 's') options.seconds = std::atof(optarg);
    if (name == 'r') options.rate = std::atof(optarg);
    if (name == 'n') options.handshakes = std::atof(optarg);
    if (name == 'l') options.log = std::atoi(optarg);
    if (name == '?') ++wrong;
  }
  if (wrong > 0 || argc - optind != 3)
    throw std::runtime_error(
        "usage: load 127.0.0.1:PORT PATH FILE [--connections N] [--seconds S] [--rate N] "
        "[--handshakes N] [--log FD]");
  options.address = loopback_address(argv[optind]);
  options.request = request_of(argv[optind + 1], argv[optind + 2]);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    Load load(options);
    load.run();
    load.read_rest_of_log();
    load.print();
  } catch (const std::exception& failure) {
    std::cerr << "load: " << failure.what() << "\n";
    return 1;
  }
}
