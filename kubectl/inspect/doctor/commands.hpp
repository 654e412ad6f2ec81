// The helm and kubectl commands that `doctor` advises. A helm command names its release, chart and
// namespace. A `helm upgrade` command keeps each value of the release unless the command sets it.
// Each name that comes from the cluster is quoted as one word of the shell.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::doctor {

// Helm's name for an installation, and the namespace that holds its record of it.
struct Release {
  std::string name, ns;
};

// The release that an object is of, by the annotations that Helm writes. Nothing where Helm did
// not install it, or where the names are none.
std::optional<Release> release_of(const Json& object);

// That of our own objects: what most of them say.
std::optional<Release> our_release(const View& view);

// Revisions of a release by Helm's word, newest first.
struct Revision {
  unsigned number;
  std::string status;  // "deployed", "pending-upgrade"
};
std::vector<Revision> revisions(const ReadList& records);

// "kubectl -n NAMESPACE WHAT".
std::string kubectl(const std::string& ns, std::string_view what);

// How to give values other contents: `--set` and the like, complete. All others stay, also those
// whose default was another when the installation was made. Without a release, in words.
std::string with_values(const View& view, const std::vector<std::string>& flags);

// Returns the command that applies the chart again with the current values of the installation. The
// command restores objects that were edited or deleted.
std::string put_back(const View& view);

// How a flag (without its "--"), or variables, are taken out of extraArgs and extraEnv, which keep
// all others.
std::string without_argument(const View& view, std::string_view flag);
std::string without_variables(const View& view, const std::set<std::string>& names);

// Returns the command of put_back() with a note: if a field was edited with kubectl, Helm 4 needs
// the flag --force-conflicts to overwrite the field.
std::string as_the_chart_says(const View& view);

// A fix, and what is to be known besides, or is another way: behind a "#", so that no shell takes
// it for a command when the whole is pasted.
std::string with_note(const std::string& fix, std::string_view note);

// How to install it where nothing is.
std::string install(const View& view);

std::string uninstall(const Release& release);
// "helm rollback NAME REVISION -n NAMESPACE"
std::string roll_back(const Release& release, unsigned revision);

// Returns whether the installation has the same version as this program, that is, whether no
// installed object has another version in its label app.kubernetes.io/version.
bool is_of_this_release(const View& view);

// Returns the command that prints the log of the webhook's Deployment.
std::string log_of_the_program(const View& view);
// Returns the command that prints the log of the keeper, the Deployment that renews the
// certificate.
std::string log_of_the_keeper(const View& view);

// Whether cert-manager issues the certificate and writes the caBundle: by the annotation that asks
// for it, or the Certificate of the chart's.
bool is_cert_managers(const View& view);

// How the API server comes to trust the certificate: by whoever writes the caBundle.
std::string how_to_trust(const View& view);

// Returns the command that deletes both webhook configurations, so that Pods can be created while
// no replica answers.
std::string stop_calling();

}  // namespace tpuwh::server::doctor
