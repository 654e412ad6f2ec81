#include "kubectl/plugins/exec_user.hpp"
#include "server/kube/access/api_config.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/targets.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tpuwh::fuzz {

namespace {

// The file that is read, one for all inputs.
class File {
 public:
  File() {
    char name[] = "/tmp/fuzz-kubeconfig-XXXXXX";
    const int opened = mkstemp(name);
    if (opened < 0) throw std::runtime_error("no temporary file");
    ::close(opened);
    path_ = name;
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& write(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace

void kubeconfig(std::string_view bytes) {
  static File file;
  namespace access = server::kube::access;
  require_linear_time(bytes, "\n", [](std::string_view input) {
    access::kubeconfig_config({.file = file.write(input)}, server::plugins::exec_credentials);
  });
  const auto config =
      access::kubeconfig_config({.file = file.write(bytes)}, server::plugins::exec_credentials);
  if (!config) return require_sentence(config.error().text());
  require(!config->host.empty() && !config->port.empty(), "no server");
  require(config->credentials != nullptr, "no credentials");
  require(config->tls || config->ca_pem.empty(), "a CA without TLS");
}

}  // namespace tpuwh::fuzz
