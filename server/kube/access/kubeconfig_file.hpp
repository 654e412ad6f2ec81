// Kubeconfigs as they stand on disk: read, merged, and read field by field.
//
//   format  v1 Config, https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
#pragma once

#include "base/result.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tpuwh::server::kube::access {

// One file.
struct KubeconfigFile {
  std::string path;    // as it was given
  std::string folder;  // absolute: what relative paths in it start from
  text::LocatedYaml document;

  // "PATH:12: users[0].user.token: WHAT" for the JSON pointer of a member.
  Error wrong(const std::string& pointer, const std::string& what) const;
};

// One object in a file, and its members by name. The first one of another type than the one
// asked for is kept as the error, and all that follow read as absent: ask at the end.
class KubeconfigFields {
 public:
  KubeconfigFields(std::shared_ptr<const KubeconfigFile> file, std::string pointer);

  bool has(const std::string& key) const;    // there, and not null
  std::string text(const std::string& key);  // "" if absent
  bool flag(const std::string& key);         // false if absent
  // The string as a path: relative ones start from the folder of the file. "" if absent.
  std::string path(const std::string& key);
  // The bytes of KEY-data, which come before those of the file KEY. Empty text for neither;
  // `file` is told where the text is from, "" for the data.
  std::string pem(const std::string& key, std::string_view label, std::string& file);
  KubeconfigFields at(const std::string& key) const;
  const Json* value(const std::string& key) const;

  std::string resolved(const std::string& path) const;
  // An error at the member, or at the object itself for "".
  Error wrong(const std::string& key, const std::string& what) const;
  // "PATH:12"
  std::string place() const;
  const std::optional<Error>& error() const { return error_; }

 private:
  void fail(const std::string& key, const std::string& what);

  std::shared_ptr<const KubeconfigFile> file_;
  std::string pointer_;
  const Json* object_;  // of file_; null if there is none
  std::optional<Error> error_;
};

// Several files as one: of each name the first file's entry holds, whole.
class Kubeconfig {
 public:
  using Entries = std::map<std::string, KubeconfigFields>;

  // Files that do not exist are passed over. One that is not a kubeconfig is an error.
  static Result<Kubeconfig> load(const std::vector<std::string>& files);

  const std::string& current_context() const { return current_context_; }
  const Entries& contexts() const { return contexts_; }
  const Entries& clusters() const { return clusters_; }
  const Entries& users() const { return users_; }
  // The files that were read: "/a" or "/a:/b".
  std::string files() const;
  bool empty() const { return files_.empty(); }

 private:
  std::optional<Error> add(const std::shared_ptr<const KubeconfigFile>& file);
  static std::optional<Error> add_list(const std::shared_ptr<const KubeconfigFile>& file,
                                       const std::string& list, const std::string& inner,
                                       Entries& entries);

  std::vector<std::string> files_;
  std::string current_context_;
  Entries contexts_, clusters_, users_;
};

}  // namespace tpuwh::server::kube::access
