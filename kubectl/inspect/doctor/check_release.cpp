// What Helm knows of the installation: without its record, or in the middle of a change, it can
// mend nothing.
#include "kubectl/inspect/doctor/check.hpp"
#include "kubectl/inspect/doctor/commands.hpp"
#include "kubectl/inspect/doctor/entries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tpuwh::server::doctor {

namespace {

constexpr auto release_line = "release";

// The namespace was deleted with all that is in it; what the API server calls is in none, and
// stays.
void say_that_it_is_gone(const View& view, Checks& out) {
  const auto names = refusing(view);
  const std::string gone = fmt::format(
      "namespace {} does not exist, but the webhook configurations do: no replica answers",
      view.ns);
  if (names.empty()) return warn(out, release_line, gone, put_back(view));
  fail(out, release_line,
       fmt::format("{}, and Pods that are sent to {} are refused", gone, fmt::join(names, ", ")),
       fmt::format("let Pods be created: {}; {}", stop_calling(), put_back(view)));
}

void check_pending(const Release& release, const std::vector<Revision>& all, Checks& out) {
  const Revision& last = all.front();
  const auto good = std::ranges::find_if(all, [](const Revision& each) {
    return each.status == "deployed" || each.status == "superseded";
  });
  const std::string what = fmt::format(
      "revision {} of release {} is {}: Helm refuses every other change until it is ended",
      last.number, release.name, last.status);
  if (last.status == "uninstalling" || good == all.end())
    return fail(out, release_line, what,
                with_note("if no helm is running: " + uninstall(release), "then install it again"));
  warn(out, release_line, what, "if no helm is running: " + roll_back(release, good->number));
}

}  // namespace

void check_release(const View& view, Checks& out) {
  const auto release = our_release(view);
  if (view.name_space.found == Found::absent && view.configuration.there())
    return say_that_it_is_gone(view, out);
  if (!release) {
    if (view.configuration.there())
      ok(out, release_line,
         "no object was installed by Helm: whoever rendered the chart applies it again");
    return;
  }
  if (!view.releases_asked) return unknown(out, release_line, view.releases.why);
  if (!view.releases.there()) return unknown(out, release_line, view.releases.why);
  const auto all = revisions(view.releases);
  if (all.empty())
    return warn(
        out, release_line,
        fmt::format("Helm has no record of release {} in namespace {}: it can neither upgrade "
                    "nor uninstall it",
                    release->name, release->ns),
        put_back(view));
  if (all.front().status.starts_with("pending") || all.front().status == "uninstalling")
    return check_pending(*release, all, out);
  ok(out, release_line,
     fmt::format("release {} in namespace {}: revision {} is {}", release->name, release->ns,
                 all.front().number, all.front().status));
}

}  // namespace tpuwh::server::doctor
