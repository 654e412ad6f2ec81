// tls_load PORT PAYLOAD CONNECTIONS SECONDS: POSTs a file to https://127.0.0.1:PORT/mutate
// over keep-alive connections, one request at a time each, and prints
// "<requests> <seconds>". For loopback only; certificates are not checked.
#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

int connect_to(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to 127.0.0.1:" + std::to_string(port));
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// Reads one answer: its head, then as much as it says.
void read_answer(SSL* ssl, std::string& buffer) {
  buffer.clear();
  std::size_t want = 0;
  while (want == 0 || buffer.size() < want) {
    char chunk[16384];
    const int got = SSL_read(ssl, chunk, sizeof chunk);
    if (got <= 0) throw std::runtime_error("the server closed a connection");
    buffer.append(chunk, static_cast<std::size_t>(got));
    if (want != 0) continue;
    const auto end = buffer.find("\r\n\r\n");
    if (end == std::string::npos) continue;
    if (buffer.compare(9, 3, "200") != 0) throw std::runtime_error(buffer.substr(0, 200));
    const auto length = buffer.find("ontent-Length: ");  // 'C' or 'c'
    want = end + 4 + std::strtoul(buffer.c_str() + length + 15, nullptr, 10);
  }
}

std::size_t run_connection(SSL_CTX* context, std::uint16_t port, const std::string& request,
                           Clock::time_point until) {
  SSL* ssl = SSL_new(context);
  const int fd = connect_to(port);
  SSL_set_fd(ssl, fd);
  if (SSL_connect(ssl) != 1) throw std::runtime_error("TLS handshake failed");
  std::string buffer;
  std::size_t requests = 0;
  while (Clock::now() < until) {
    if (SSL_write(ssl, request.data(), static_cast<int>(request.size())) <= 0)
      throw std::runtime_error("cannot write");
    read_answer(ssl, buffer);
    ++requests;
  }
  SSL_shutdown(ssl);
  SSL_free(ssl);
  close(fd);
  return requests;
}

std::string request_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string body((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return "POST /mutate?timeout=10s HTTP/1.1\r\nHost: tpu-webhook.tpu-webhook-system.svc:443\r\n"
         "User-Agent: kube-apiserver-admission\r\nAccept: application/json, */*\r\n"
         "Content-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: tls_load PORT PAYLOAD CONNECTIONS SECONDS\n";
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const std::string request = request_of(argv[2]);
  const int connections = std::atoi(argv[3]);
  const double seconds = std::atof(argv[4]);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  const auto start = Clock::now();
  const auto until =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::atomic<std::size_t> total = 0;
  std::atomic<bool> failed = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i)
    threads.emplace_back([&] {
      try {
        total += run_connection(context, port, request, until);
      } catch (const std::exception& e) {
        std::cerr << "tls_load: " << e.what() << "\n";
        failed = true;
      }
    });
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double> took = Clock::now() - start;
  SSL_CTX_free(context);
  std::cout << total << " " << took.count() << "\n";
  return failed ? 1 : 0;
}
