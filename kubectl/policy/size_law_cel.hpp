// The CEL of the size law: from an object to what is wrong with it, a variable a step.
//
// A list of lists is what each step makes: of the object, and of the one that an update replaces,
// the templates of its Pods. A value of a map is dyn(), since the API server takes maps of one type
// alone. Each number is held to a pattern before it is one, and each list to a length before it is
// gone through: an expression that is too expensive is no answer.
#pragma once

#include "webhook/findings/finding.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::policy {

struct Fault {
  webhook::findings::Finding finding;
  // CEL over `size`, of the last step: true for a template with this fault.
  std::string_view holds;
  std::string_view sentence = {};  // CEL, behind the id and the template's title; "" with `count`
  // The sentence is "COUNT is 2, but 4x4 with 4 chips per Pod has 4 hosts (16 / 4)", of this member
  // of the template's `of`; "missing, which means 1" where it is absent.
  std::string_view count = {};
  std::string_view end = {};  // of the sentence, plain text
};

// The steps that are the same for each kind, from `templates` to `sizes`. Names:
//   templates  title, labels (of the object), pod (a PodTemplateSpec), of (what counts its Pods)
//   sizes      template, topology, chips (of a Pod), all (of the slice), hosts (1 where the number
//              of Pods is not judged), has ("4x4 with 4 chips per Pod has 4 hosts (16 / 4)")
struct Step {
  std::string name;
  std::string expression;
};
std::vector<Step> steps(std::string_view prefix);

// What is wrong with a topology and its chips, whoever makes the Pods.
std::span<const Fault> faults_of_shapes();

// Replaces the placeholders in `text` for the resources that ask for chips
// (webhook/read/vocabulary.hpp): "@names@" by the list of these resources, "@in_limits@" and
// "@in_requests@" by the condition that container `c` asks for one of them.
std::string with_chips(std::string_view text);

// The text with `value` at each `place`.
std::string with(std::string_view text, std::string_view place, std::string_view value);

// "[a, b]": of each object the faults of its templates, in CEL. A template has one at most: the
// first of the list that holds.
std::string faults_cel(const std::vector<Fault>& faults);

}  // namespace tpuwh::server::policy
