#include "kubectl/x509/certificates.hpp"
#include "server/tls/context.hpp"
#include "tests/fuzz/growth.hpp"
#include "tests/fuzz/targets.hpp"

#include <stdexcept>

namespace tpuwh::fuzz {

namespace tls_room = server::tls;

void pem(std::string_view bytes) {
  const std::string text(bytes);
  // 2027-01-01: the same every day.
  const tls_room::SystemTime now{std::chrono::seconds(1'798'761'600)};
  try {
    const auto context = tls_room::make_context({text, text}, now);
    require(context->not_before <= now && now < context->not_after, "served out of its dates");
  } catch (const std::runtime_error& refused) {
    require_sentence(refused.what());
  }
  const auto certificates = server::x509::read_certificates(text);
  if (certificates) require(!certificates->empty(), "none is not an error");
  if (!certificates) require_sentence(certificates.error().message());
  const auto verified = server::x509::verify_chain(text, text, "localhost", now);
  if (!verified) require_sentence(verified.error().message());
  server::x509::belongs_to(text, text);
  require_linear_time(bytes, "\n", [](std::string_view input) {
    server::x509::read_certificates(std::string(input));
  });
}

}  // namespace tpuwh::fuzz
