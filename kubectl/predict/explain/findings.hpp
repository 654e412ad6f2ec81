// Collects the findings about an object and its Pods, without duplicates.
#pragma once

#include "kubectl/predict/explain/explanation.hpp"
#include "kubectl/review/outcome.hpp"
#include "webhook/validate/findings.hpp"

#include <map>
#include <string>
#include <vector>

namespace tpuwh::server::explain {

// "TPU-412"
std::string id_of(webhook::findings::Finding finding);

class Findings {
 public:
  // Adds the findings from the review of the object itself.
  // faults  the reasons for a refusal, one per element; `reply` has all of them in one text
  void add_object(const review::Reply& reply, const std::vector<webhook::validate::Found>& faults);
  // Adds the findings from the webhook's review of one of the object's Pods.
  void add_pod(const review::Reply& reply) { add(reply, 1); }
  void add(Finding finding);

  bool any_denied() const;
  // The text that refuses the object; "" where none does.
  const std::string& refusal() const { return refusal_; }

  // Denials first.
  std::vector<Finding> take();

 private:
  void add(const review::Reply& reply, std::size_t pods);

  std::vector<Finding> list_;
  std::map<std::string, std::size_t> by_text_;
  std::string refusal_;
};

}  // namespace tpuwh::server::explain
