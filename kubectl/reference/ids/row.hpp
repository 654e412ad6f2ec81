// What tools find beside what the webhook does (webhook_rows.hpp): a row for each, with
// an id of the same kind.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace tpuwh::server::ids {

struct Row {
  std::string_view id;     // "TPU-701": for good, never given to another
  std::string_view name;   // "duplicate-worker-id"
  std::string_view level;  // the worst that is said of it: "error", "fail", "warn", "ok"
  // Whole sentences for people.
  std::string_view what;  // what is found; of doctor, what is checked
  std::string_view fix;
};

// The name of a row of `rows`. One that they do not have does not compile, so that whatever is
// printed under a name has an id.
template <const auto& rows>
class Name {
 public:
  consteval Name(const char* name)
      : row_(std::ranges::find(rows, std::string_view(name), &Row::name)) {
    if (row_ == std::end(rows)) throw "no row has this name";
  }
  operator std::string() const { return std::string(row_->name); }

 private:
  const Row* row_;
};

// The id of one of `rows`; "" for what is no name of theirs.
template <class Rows>
std::string_view id_of(const Rows& rows, std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) ? std::string_view() : row->id;
}

// Returns the fix that the row of an id advises, or "" if there is no such row.
template <class Rows>
std::string fix_of(const Rows& rows, std::string_view id) {
  const auto* row = std::ranges::find(rows, id, &Row::id);
  return row == std::end(rows) ? std::string() : std::string(row->fix);
}

}  // namespace tpuwh::server::ids
