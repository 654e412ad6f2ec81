#include "kubectl/cli/program.hpp"

#include "kubectl/cli/catalog_flags.hpp"
#include "kubectl/cli/completion.hpp"
#include "kubectl/cli/doctor_flags.hpp"
#include "kubectl/cli/explain_flags.hpp"
#include "kubectl/cli/findings_flags.hpp"
#include "kubectl/cli/ledger_flags.hpp"
#include "kubectl/cli/policy_flags.hpp"
#include "kubectl/cli/review_flags.hpp"
#include "kubectl/cli/slices_flags.hpp"
#include "kubectl/reference/rules_diff/command.hpp"
#include "server/cli/config_flags.hpp"
#include "server/cli/rules_flags.hpp"

namespace tpuwh::server::cli::kubectl_tpu {

namespace {

constexpr auto program_example = R"(
Examples:
  kubectl tpu explain -f train.yaml
  kubectl tpu review pod.yaml
  kubectl tpu catalog v6e 4x4
  kubectl tpu audit
  kubectl tpu ledger list
  kubectl tpu doctor
  kubectl tpu help review)";

constexpr std::string_view of_the_server[] = {"serve"};

void add_commands(CLI::App& program, Command& chosen) {
  add_explain(program, chosen);
  add_review(program, chosen);
  add_slices(program, chosen);
  add_audit(program, chosen);
  add_doctor(program, chosen);
  add_ledger(program, chosen);
  add_catalog(program, chosen);
  add_findings(program, chosen);
  add_policy(program, chosen);
  add_rules(program, chosen, rules_diff::run_rules_diff);
  add_config(program, chosen);
  add_completion(program, chosen);
}

}  // namespace

const Program& program() {
  static constexpr Program made{
      .file = "kubectl-tpu",
      .called = "kubectl tpu",
      .what = "Show what tpu-webhook makes of a manifest, and the TPU slices of a cluster",
      .examples = program_example,
      .add_commands = add_commands,
      .completed = completed,
      .elsewhere = of_the_server,
      .other = "tpu-webhook"};
  return made;
}

}  // namespace tpuwh::server::cli::kubectl_tpu
