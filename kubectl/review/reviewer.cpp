#include "kubectl/review/reviewer.hpp"

#include "webhook/outcome/summary.hpp"
#include "webhook/read/body.hpp"

namespace tpuwh::server::review {

webhook::answer::Answer Reviewer::answer(std::string& review) {
  const webhook::read::Body body(review);
  auto answer = webhook::answer::admit(body, config_, cluster_, workspace_, ledger_);
  if (answer.summary.reason == webhook::outcome::Reason::not_a_pod)
    answer = webhook::validate::validate(body, config_, cluster_, workspace_);
  return answer;
}

std::vector<webhook::validate::Found> Reviewer::faults(std::string& review) {
  return webhook::validate::faults_of(webhook::read::Body(review), config_, cluster_, workspace_);
}

}  // namespace tpuwh::server::review
