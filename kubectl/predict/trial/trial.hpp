// What an API server says to the objects of a manifest, to the Jobs, Services and other objects
// that controllers would make of them, and to one Pod of each template, all tried as dry runs, with
// the rights of whoever asks. Nothing is stored.
//
// "Could not be asked" is an answer of its own: what follows from nothing being stored (a namespace
// that stands in the same input, a name that is taken, an owner that a webhook looks for), or from
// who asks, is no refusal. Whoever asks needs no right of a controller.
#pragma once

#include "kubectl/inspect/dry_run/outcome.hpp"
#include "kubectl/inspect/source/manifests.hpp"
#include "kubectl/predict/trial/samples.hpp"
#include "kubectl/predict/wrappers/wrapper.hpp"
#include "server/kube/client/request.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tpuwh::server::trial {

enum class Said { accepted, refused, not_asked };
const char* name(Said said);

// Of one object, or of Pods that are alike.
struct Tried {
  // "JobSet ml/train", "Job ml/train-workers-0 (first of 4) of JobSet ml/train", "8 Pods of JobSet
  // ml/train", "all 3 Services of namespace ml"
  std::string what;
  Said said = Said::accepted;
  std::string sentence = {};              // by whom, or why not
  std::vector<std::string> differs = {};  // what the running webhook does otherwise
};

// "Job default/train: refused: ResourceQuota compute refused it: …", without the differences.
std::string words(const Tried& tried);

// How it is asked; functions, so that tests answer themselves.
struct Asking {
  std::function<dry_run::Answer(const kube::client::Resource& resource, const Json& object)> create;
  // The ResourceQuotas of a namespace; nothing where they may not be read.
  std::function<std::optional<std::vector<Json>>(const std::string& ns)> quotas;
};

struct TrialRequest {
  std::span<const source::Manifest> manifests;  // as files hold them
  std::span<const wrappers::Wrapper> rules;     // kinds of a user
  std::string ns;                               // of objects that name none
  std::string prefix;                           // of our annotations
  std::string nonce;                            // webhook::answer::is_nonce()
};

// Objects in the order of the manifests, what their controllers make, Pods; then what
// ResourceQuotas do not hold of all of them, without what exists already, and what comes of that.
std::vector<Tried> run_trial(const TrialRequest& request, const Samples& samples,
                             const Asking& asking);

}  // namespace tpuwh::server::trial
