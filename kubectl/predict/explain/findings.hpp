// What is said about an object and its Pods, each thing once.
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
  // Of the object's own review.
  //
  //   faults  what it is refused for, which is one text in the answer
  void add_object(const review::Reply& reply, const std::vector<webhook::validate::Found>& faults);
  // Of one of its Pods.
  void add_pod(const review::Reply& reply) { add(reply, 1); }
  void add(Finding finding);

  // Marks as denied the findings of the object that policies refuse, too, although the webhook only
  // warns of them.
  template <class Refuses>
  void deny_if(Refuses&& refuses) {
    for (Finding& each : list_) each.denied = each.denied || refuses(each);
  }

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
