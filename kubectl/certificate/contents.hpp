// The Secret with the certificate of the server, as a value. Its format is that of releases whose
// replicas issued their certificate: during an upgrade or a rollback both write it.
//
//   tls.crt, tls.key          the certificate that is served, and its key: all that is mounted
//   ca.crt, ca.key            the CA that signed it
//   next-ca.crt, next-ca.key  while the CA is being renewed: the one that will sign next
//   old-ca.crt                after that, for a while: the one that signed before
//   bundle.crt                the CAs that callers must trust: the value of every caBundle
//
// Its annotation tpu-webhook.dev/renew, "certificate" or "ca", asks for a renewal before its time.
#pragma once

#include "base/result.hpp"
#include "server/kube/client/request.hpp"
#include "server/text/json_text.hpp"
#include "server/tls/context.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::certificate {

struct Contents {
  tls::Pair authority;        // signs the leaf
  tls::Pair next_authority;   // trusted already, has signed nothing; empty for none
  std::string old_authority;  // signs nothing any more, is still trusted: PEM; empty for none
  tls::Pair leaf;

  bool operator==(const Contents&) const = default;

  // PEM. The text depends on the CAs alone, not on which of them signs.
  std::string bundle() const;
};

// The renewal that the annotation asks for.
enum class Asked { nothing, leaf, authority };

struct SecretObject {
  Json object;  // as the API server sent it
  Contents contents;
  Asked asked = Asked::nothing;
  std::string trouble;  // a sentence about the annotation; "" for none
};

// Reads a Secret. A value that is missing, is no text, or is not base64, is empty.
//
//   errors  bad_json: the text is no JSON, or larger than we read
//           bad_value: the Secret, its metadata, annotations or data are no object
Result<SecretObject> read_secret(std::string_view json);

// Returns the object with other contents; if `answered`, without the annotation.
std::string with_contents(const SecretObject& secret, const Contents& contents, bool answered);

kube::client::Resource secrets(std::string_view ns);

}  // namespace tpuwh::server::certificate
