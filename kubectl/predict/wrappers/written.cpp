#include "kubectl/predict/wrappers/written.hpp"

namespace tpuwh::server::wrappers {

namespace {

bool is_in(const std::string& part, const std::string& whole) {
  return part.starts_with(whole) && (part.size() == whole.size() || part[whole.size()] == '/');
}

}  // namespace

std::optional<Place> where_written(const source::Origin& origin, const std::string& part) {
  const source::Written* longest = nullptr;
  for (const source::Written& each : origin.written) {
    if (each.part != part && is_in(each.part, part)) return std::nullopt;
    if (is_in(part, each.part) && (longest == nullptr || each.part.size() >= longest->part.size()))
      longest = &each;
  }
  if (longest == nullptr || longest->kind.empty()) return std::nullopt;
  const std::string rest = part.substr(longest->part.size());
  Place out{*longest, {}};
  out.written.at += rest;
  out.written.part = part;
  for (const source::Written& each : origin.written)
    if (each.part != longest->part && each.at == longest->at && each.kind == longest->kind &&
        each.ns == longest->ns && each.name == longest->name)
      out.also.push_back(each.part + rest);
  return out;
}

source::Written through(const source::Written& written, const source::Origin& origin) {
  const auto found = where_written(origin, written.at);
  if (!found) return {.part = written.part, .kind = {}, .ns = {}, .name = {}, .at = {}};
  return {.part = written.part,
          .kind = found->written.kind,
          .ns = found->written.ns,
          .name = found->written.name,
          .at = found->written.at};
}

}  // namespace tpuwh::server::wrappers
