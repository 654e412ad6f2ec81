// The Secret in which the replicas keep their certificate, as a value.
//
//   tls.crt, tls.key          the certificate that is served, and its key
//   ca.crt, ca.key            the CA that signed it
//   next-ca.crt, next-ca.key  while the CA is being renewed: the one that will sign next
//   old-ca.crt                after that, for a while: the one that signed before
//   bundle.crt                the CAs that callers must trust: what stands in every caBundle
//
// Its annotation tpu-webhook.dev/renew, "certificate" or "ca", asks for a renewal before its time.
#pragma once

#include "base/result.hpp"
#include "server/kube/client/request.hpp"
#include "server/text/json_text.hpp"
#include "server/tls/context.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::kube::certificate {

struct Contents {
  tls::Pair authority;        // signs the leaf
  tls::Pair next_authority;   // trusted already, has signed nothing; empty for none
  std::string old_authority;  // signs nothing any more, is still trusted: PEM; empty for none
  tls::Pair leaf;

  bool operator==(const Contents&) const = default;

  // PEM. The same authorities give the same text, whatever part each of them has.
  std::string bundle() const;
};

// What somebody has asked for by the annotation.
enum class Asked { nothing, leaf, authority };

struct SecretObject {
  Json object;  // as the API server gave it
  Contents contents;
  Asked asked = Asked::nothing;
  std::string trouble;  // with the annotation: a sentence; "" for none
};

// What is missing in it, is no text, or is not base64, is empty.
//
//   errors  bad_json: it is no JSON, or larger than we read
//           bad_value: it is no object, or its metadata, annotations or data are none
Result<SecretObject> read_secret(std::string_view json);

// The object with other contents, to be written in its place; `answered`: without the annotation.
std::string with_contents(const SecretObject& secret, const Contents& contents, bool answered);

client::Resource secrets(std::string_view ns);

}  // namespace tpuwh::server::kube::certificate
