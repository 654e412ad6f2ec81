// Two JSON values, field by field: what is installed, and what was to be.
#pragma once

#include "kubectl/inspect/doctor/view.hpp"
#include "server/text/json.hpp"

#include <string>
#include <vector>

namespace tpuwh::server::doctor {

// A field that is another. `found` or `wanted` is null where it is not there.
struct Difference {
  std::string path;  // "clientConfig.service.name", "matchConditions[tpu].expression"
  Json found, wanted;

  // A field that nobody renders: what renders the rest again does not take it away.
  bool is_more() const { return wanted.is_null(); }
};

// Members of objects by their name; elements of a list by their "name", where all have one; a list
// of texts as a set; any other list as a whole. Whitespace in texts does not count.
std::vector<Difference> differences(const Json& found, const Json& wanted);

// "port is 8443, want 443"; a long text is not repeated.
std::string sentence(const Difference& difference);
std::string sentences(const std::vector<Difference>& all);

// `object` with the members of `defaults` that it has not, in its members too; in each element
// of a list, those of the list's only one.
Json filled(Json object, const Json& defaults);

// A token of a pointer: "/" and "~" in a name.
std::string escaped(const std::string& token);

// The pointer of RFC 6901 to a path of `found`: a name in brackets becomes its element's index.
std::string pointer(const Json& found, const std::string& path);

}  // namespace tpuwh::server::doctor
