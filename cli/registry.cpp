// fardel registry: makes and looks after registries, which 'fardel serve --registry' serves. Its sub-verbs are in
// registry/.

#include "registry/registry_verbs.h"
#include "verbs.h"

namespace fardel {
namespace {

constexpr std::string_view kRegistryHelp =
    "Usage: fardel registry init|recall|transfer|fsck|sign ...\n\n"
    "A registry takes bundles from their authors, checks and countersigns them, and makes them part of a channel.\n\n"
    "  init FOLDER -o ROOT       write the rules and the first root of the channel\n"
    "  recall FOLDER ID          withdraw a bundle, as the operator\n"
    "  transfer FOLDER NAME KEY  give a name to another author\n"
    "  fsck FOLDER               say everything that is wrong, and write the pages again\n"
    "  sign ROLE --key KEY       be the program that has a key of the registry\n\n"
    "Examples:\n"
    "  fardel registry fsck /srv/www/hub\n"
    "  fardel serve /srv/www/hub --registry --signer hub-signer --registry-key registry.key.pub "
    "--release-key release.key.pub --head-key head.key.pub\n"
    "  fardel publish castle.fardel https://hub.example --key author.key\n\n"
    "'fardel registry init --help' explains one sub-verb. More: man fardel-registry\n";

}  // namespace

Result<Exit> run_registry(Words words, Console& console) {
    static constexpr SubVerb kVerbs[] = {
        {"init", run_registry_init}, {"recall", run_registry_recall}, {"transfer", run_registry_transfer},
        {"fsck", run_registry_fsck}, {"sign", run_registry_sign},
    };
    return run_sub_verb("registry", kVerbs, kRegistryHelp, words, console);
}

}  // namespace fardel
