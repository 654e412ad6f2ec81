#include "server/settings/layers.hpp"

#include "server/settings/usage_error.hpp"

#include <fmt/format.h>

namespace tpuwh::server::settings {

Effective combine(const std::vector<Given>& given) {
  Effective out;
  for (const Given& each : given) {
    each.setting->set(out.options, each.name, each.value);
    out.from[each.key()] = each.from;
  }
  return out;
}

std::vector<Problem> contradictions(const Effective& effective) {
  std::vector<Problem> out;
  const auto& from = effective.from;
  const auto add = [&](const char* key, std::string what) {
    const auto found = from.find(key);
    const std::string where = found == from.end() ? "default" : found->second;
    out.push_back({where, where.starts_with("--") ? "" : key, std::move(what), 0});
  };
  const bool cert = !effective.options.tls_cert.empty(), key = !effective.options.tls_key.empty();
  if (cert && !key) add("tls.cert", "also needs its key: tls.key or --tls-key");
  if (key && !cert) add("tls.key", "also needs its certificate: tls.cert or --tls-cert");
  const bool ca = !effective.options.tls_client_ca.empty();
  const bool names = !effective.options.tls_client_names.empty();
  if (ca && !names)
    add("tls.clientCa", "also needs the caller's name: tls.clientNames or --tls-client-name");
  if (names && !ca)
    add("tls.clientNames", "also needs the CA of callers: tls.clientCa or --tls-client-ca");
  return out;
}

ConfigFile check_config(const std::string& file, std::istream& in, ParseConfig* parse) {
  ConfigFile read =
      file == "-" ? read_config(in, "standard input", parse) : read_config(file, parse);
  if (read.problems.empty()) read.problems = contradictions(combine(read.given));
  return read;
}

Effective Layers::resolve() const {
  std::vector<Given> given;
  if (!file.empty()) {
    ConfigFile read = read_config(file, parse);
    if (!read.problems.empty()) throw UsageError(lines_of(read.problems));
    given = std::move(read.given);
  }
  given.insert(given.end(), flags.begin(), flags.end());
  Effective out = combine(given);
  if (const auto wrong = contradictions(out); !wrong.empty()) throw UsageError(lines_of(wrong));
  return out;
}

}  // namespace tpuwh::server::settings
