// fardel pure: the handshake of pure mode from a shell, with files for messages. docs/pure-mode.md describes it.

#include "pure/pure_verbs.h"
#include "verbs.h"

namespace fardel {
namespace {

constexpr SubVerb kPureVerbs[] = {{"policy", run_pure_policy},
                                  {"test", run_pure_test},
                                  {"offer", run_pure_offer},
                                  {"answer", run_pure_answer},
                                  {"check", run_pure_check}};

constexpr std::string_view kPureHelp =
    "Pure mode from a shell: the policy of a server, and the handshake that proves that a client follows it.\n\n"
    "Usage: fardel pure policy FILE... -o POLICY [options]\n"
    "       fardel pure test --policy POLICY --mount FILE... [options]\n"
    "       fardel pure offer --policy POLICY --connection ID --state DIR -o OFFER [options]\n"
    "       fardel pure answer --offer OFFER --policy POLICY --connection ID --mount FILE... -o ANSWER [options]\n"
    "       fardel pure check --answer ANSWER --policy POLICY --connection ID --state DIR --mount FILE... [options]\n\n"
    "Examples:\n"
    "  fardel pure policy base.fardel map.fardel -o server.pure\n"
    "  fardel pure test --policy server.pure --mount base.fardel --mount map.fardel\n"
    "  fardel pure offer --policy server.pure --connection alice --state state -o offer\n"
    "  fardel pure answer --offer offer --policy server.pure --connection alice --mount base.fardel --mount map.fardel "
    "-o answer --report report\n"
    "  fardel pure check --answer answer --report report --policy server.pure --connection alice --state state "
    "--mount base.fardel --mount map.fardel\n\n"
    "'fardel pure answer --help' explains one sub-verb. More: man fardel-pure\n";

}  // namespace

Result<Exit> run_pure(Words words, Console& console) {
    return run_sub_verb("pure", kPureVerbs, kPureHelp, words, console);
}

}  // namespace fardel
