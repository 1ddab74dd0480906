// fardel: one program, a table of verbs. docs/man/fardel.1 is its manual.

#include "console/interrupt.h"
#include "verbs.h"

#include <fardel/packer/nearest_word.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

struct Verb {
    std::string_view name;
    std::string_view does;
    Result<Exit> (*run)(Words words, Console& console);
};

constexpr Verb kVerbs[] = {
    {"init", "write a project file to begin with", run_init},
    {"build", "make the bundle that a project file describes", run_build},
    {"watch", "build, and again whenever something changes", run_watch},
    {"graph", "tell which files of a project are made of which, or name which", run_graph},
    {"pack", "make a bundle from folders and game archives", run_pack},
    {"audit", "tell what assets name and is not there, and what nobody names", run_audit},
    {"id", "print a bundle's id", run_id},
    {"ls", "list what is in a bundle", run_ls},
    {"cat", "print an asset's bytes", run_cat},
    {"extract", "write a bundle's assets to a folder", run_extract},
    {"verify", "prove bundles good, or list all that is wrong", run_verify},
    {"keygen", "make a key pair to sign with", run_keygen},
    {"sign", "sign or countersign a bundle", run_sign},
    {"trust", "make and show trust policies", run_trust},
    {"which", "explain why a path is the asset that it is", run_which},
    {"conflicts", "tell every name that one bundle hides from another", run_conflicts},
    {"links", "tell every name and bundle that is missing", run_links},
    {"diff", "tell what changed from one bundle to another", run_diff},
    {"report", "write a page about bundles or a project: sizes, duplicates, what is missing", run_report},
    {"mount", "show bundles as a folder, through FUSE", run_mount},
    {"pure", "show that a client has what a server allows, and nothing else", run_pure},
    {"cache", "look after what the packer need not make twice", run_cache},
};

std::string overview() {
    std::string text =
        "Fardel packs game assets into signed, content-addressed bundles, and proves them good.\n\n"
        "Usage: fardel VERB [arguments]\n\nVerbs:\n";
    for (const Verb& verb : kVerbs)
        text += fmt::format("  {:<10} {}\n", verb.name, verb.does);
    return text +
           "\nExamples:\n"
           "  fardel pack mygame/ -o mygame.fardel --name mygame --version 1.0\n"
           "  fardel verify mygame.fardel --trust policy.trust\n"
           "  fardel cat mygame.fardel default.cfg\n\n"
           "'fardel VERB --help' tells about one verb, 'man fardel' about all; 'fardel --version' prints the "
           "version.\n";
}

Result<Exit> run_unknown(const std::string& word, Console& console) {
    std::vector<std::string_view> names;
    std::ranges::transform(kVerbs, std::back_inserter(names), &Verb::name);
    const auto nearest = find_nearest_word(word, names);
    console.say(fmt::format("fardel: there is no verb '{}'; {}'fardel --help' lists the verbs", word,
                            nearest ? fmt::format("did you mean '{}'? ", *nearest) : ""));
    return Exit::usage;
}

Result<Exit> print(std::string_view text, Console& console) {
    FARDEL_TRY(console.write(text));
    return Exit::fine;
}

Result<Exit> run(std::vector<std::string> words, Console& console) {
    if (words.empty()) {
        console.say("fardel: no verb; try 'fardel --help'");
        return Exit::usage;
    }
    if (words[0] == "--version")
        return print("fardel " FARDEL_VERSION "\n", console);
    if (words[0] == "help" && words.size() == 2)  // fardel help pack
        words = {words[1], "--help"};
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help")
        return print(overview(), console);
    const auto verb = std::ranges::find(kVerbs, words[0], &Verb::name);
    if (verb == std::ranges::end(kVerbs))
        return run_unknown(words[0], console);
    return verb->run(Words(words).subspan(1), console);
}

// Ends with what was written on its way, and says what went wrong.
Exit finish(Result<Exit> result, Console& console) {
    if (result) {
        if (Status written = console.flush(); !written)
            result = std::move(written).error();
    }
    if (console.reader_gone())
        return Exit::fine;  // it has read all that it wanted
    if (result)
        return *result;
    console.say(result.error());
    return exit_for(result.error().code());
}

int main_of(std::vector<std::string> words) {
    Console console;
    const Exit exit = finish(run(std::move(words), console), console);
    if (const int signal = Interrupt::caught(); signal != 0 && exit != Exit::fine)
        Interrupt::die_of(signal);
    return static_cast<int>(exit);
}

}  // namespace
}  // namespace fardel

int main(int count, char** words) {
    return fardel::main_of(std::vector<std::string>(words + std::min(count, 1), words + count));
}
