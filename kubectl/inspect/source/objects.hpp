// The objects of Kubernetes in what a person has of a cluster: the one reader of all commands.
//
//   files    what source::input_files() takes, folders with those in them (`cluster-info dump
//            --output-directory`, must-gather); each text as
//            kubectl/inspect/source/documents.hpp reads it
//   lists    a List, lists in it, and typed ones ("PodList": kubectl get --raw, curl,
//            cluster-info dump), whose items carry neither kind nor version and get the list's
//   watches  events of `kubectl get -w --output-watch-events -o json`: the object in them; DELETED
//            says that it is gone
//
// explain takes the manifests out of it (manifests.hpp), review what it answers, and slices, audit,
// doctor, ledger and --cluster the latest state of each object (snapshot_file.hpp).
#pragma once

#include "base/result.hpp"
#include "kubectl/inspect/source/documents.hpp"
#include "kubectl/objects/api_version.hpp"
#include "server/text/json.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::source {

// One object, or what stands where one should. Views into the text; none of it is checked beyond
// its brackets.
struct ReadObject {
  std::string_view json;
  std::string_view kind, api_version;  // of an item without them, what its list says; "" for none
  std::string_view ns, name, uid, resource_version;
  std::size_t line = 1;        // where it begins
  bool named_by_list = false;  // kind or version does not stand on it
  bool deleted = false;        // a watch saw it go
  bool is_object = true;       // false for a number, a text or an array
  bool has_status = false;

  // Of api_version; "" where there is none, too.
  std::string_view group() const { return objects::split_api_version(api_version).group; }

  // Its value, with kind and version. `said`: of a key that stands twice (objects::read_json()).
  //
  //   errors  read_json()'s, with the line
  Result<Json> value(std::string* said = nullptr) const;
};

// What its lists say besides.
struct Lists {
  // The kinds of typed lists ("Pod"), also of empty ones.
  std::set<std::string, std::less<>> typed;
  // A sentence for each that goes on elsewhere (limit=, continue).
  std::vector<std::string> cut_short;
};

// Tells every object of a document, in order. Their views live as long as the document and the
// reader.
//
//   errors  bad_json, with the line: a list of YAML without its kind, which is written last, so
//           that it is cut off
//   cost    in proportion to the text, which is walked twice
class ObjectReader {
 public:
  using Each = std::function<void(ReadObject object)>;

  ObjectReader();
  ~ObjectReader();
  Result<void> read(const source::Document& document, const Each& each);
  const Lists& lists() const { return lists_; }

 private:
  class Walk;

  std::deque<std::string> kept_;  // strings with escapes
  Lists lists_;
};

}  // namespace tpuwh::server::source
