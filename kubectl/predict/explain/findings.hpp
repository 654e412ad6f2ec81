// The findings of an object and its Pods, each of them once.
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
  // Adds the findings of the object's own review.
  //
  //   faults  the reasons of a refusal, which are one text in the answer
  void add_object(const review::Reply& reply, const std::vector<webhook::validate::Found>& faults);
  // Adds the findings of one of its Pods.
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
