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

  // Returns all CAs as one PEM text. The order does not depend on which CA signs, so the text does
  // not change when another CA becomes the signing CA.
  std::string bundle() const;
};

// The certificate that the annotation tpu-webhook.dev/renew asks to renew: none, the server's
// certificate (leaf) or the CA's (authority).
enum class Asked { nothing, leaf, authority };

struct SecretObject {
  Json object;  // as the API server sent it
  Contents contents;
  Asked asked = Asked::nothing;
  std::string trouble;  // a sentence about the annotation; "" for none
};

// Reads a Secret from JSON. If a value in the Secret's data is missing, is not a string or is not
// base64, it is read as "".
//
//   errors  bad_json: the text is not JSON, or exceeds the limits of kube::client::parse_bounded()
//           bad_value: the Secret, its metadata, annotations or data is not an object
Result<SecretObject> read_secret(std::string_view json);

// Returns the Secret as JSON text, with `contents` in its data. If `answered` is true, removes the
// annotation tpu-webhook.dev/renew, because `contents` fulfils the request in this annotation.
std::string with_contents(const SecretObject& secret, const Contents& contents, bool answered);

kube::client::Resource secrets(std::string_view ns);

}  // namespace tpuwh::server::certificate
