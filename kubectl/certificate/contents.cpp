#include "kubectl/certificate/contents.hpp"

#include "base/names.hpp"
#include "base/result.hpp"
#include "kubectl/certificate/types.hpp"
#include "kubectl/text/base64.hpp"
#include "server/kube/client/bounded_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <set>

namespace tpuwh::server::certificate {
namespace {

constexpr auto renew = "tpu-webhook.dev/renew";

std::string value(const Json& data, const std::string& key) {
  return text::decode_base64(text::text_member(data, key)).value_or("");
}

// Returns why the JSON that the API server has sent is not a Secret, or "" if it is a Secret.
std::string secret_fault(const Json& object) {
  std::string fault = object_fault(object, "it");
  for (const char* key : {"metadata", "data"})
    if (fault.empty()) fault = member_fault(object, key, "its");
  if (!fault.empty()) return fault;
  return member_fault(text::member(object, "metadata"), "annotations", "its metadata.");
}

void put(Json& data, const char* key, const std::string& value) {
  if (value.empty())
    data.erase(key);
  else
    data[key] = text::encode_base64(value);
}

}  // namespace

std::string Contents::bundle() const {
  const std::set<std::string> all = {authority.certificates, next_authority.certificates,
                                     old_authority};
  std::string text;
  for (const std::string& each : all) text += each;
  return text;
}

Result<SecretObject> read_secret(std::string_view json) {
  auto object = kube::client::parse_bounded(json);
  if (!object) return Error(base::Errc::bad_json, "the Secret " + object.error().message());
  if (const std::string fault = secret_fault(*object); !fault.empty())
    return bad_value("the answer is not a Secret: " + fault);
  const Json& data = text::member(*object, "data");
  const std::string asked =
      text::text_member(text::member(text::member(*object, "metadata"), "annotations"), renew);
  SecretObject secret;
  secret.contents = {.authority = {value(data, "ca.crt"), value(data, "ca.key")},
                     .next_authority = {value(data, "next-ca.crt"), value(data, "next-ca.key")},
                     .old_authority = value(data, "old-ca.crt"),
                     .leaf = {value(data, "tls.crt"), value(data, "tls.key")}};
  if (asked == "certificate")
    secret.asked = Asked::leaf;
  else if (asked == "ca")
    secret.asked = Asked::authority;
  else if (!asked.empty())
    secret.trouble = fmt::format("annotation {} is \"{}\", expected \"certificate\" or \"ca\"",
                                 renew, base::printable(asked));
  secret.object = std::move(*object);
  return secret;
}

std::string with_contents(const SecretObject& secret, const Contents& contents, bool answered) {
  Json object = secret.object;
  Json& data = object["data"];
  if (!data.is_object()) data = Json::object();
  put(data, "ca.crt", contents.authority.certificates);
  put(data, "ca.key", contents.authority.key);
  put(data, "next-ca.crt", contents.next_authority.certificates);
  put(data, "next-ca.key", contents.next_authority.key);
  put(data, "old-ca.crt", contents.old_authority);
  put(data, "tls.crt", contents.leaf.certificates);
  put(data, "tls.key", contents.leaf.key);
  put(data, "bundle.crt", contents.bundle());
  Json& annotations = object["metadata"]["annotations"];
  if (annotations.is_null())
    object["metadata"].erase("annotations");
  else if (answered)
    annotations.erase(renew);
  return text::dump_json(object);
}

kube::client::Resource secrets(std::string_view ns) {
  return {.group = "", .version = "v1", .plural = "secrets", .ns = std::string(ns)};
}

}  // namespace tpuwh::server::certificate
