#include "server/tls/stream.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/issued.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::fuzz {

namespace {

namespace net = server::net;

// --- the server's end ------------------------------------------------------

struct Served {
  bool shaken = false;  // the handshake is done
  bool ended = false;
  std::string received;
  std::exception_ptr fault;
};

// What a session does with a stream: read, answer, let others run.
net::Task<void> serve(server::tls::Stream& stream, Served& served) {
  const net::error_code failed = co_await stream.handshake();
  if (failed) co_return;
  served.shaken = true;
  std::array<char, 4096> room;
  for (;;) {
    const net::Received got = co_await stream.read_some(room);
    if (got.error) break;
    served.received.append(room.data(), got.size);
    if (stream.write_now("y").error) break;
    co_await net::let_others_run(stream.socket().get_executor());
    stream.begin_turn();
  }
  stream.say_goodbye();
}

const server::tls::ContextPtr& server_context() {
  static const server::tls::ContextPtr context = [] {
    const auto now = std::chrono::system_clock::now();
    const std::vector<std::string> names{"localhost"};
    return server::tls::make_context(test::issue(names, now).pair, now);
  }();
  return context;
}

// --- the client's end, in memory -------------------------------------------

class Client {
 public:
  explicit Client(bool old) : ssl_(SSL_new(context()), &SSL_free) {
    if (ssl_ == nullptr) throw std::bad_alloc();
    from_server_ = BIO_new(BIO_s_mem());
    to_server_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), from_server_, to_server_);
    SSL_set_connect_state(ssl_.get());
    if (old) SSL_set_max_proto_version(ssl_.get(), TLS1_2_VERSION);
  }

  void hear(std::string_view bytes) {
    BIO_write(from_server_, bytes.data(), static_cast<int>(bytes.size()));
  }

  // Goes on as far as it can; what it says is said() then.
  void turn() {
    if (SSL_do_handshake(ssl_.get()) == 1) {
      std::array<char, 4096> room;
      while (SSL_read(ssl_.get(), room.data(), static_cast<int>(room.size())) > 0) {
      }
    }
    ERR_clear_error();
    cut_records();
  }

  bool shaken() const { return SSL_is_init_finished(ssl_.get()) == 1; }
  bool is_1_3() const { return SSL_version(ssl_.get()) == TLS1_3_VERSION; }

  void write(std::string_view bytes) {
    if (!shaken() || bytes.empty()) return;
    if (SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0) written_ += bytes;
    turn();
  }

  void update_key(bool both) {
    if (!shaken() || !is_1_3() || updates_left_ == 0) return;
    --updates_left_;
    SSL_key_update(ssl_.get(), both ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
    turn();
  }

  void renegotiate() {
    if (!shaken() || is_1_3()) return;
    SSL_renegotiate(ssl_.get());
    turn();
  }

  void say_goodbye() {
    if (shaken()) SSL_shutdown(ssl_.get());
    turn();
  }

  std::deque<std::string>& said() { return said_; }
  const std::string& written() const { return written_; }

 private:
  static SSL_CTX* context() {
    static const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> made(
        SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
    return made.get();
  }

  // What it has said, a record each.
  void cut_records() {
    char* text = nullptr;
    const long size = BIO_ctrl(to_server_, BIO_CTRL_INFO, 0, &text);
    std::string_view rest(text, static_cast<std::size_t>(std::max(size, 0L)));
    constexpr std::size_t header = 5;
    while (rest.size() >= header) {
      const auto high = static_cast<unsigned char>(rest[3]);
      const auto low = static_cast<unsigned char>(rest[4]);
      const std::size_t length =
          std::min<std::size_t>(header + (std::size_t{high} << 8 | low), rest.size());
      said_.emplace_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    BIO_ctrl(to_server_, BIO_CTRL_RESET, 0, nullptr);
  }

  server::tls::SslPtr ssl_;
  BIO* from_server_;  // ssl_ owns both
  BIO* to_server_;
  std::deque<std::string> said_;
  std::string written_;
  int updates_left_ =
      256;  // of a conversation: each is a record, and a millisecond with sanitizers
};

// --- between the two -------------------------------------------------------

class Wires {
 public:
  explicit Wires(bool old) : client_(old) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::bad_alloc();
    far_ = ends[1];
    net::Socket socket(io_.get_executor());
    socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
    stream_.emplace(std::move(socket), server_context());
    boost::asio::co_spawn(io_.get_executor(), serve(*stream_, served_),
                          [this](std::exception_ptr fault) {
                            served_.fault = fault;
                            served_.ended = true;
                          });
    run(0);
    client_.turn();
  }
  ~Wires() {
    ::close(far_);
    // The coroutine ends before what it is made of.
    if (!served_.ended) {
      net::error_code ignored;
      stream_->socket().close(ignored);
    }
    io_.restart();
    io_.poll();
  }
  Wires(const Wires&) = delete;
  Wires& operator=(const Wires&) = delete;

  Client& client() { return client_; }
  const Served& served() const { return served_; }
  bool honest() const { return honest_; }

  // The client's next record, which is not said any more; empty if it has none.
  std::string take() {
    if (client_.said().empty()) client_.turn();
    if (client_.said().empty()) return {};
    std::string record = std::move(client_.said().front());
    client_.said().pop_front();
    return record;
  }

  // As the client said it; what has no part in the conversation is said by forge().
  void pass(std::string_view bytes) {
    while (!bytes.empty() && !served_.ended) {
      const ssize_t sent = ::send(far_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      const auto size = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
      run(size);
      if (sent <= 0) break;  // a full socket that is not read, or one that is closed
      bytes.remove_prefix(size);
    }
    exchange();
  }
  // Byte by byte, as long as the bytes of a conversation are few: each takes seven system calls.
  void pass_slowly(std::string_view bytes) {
    for (; !bytes.empty() && slow_left_ > 0; --slow_left_) {
      pass(bytes.substr(0, 1));
      bytes.remove_prefix(1);
    }
    pass(bytes);
  }
  void forge(std::string_view bytes) {
    if (!bytes.empty()) honest_ = false;
    pass(bytes);
  }
  void tamper() { honest_ = false; }

  // All that is left of the conversation, as it is said.
  void finish() {
    constexpr int most_records = 16384;  // more than a script can make
    for (int i = 0; i < most_records; ++i) {
      const std::string record = take();
      if (record.empty() || served_.ended) return;
      pass(record);
    }
    require(false, "a conversation without an end");
  }

  void hang_up() {
    ::shutdown(far_, SHUT_RDWR);
    run(0);
  }

 private:
  // Until the server waits: `size` bytes have come for it. A turn of its loop for each short turn
  // of reading, and some for what begins and ends.
  void run(std::size_t size) {
    const std::size_t most = 32 + size / 64;
    std::size_t steps = 0;
    io_.restart();
    while (steps <= most && io_.poll_one() > 0) ++steps;
    require(steps <= most,
            std::to_string(size) + " bytes take more than " + std::to_string(most) + " turns");
    if (served_.fault) std::rethrow_exception(served_.fault);
  }

  void exchange() {
    std::array<char, 16384> room;
    for (;;) {
      const ssize_t got = ::recv(far_, room.data(), room.size(), 0);
      if (got <= 0) break;
      client_.hear({room.data(), static_cast<std::size_t>(got)});
    }
    client_.turn();
  }

  boost::asio::io_context io_{1};
  Served served_;
  std::optional<server::tls::Stream> stream_;
  Client client_;
  int far_ = -1;
  std::size_t slow_left_ = 2048;
  bool honest_ = true;
};

// --- the script --------------------------------------------------------------

// What becomes of the client's next record, or what it does: a letter each, with the bytes that
// follow it. A digit is no letter, so what is read as a number may stand between letters.
class Script {
 public:
  explicit Script(std::string_view bytes) : rest_(bytes) {}

  bool over() const { return rest_.empty(); }
  unsigned char byte() {
    if (rest_.empty()) return 0;
    const auto c = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return c;
  }
  // As many as the next byte says.
  std::string_view text() {
    const std::size_t size = std::min<std::size_t>(byte(), rest_.size());
    const auto out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

 private:
  std::string_view rest_;
};

void step(Wires& wires, Script& script) {
  Client& client = wires.client();
  switch (script.byte()) {
    case 'x': {  // a byte is another
      std::string record = wires.take();
      const unsigned char at = script.byte(), change = script.byte();
      if (record.empty()) return;
      char& c = record[at % record.size()];
      c = static_cast<char>(c ^ change);
      return change == 0 ? wires.pass(record) : wires.forge(record);
    }
    case 'l': {  // cut short
      const std::string record = wires.take();
      const unsigned char at = script.byte();
      if (record.empty()) return;
      wires.tamper();  // also where nothing is left of it
      return wires.pass(record.substr(0, at % record.size()));
    }
    case 'd':  // lost
      if (!wires.take().empty()) wires.tamper();
      return;
    case 't': {  // twice
      const std::string record = wires.take();
      return wires.forge(record + record);
    }
    case 'o': {  // the next one first
      const std::string record = wires.take(), next = wires.take();
      if (next.empty()) return wires.pass(record);
      return wires.forge(next + record);
    }
    case 's': {  // in two pieces
      const std::string record = wires.take();
      const std::size_t at = record.empty() ? 0 : script.byte() % record.size();
      wires.pass(record.substr(0, at));
      return wires.pass(record.substr(at));
    }
    case 'b':  // byte by byte
      return wires.pass_slowly(wires.take());
    case 'r':  // a record of nobody's
      return wires.forge(script.text());
    case 'w':
      return client.write(script.text());
    case 'W':
      return client.write(std::string(std::size_t{script.byte()} * 64, 'w'));
    case 'k':
      for (int i = script.byte() % 64; i > 0; --i) client.update_key(i % 2 == 0);
      return;
    case 'n':
      return client.renegotiate();
    case 'c':
      return client.say_goodbye();
    default:
      return wires.pass(wires.take());
  }
}

void converse(std::string_view bytes) {
  constexpr std::size_t most_bytes = 4096;
  Script script(bytes.substr(0, most_bytes));
  Wires wires(script.byte() % 2 == 1);
  while (!script.over() && !wires.served().ended) step(wires, script);
  wires.finish();
  const std::string& written = wires.client().written();
  const std::string& received = wires.served().received;
  require(written.starts_with(received), "what was received is not what was written");
  if (wires.honest() && !wires.served().ended) {
    require(wires.served().shaken, "an honest handshake failed");
    require(received.size() == written.size(),
            "an honest client was not heard out: " + std::to_string(received.size()) + " of " +
                std::to_string(written.size()));
  }
  wires.hang_up();
  require(wires.served().ended, "it waits for a peer that has gone");
}

std::size_t converse_and_measure(std::string_view bytes) {
  const std::size_t before = heap_bytes();
  converse(bytes);
  return heap_bytes() - std::min(before, heap_bytes());
}

}  // namespace

void tls(std::string_view bytes) {
  // Nothing of a connection is left when it has ended, but what the first one makes for all.
  static const std::size_t made_for_all = converse_and_measure("0") + converse_and_measure("1");
  static_cast<void>(made_for_all);
  constexpr std::size_t slack = 64u << 10;
  require(converse_and_measure(bytes) <= slack, "a connection that has ended holds memory");
  require_linear(bytes, 128, converse_and_measure);
}

}  // namespace tpuwh::fuzz
