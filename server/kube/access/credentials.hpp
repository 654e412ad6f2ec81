// What a request to the API server says about who sends it.
//
// One thread at a time uses a Credentials; stop() alone may be called beside it. Nothing here
// writes a secret into a message.
#pragma once

#include "base/result.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::access {

// PEM; both or neither.
struct ClientCertificate {
  std::string certificate;
  std::string key;

  bool empty() const { return certificate.empty(); }
  bool operator==(const ClientCertificate&) const = default;
};

class Credentials {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~Credentials() = default;

  // The value of the Authorization header; "" for none. To be asked before every request:
  // the answer is kept here as long as it may be.
  //
  //   cost  mostly a copy; sometimes a file is read; where is_slow(), a plugin of kubectl-tpu is
  //         run, which may take a minute and blocks this thread
  virtual Result<std::string> authorization(Time now) = 0;

  // Whether authorization(now) would run a program.
  virtual bool is_slow(Time) const { return false; }

  // A certificate that came with the last authorization (an exec plugin's); empty for none, and
  // then ApiConfig's own is used. To be asked before every new connection: one that differs
  // from the last concerns new connections alone.
  virtual ClientCertificate certificate() const { return {}; }

  // The API server answered 401: what is kept is dropped, and the next call reads again.
  virtual void rejected() {}

  // Ends an authorization() that another thread waits for. Nothing is asked afterwards.
  virtual void stop() {}
};

// The same header forever.
std::shared_ptr<Credentials> no_credentials();
std::shared_ptr<Credentials> bearer_token(std::string token);
std::shared_ptr<Credentials> basic_credentials(std::string_view user, std::string_view password);

// Whether `token` may stand in a header: printable ASCII without blanks, not empty.
bool is_token(std::string_view token);

// A token that somebody renews in a file: the kubelet, or a kubeconfig's tokenFile.
//
// Read again after token_age (access_limits.hpp), when used. A file that cannot be read, or holds
// no token at that moment, leaves the old one in use. After rejected() there is no old one.
//   source  client-go transport/token_source.go
class TokenFile final : public Credentials {
 public:
  // `first` is used until the file could be read: a kubeconfig may have `token` beside
  // `tokenFile`. "" for none.
  explicit TokenFile(std::string path, std::string first = {});

  Result<std::string> authorization(Time now) override;
  void rejected() override;

 private:
  Result<std::string> read() const;

  std::string path_;
  std::string token_;
  std::optional<Time> read_at_;
};

}  // namespace tpuwh::server::kube::access
