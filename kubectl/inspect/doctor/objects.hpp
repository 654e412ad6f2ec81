// Which objects `doctor` reads, from a running cluster or from a file.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/kube/client/request.hpp"

#include <string>

namespace tpuwh::server::doctor {

// A running cluster, or a file.
class Objects {
 public:
  virtual ~Objects() = default;

  // `kind` is what an object of `resource` calls itself.
  virtual Read get(const kube::client::Resource& resource, const std::string& kind,
                   const std::string& name) = 0;
  // `labels`: "a=b,c=d", "" for all.
  virtual ReadList list(const kube::client::Resource& resource, const std::string& kind,
                        const std::string& labels) = 0;
};

// The MutatingWebhookConfiguration tpu-webhook.
Read our_configuration(Objects& objects);

// Helm's records of our release, after read_objects(). They are Secrets, which nobody should write
// into a file: of a running cluster alone; in a file, why not.
void read_releases(Objects& objects, View& view);

// Every object of the view, whose `ns` is known. What may not be read, or is not there, is said
// in its place.
void read_objects(Objects& objects, View& view);

}  // namespace tpuwh::server::doctor
