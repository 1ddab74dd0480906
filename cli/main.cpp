// fardel: one program with a table of verbs. docs/man/fardel.1 is its manual.

#include "console/completion.h"
#include "console/figures.h"
#include "console/help_text.h"
#include "console/json.h"
#include "console/version_text.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/base/invocation.h>
#include <fardel/base/memory.h>
#include <fardel/packer/nearest_word.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

struct Verb {
    std::string_view group;
    std::string_view name;
    std::string_view summary;
    Result<Exit> (*run)(Words words, Console& console);
};

constexpr std::string_view kPlayers = "Players";
constexpr std::string_view kAuthors = "Authors and modders";
constexpr std::string_view kBuilds = "Builds of a project";
constexpr std::string_view kServers = "Servers";
constexpr std::string_view kEverybody = "Everybody";

// In groups by who asks for them; a verb is shown once, where most of its users look.
constexpr Verb kVerbs[] = {
    {kPlayers, "install", "install bundles of a channel by name, with what they require", run_install},
    {kPlayers, "update", "bring what is installed to the newest versions that do", run_update},
    {kPlayers, "remove", "take bundles out of what is installed", run_remove},
    {kPlayers, "list", "list what is installed, and what of it is recalled", run_list},
    {kPlayers, "fetch", "bring bundles from a server into a store, and of each only what is missing", run_fetch},
    {kPlayers, "mount", "show bundles as a folder, through FUSE", run_mount},
    {kPlayers, "store", "keep bundles in a folder, with the blocks that they share stored once", run_store},
    {kPlayers, "license", "issue, keep and show tokens for bundles that require a licence", run_license},
    {kAuthors, "init", "write a project file to start from", run_init},
    {kAuthors, "pack", "create a bundle from folders and game archives", run_pack},
    {kAuthors, "repack", "write a bundle again, smaller or faster to read, under the same id", run_repack},
    {kAuthors, "audit", "list missing references and unused assets", run_audit},
    {kAuthors, "keygen", "create a key pair to sign with", run_keygen},
    {kAuthors, "sign", "sign or countersign a bundle", run_sign},
    {kAuthors, "append", "put a bundle behind a program, which finds it there", run_append},
    {kAuthors, "publish", "write bundles into a folder that a file server serves", run_publish},
    {kAuthors, "links", "list the names and bundles that are missing", run_links},
    {kAuthors, "conflicts", "list the names that one bundle hides from another", run_conflicts},
    {kBuilds, "build", "build the bundle that a project file describes", run_build},
    {kBuilds, "watch", "build, and build again whenever something changes", run_watch},
    {kBuilds, "graph", "show which files of a project are made from which, or refer to which", run_graph},
    {kBuilds, "log", "compare the logs of two builds: why a job ran again, or its result was not found", run_log},
    {kBuilds, "job", "run jobs of another machine's build, from a cache that both share", run_job},
    {kBuilds, "cache", "check and trim the caches of the packer", run_cache},
    {kBuilds, "trace", "record what a game opens, so that it is stored and fetched in that order", run_trace},
    {kBuilds, "delta", "make or apply what turns one bundle into another", run_delta},
    {kBuilds, "sbom", "write the licences and origins of what is in bundles, as SPDX", run_sbom},
    {kBuilds, "report", "write an HTML page about bundles: sizes, duplicates, missing files", run_report},
    {kServers, "serve", "serve published bundles, or those of a store, over HTTP", run_serve},
    {kServers, "channel", "say which bundles are current, and which are recalled, for players who follow", run_channel},
    {kServers, "registry", "take bundles from authors, check and countersign them, and put them into a channel",
     run_registry},
    {kServers, "pure", "prove to a server that a client has only what the server allows", run_pure},
    {kServers, "trust", "create and show trust policies", run_trust},
    {kEverybody, "verify", "verify every byte of bundles, and list everything that is wrong", run_verify},
    {kEverybody, "id", "print a bundle's id", run_id},
    {kEverybody, "ls", "list the names in a bundle", run_ls},
    {kEverybody, "cat", "print the bytes of an asset", run_cat},
    {kEverybody, "extract", "write a bundle's assets to a folder", run_extract},
    {kEverybody, "which", "explain which asset a path leads to, and why", run_which},
    {kEverybody, "diff", "show what changed from one bundle to another", run_diff},
    {kEverybody, "doctor", "say what this machine has, what is wrong, and what to do about it", run_doctor},
    {kEverybody, "completion", "print the script with which a shell completes command lines", run_completion},
};

std::string overview() {
    std::string text =
        "Fardel packs game assets into signed, content-addressed bundles and verifies them.\n\n"
        "Usage: fardel VERB [arguments]\n";
    std::string_view group;
    for (const Verb& verb : kVerbs) {
        if (verb.group != group)
            text += fmt::format("\n{}:\n", verb.group);
        group = verb.group;
        text += fmt::format("  {:<10} {}\n", verb.name, verb.summary);
    }
    return fit_help(
        text +
        "\nExamples:\n"
        "  fardel pack mygame/ -o mygame.fardel --name mygame --version 1.0\n"
        "  fardel verify mygame.fardel --trust policy.trust\n"
        "  fardel cat mygame.fardel default.cfg\n\n"
        "'fardel VERB --help' explains one verb, 'man fardel' all of them. 'fardel doctor' looks at this machine.\n");
}

Result<Exit> run_unknown(const std::string& word, Console& console) {
    std::vector<std::string_view> names;
    std::ranges::transform(kVerbs, std::back_inserter(names), &Verb::name);
    const auto nearest = find_nearest_word(word, names);
    console.say(fmt::format("fardel: there is no verb '{}'; {}'fardel --help' lists the verbs", word,
                            nearest ? fmt::format("did you mean '{}'? ", *nearest) : ""));
    return Exit::usage;
}

// `words`: those before the one that is typed, and that one.
Result<Exit> complete(Words words, Console& console) {
    if (words.size() < 2) {
        const std::string_view current = words.empty() ? "" : std::string_view(words[0]);
        return console.print(
            format_each(kVerbs, [&](const Verb& verb) { return candidate(verb.name, verb.summary, current); }));
    }
    if (words[0] == "help")
        return complete(words.subspan(1), console);
    const auto verb = std::ranges::find(kVerbs, words[0], &Verb::name);
    if (verb == std::ranges::end(kVerbs))
        return Exit::fine;
    std::vector<std::string> request(words.begin(), words.end());
    request[0] = kCompletionRequest;
    return verb->run(request, console);
}

Result<Exit> run(std::vector<std::string> words, Console& console) {
    if (words.empty()) {
        console.say("fardel: a verb is missing; 'fardel --help' lists the verbs");
        return Exit::usage;
    }
    if (words[0] == "--version")
        return console.print(fmt::format("fardel {}\n", version_text()));
    if (words[0] == kCompletionRequest)
        return complete(Words(words).subspan(1), console);
    if (words[0] == "help" && words.size() == 2)  // fardel help pack
        words = {words[1], "--help"};
    // Two spellings of one word, also of the options (command_line.cpp).
    if (words[0] == "licence")
        words[0] = "license";
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help")
        return console.print(overview());
    const auto verb = std::ranges::find(kVerbs, words[0], &Verb::name);
    if (verb == std::ranges::end(kVerbs))
        return run_unknown(words[0], console);
    return verb->run(Words(words).subspan(1), console);
}

// With --json, programs that read the output get the error there, too.
Status print_error_json(const Error& error, Console& console) {
    if (!console.expects_json() || console.has_output())
        return ok();
    FARDEL_TRY(console.write(format_json(json_of(error)) + "\n"));
    return console.flush();
}

// Flushes the output and reports the error.
Exit finish(Result<Exit> result, Console& console) {
    if (result) {
        if (Status written = console.flush(); !written)
            result = std::move(written).error();
    }
    if (console.reader_gone())
        return Exit::fine;  // the reader has read all that it wanted
    if (result)
        return *result;
    static_cast<void>(print_error_json(result.error(), console));  // the exit status says what failed
    console.say(result.error());
    return exit_for(result.error().code());
}

int main_of(std::vector<std::string> words) {
    return_freed_lists();
    Console console;
    const Exit exit = finish(run(std::move(words), console), console);
    if (const int signal = Interrupt::caught(); signal != 0 && exit != Exit::fine)
        Interrupt::die_of(signal);
    return static_cast<int>(exit);
}

}  // namespace
}  // namespace fardel

int main(int count, char** words) { return fardel::main_of(fardel::words_of_program(count, words)); }
