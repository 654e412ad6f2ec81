#include "webhook/validate/plain.hpp"

#include "webhook/controllers/counts.hpp"
#include "webhook/workloads/table.hpp"

#include <list>
#include <optional>
#include <string>

namespace tpuwh::webhook::validate {

namespace {

using base::json::Reader;
using workloads::PlainMaker;

// Before a key of ours: none of a controller's begins so.
constexpr std::string_view no_prefix = "/";

struct Part {
  std::string_view name, service;
  std::optional<std::uint32_t> count;
  Reader::Mark pod_template;
};

// Of the object's spec, the first of a member counts: the API server refuses a second one.
bool read_part(Reader& in, Reader::Mark place, const PlainMaker& maker, Part& part) {
  return object_at(in, place, [&](std::string_view key, base::json::Seen& seen) {
    if (key == maker.count) return in.first(seen, 0) && optional_count(in, part.count);
    if (key == maker.pod_template) return in.first(seen, 1) && keep_place(in, part.pod_template);
    if (!maker.parts.empty() && key == maker.part_name)
      return in.first(seen, 2) && base::json::optional_text(in, part.name);
    if (maker.parts.empty() && !maker.service.empty() && key == maker.service)
      return in.first(seen, 3) && base::json::optional_text(in, part.service);
    return in.skip();
  });
}

class Plain {
 public:
  Plain(Checker& checker, const workloads::ObjectKind& kind)
      : checker_(checker), kind_(kind), maker_(*kind.maker) {}

  bool check(const Part& part) {
    const Title title = maker_.parts.empty() ? Title{} : Title{"part ", part.name};
    if (!checker_.open(title, part.pod_template)) return !checker_.reader().failed();
    make_first_pod(part);
    checker_.report(checker_.decide());
    check_count(part);
    return true;
  }

 private:
  // Of Pod 0, which lives as long as its template is looked at.
  std::string_view kept(std::string_view pattern, const Part& part) {
    return texts_.emplace_back(
        workloads::filled(pattern, checker_.object().name, bounded(part.name), "0"));
  }

  void make_first_pod(const Part& part) {
    texts_.clear();
    read::Pod& pod = checker_.pod();
    pod.owner = {kind_.kind, checker_.object().name, {}};
    pod.name = pod.hostname = kept(maker_.pod_name, part);
    if (!part.service.empty()) pod.subdomain = part.service;
    if (!maker_.subdomain.empty()) pod.subdomain = kept(maker_.subdomain, part);
    for (const workloads::Written& each : maker_.labels)
      if (const auto label = read::find_label(each.key, no_prefix))
        checker_.label(*label, kept(each.value, part));
    for (const workloads::Written& each : maker_.annotations)
      if (const auto annotation = read::find_annotation(each.key, no_prefix))
        checker_.annotation(*annotation, kept(each.value, part));
  }

  void check_count(const Part& part) {
    const topology::Slice* slice = checker_.slice();
    if (slice == nullptr || !slice->multi_host()) return;
    const std::uint64_t count = controllers::one_or(part.count);
    const bool through = checker_.told().member.names.numbered;
    if (through) checker_.add_slices(count / slice->hosts);
    if (through ? count % slice->hosts == 0 : count == slice->hosts) return;
    checker_.wrong_size(Finding::statefulset_size,
                        count_in_words(maker_.count, part.count) + ", but " +
                            hosts_by_arithmetic(*slice) + ": expected " +
                            (through ? "a multiple of it, or the last slice waits forever"
                                     : std::to_string(slice->hosts)));
  }

  Checker& checker_;
  const workloads::ObjectKind& kind_;
  const PlainMaker& maker_;
  std::list<std::string> texts_;
};

}  // namespace

bool check_plain(Checker& checker, Reader::Mark spec, const workloads::ObjectKind& kind) {
  const PlainMaker& maker = *kind.maker;
  Reader& in = checker.reader();
  Plain plain(checker, kind);
  if (maker.parts.empty()) {
    Part part;
    return read_part(in, spec, maker, part) && plain.check(part);
  }
  std::string_view service;
  const bool read = object_at(in, spec, [&](std::string_view key, base::json::Seen& seen) {
    return !maker.service.empty() && key == maker.service
               ? in.first(seen, 0) && base::json::optional_text(in, service)
               : in.skip();
  });
  return read && elements_at(in, spec, maker.parts, [&] {
           Part part;
           Reader::Mark place;
           if (!keep_place(in, place) || !read_part(in, place, maker, part)) return false;
           part.service = service;
           return plain.check(part);
         });
}

}  // namespace tpuwh::webhook::validate
