#include "server/review/reviewer.hpp"

#include "webhook/outcome/summary.hpp"
#include "webhook/read/body.hpp"
#include "webhook/validate/validate.hpp"

namespace tpuwh::server::review {

webhook::answer::Answer Reviewer::answer(std::string& review) {
  const webhook::read::Body body(review);
  auto answer = webhook::answer::admit(body, config_, cluster_, workspace_, ledger_);
  if (answer.summary.reason == webhook::outcome::Reason::not_a_pod)
    answer = webhook::validate::validate(body, config_, cluster_, workspace_);
  return answer;
}

}  // namespace tpuwh::server::review
