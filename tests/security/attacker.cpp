// The attacks of docs/threat-model.md on a server of this machine, faster than Python could send
// them:
//
//   attacker ATTACK --port N [--connections N] [--seconds N] …
//
// It prints a line of JSON when every connection was tried once, and its counts when it ends: after
// --seconds, when all is done, when nothing is left of its connections, or with SIGTERM. It speaks
// to 127.0.0.1 alone and checks no certificate.

#include "attacks.hpp"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace attacker {
namespace {

constexpr std::size_t most_connections = 8192;
constexpr double most_seconds = 600;
// Handshakes at a time: more would only wait in the server's queue of new connections.
constexpr std::size_t most_opening = 64;

volatile std::sig_atomic_t stopped = 0;

constexpr const char* usage =
    "attacker ATTACK --port N [--connections N] [--seconds N] [--reopen PER_SECOND] [--bind "
    "ADDRESS]\n"
    "  pipeline\n"
    "  key-updates  [--request] [--charge SECONDS]\n"
    "  slow-bodies  [--trickle]\n"
    "  kept-bodies  --file FILE [--complete]\n"
    "  reviews      --file FILE [--count N] [--at-once N] [--unread]\n"
    "  polite       [--file FILE] [--every SECONDS] [--addresses N]\n";

Options parse(int count, char** words) {
  if (count < 2) throw std::invalid_argument("no attack named");
  Options options;
  options.attack = words[1];
  for (int i = 2; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value = [&] {
      if (++i == count) throw std::invalid_argument(std::string(word) + " needs a value");
      return std::string(words[i]);
    };
    if (word == "--port") options.target.port = static_cast<std::uint16_t>(std::stoul(value()));
    else if (word == "--bind") options.target.bind = value();
    else if (word == "--connections") options.connections = std::stoul(value());
    else if (word == "--seconds") options.seconds = std::stod(value());
    else if (word == "--reopen") options.reopen = std::stod(value());
    else if (word == "--charge") options.charge = std::stod(value());
    else if (word == "--request") options.request = true;
    else if (word == "--trickle") options.trickle = true;
    else if (word == "--complete") options.complete = true;
    else if (word == "--unread") options.unread = true;
    else if (word == "--file") options.file = value();
    else if (word == "--at-once") options.at_once = std::stoul(value());
    else if (word == "--every")
      options.every = std::stod(value());
    else if (word == "--addresses")
      options.addresses = std::stoul(value());
    else if (word == "--count") options.count = std::stoul(value());
    else throw std::invalid_argument("unknown option " + std::string(word));
  }
  if (options.target.port == 0) throw std::invalid_argument("--port is missing");
  if (options.connections == 0 || options.connections > most_connections ||
      options.addresses == 0 || options.addresses > 200 || options.seconds > most_seconds)
    throw std::invalid_argument("out of bounds");
  options.target.small_window = options.unread;
  return options;
}

// A place for a connection: what is closed is opened again in it, where --reopen says so.
struct Seat {
  std::unique_ptr<Peer> peer;
  Notes notes;
  bool counted = false;  // its end
};

class Assault {
 public:
  explicit Assault(const Options& options)
      : options_(options),
        attack_(make_attack(options)),
        context_(SSL_CTX_new(TLS_client_method())),
        seats_(options.connections) {
    SSL_CTX_set_verify(context_, SSL_VERIFY_NONE, nullptr);
    SSL_CTX_set_mode(context_, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  }

  ~Assault() {
    seats_.clear();
    SSL_CTX_free(context_);
  }

  void run() {
    for (const char* name : {"opened", "failed", "closed"}) attack_->counts[name] = 0;
    while (stopped == 0 && !attack_->done() && !is_over()) {
      open_more();
      wait();
      note_standing();
    }
    attack_->counts["held"] = held();
    print("end", attack_->counts);
  }

 private:
  // Thousands that wait for a handshake are not asked every 10 ms.
  std::chrono::milliseconds look() const {
    return std::chrono::milliseconds(is_polite() ? 50 : 10);
  }

  bool is_over() {
    if (!standing_) return false;
    // So many new ones refused and none left: nobody listens any more.
    const bool hopeless = !is_polite() && (options_.reopen == 0 || attack_->counts["failed"] > 20);
    const bool alone = hopeless && held() == 0 && opening() == 0;
    return alone || Clock::now() - standing_since_ > Seconds(options_.seconds);
  }

  std::uint64_t held() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        seats_, [](const Seat& seat) { return seat.peer && seat.peer->state() == Peer::State::open; }));
  }

  std::size_t opening() const {
    return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& seat) {
      return seat.peer && seat.peer->state() == Peer::State::opening;
    }));
  }

  // The first time as fast as the server takes them, then at the rate that is asked for.
  void open_more() {
    std::size_t room = most_opening - std::min(most_opening, opening());
    if (is_polite()) {
      room = seats_.size();
    } else if (standing_) {
      const auto now = Clock::now();
      allowance_ += Seconds(now - last_).count() * options_.reopen;
      allowance_ = std::min(allowance_, std::max(1.0, options_.reopen));
      last_ = now;
      room = std::min(room, static_cast<std::size_t>(allowance_));
    }
    for (Seat& seat : seats_) {
      if (room == 0) return;
      const bool first = !seat.peer;
      const bool again = standing_ || is_polite();
      if (again ? (!first && seat.peer->state() != Peer::State::closed) : !first) continue;
      if (is_polite() && Clock::now() - seat.notes.last < Seconds(options_.every)) continue;
      Notes notes;
      notes.last = seat.notes.last;
      seat = {.peer = std::make_unique<Peer>(context_, target_of(seat)), .notes = std::move(notes)};
      if (seat.peer->state() == Peer::State::closed) ++attack_->counts["failed"], seat.counted = true;
      --room;
      if (standing_ && !is_polite()) allowance_ -= 1;
    }
  }

  // Opens a connection again when its next request is due, whatever --reopen says.
  bool is_polite() const { return options_.attack == "polite"; }

  Target target_of(const Seat& seat) const {
    Target target = options_.target;
    const auto number = static_cast<std::size_t>(&seat - seats_.data());
    if (options_.addresses > 1)
      target.bind = "127.0.0." + std::to_string(2 + number % options_.addresses);
    return target;
  }

  // Goes on with those that are ready, and from time to time with all.
  void wait() {
    polled_.clear();
    polled_seats_.clear();
    for (Seat& seat : seats_) {
      if (!seat.peer || seat.peer->state() == Peer::State::closed) continue;
      const bool writes = seat.peer->unsent() > 0 ||
                          (seat.peer->state() == Peer::State::open && attack_->presses());
      polled_.push_back({.fd = seat.peer->descriptor(),
                         .events = static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN),
                         .revents = 0});
      polled_seats_.push_back(&seat);
    }
    ::poll(polled_.data(), polled_.size(), static_cast<int>(look().count()));
    const bool all = Clock::now() - looked_ >= look();
    if (all) looked_ = Clock::now();
    ready_.clear();
    for (std::size_t i = 0; i < polled_.size(); ++i)
      if (all || polled_[i].revents != 0) ready_.push_back(polled_seats_[i]);
    for (Seat* seat : ready_) go_on(*seat);
    std::ranges::stable_sort(ready_, {}, [](const Seat* seat) { return seat->notes.sent; });
    for (Seat* seat : ready_) {
      if (seat->peer->state() == Peer::State::open) attack_->press(*seat->peer, seat->notes);
      note_closed(*seat);
    }
  }

  void go_on(Seat& seat) {
    if (seat.peer->state() == Peer::State::opening) {
      seat.peer->open();
      if (seat.peer->state() == Peer::State::open) {
        ++attack_->counts["opened"];
        attack_->opened(*seat.peer, seat.notes);
      } else if (seat.peer->state() == Peer::State::closed) {
        ++attack_->counts["failed"];
        seat.counted = true;
      }
    } else if (seat.peer->state() == Peer::State::open) {
      attack_->turn(*seat.peer, seat.notes);
    }
  }

  void note_closed(Seat& seat) {
    if (seat.peer->state() != Peer::State::closed || seat.counted) return;
    ++attack_->counts["closed"];
    seat.counted = true;
    attack_->closed(seat.notes);
  }

  // What a full server does not take in some seconds waits, and need not be waited for.
  void note_standing() {
    if (standing_) return;
    const bool tried = std::ranges::all_of(seats_, [](const Seat& seat) { return !!seat.peer; });
    const bool patient = Clock::now() - begun_ < std::chrono::seconds(8);
    if (patient && (!tried || opening() > 0)) return;
    standing_ = true;
    standing_since_ = last_ = Clock::now();
    attack_->standing();
    Counts now = attack_->counts;
    now["held"] = held();
    print("standing", now);
  }

  static void print(const char* event, const Counts& counts) {
    std::printf("{\"event\": \"%s\"", event);
    for (const auto& [name, count] : counts)
      std::printf(", \"%s\": %llu", name.c_str(), static_cast<unsigned long long>(count));
    std::printf("}\n");
    std::fflush(stdout);
  }

  const Options& options_;
  std::unique_ptr<Attack> attack_;
  SSL_CTX* context_;
  std::vector<Seat> seats_;
  std::vector<pollfd> polled_;
  std::vector<Seat*> polled_seats_, ready_;
  bool standing_ = false;
  Clock::time_point begun_ = Clock::now(), standing_since_{}, last_{}, looked_{};
  double allowance_ = 0;
};

void raise_file_limit() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace
}  // namespace attacker

int main(int count, char** words) {
  using namespace attacker;
  std::signal(SIGTERM, [](int) { stopped = 1; });
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const Options options = parse(count, words);
    raise_file_limit();
    Assault(options).run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "attacker: %s\n%s", error.what(), usage);
    return 2;
  }
}
