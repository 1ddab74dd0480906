#include "sample.h"

#include <map>
#include <sstream>

namespace fardel::tests::help_test {

const std::vector<std::string> kVerbs = {
    "init",       "build",   "watch",   "graph",   "pack",    "audit",  "id",     "ls",    "cat",
    "extract",    "verify",  "keygen",  "sign",    "repack",  "trust",  "which",  "links", "delta",
    "diff",       "report",  "mount",   "pure",    "cache",   "serve",  "trace",  "fetch", "conflicts",
    "store",      "publish", "license", "channel", "install", "update", "remove", "list",  "registry",
    "completion", "doctor",  "append",  "log",     "job",     "sbom"};

// The verbs of a verb; empty if it has none.
std::vector<std::string> steps_of(const std::string& verb) {
    static const std::map<std::string, std::vector<std::string>> steps = {
        {"trust", {"init", "add", "remove", "revoke", "show", "test"}},
        {"pure", {"policy", "test", "offer", "answer", "check"}},
        {"cache", {"layers", "init", "stats", "trim", "verify", "export"}},
        {"log", {"diff"}},
        {"job", {"run"}},
        {"trace", {"record", "show", "merge"}},
        {"channel", {"init", "sign", "publish", "release", "head", "rotate", "status"}},
        {"registry", {"init", "recall", "transfer", "fsck", "sign"}},
        {"license", {"issue", "add", "ls", "show"}},
        {"store", {"add", "ls", "export", "fsck", "pin", "unpin", "rm", "gc", "stats"}},
    };
    const auto found = steps.find(verb);
    return found == steps.end() ? std::vector<std::string>() : found->second;
}

std::vector<std::string> options_in(const std::string& help) {
    std::vector<std::string> options;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
        if (const auto at = line.find("--"); line.starts_with("  -") && at != std::string::npos)
            options.push_back(line.substr(at, line.find_first_of(" ,", at) - at));
    return options;
}

std::string roff_of(std::string text) {
    for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
        text.insert(at, "\\");
    return text;
}

TEST_CASE("help: every verb has --help with an example, and 'help VERB' is the same") {
    for (const std::string& verb : kVerbs) {
        CAPTURE(verb);
        const std::string help = run_well({verb, "--help"});
        CHECK(help.find("Usage: fardel " + verb) != std::string::npos);
        CHECK(help.find("Examples:\n  fardel " + verb) != std::string::npos);
        CHECK(help.find("man fardel-" + verb) != std::string::npos);
        CHECK(run_well({"help", verb}) == help);
    }
}

TEST_CASE("help: the overview names every verb") {
    const std::string overview = run_well({"--help"});
    for (const std::string& verb : kVerbs)
        CHECK(overview.find("\n  " + verb + " ") != std::string::npos);
    CHECK(run_well({"help"}) == overview);
    CHECK(run_well({"-h"}) == overview);
}

std::size_t longest_line_of(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        longest = std::max(longest, line.size() - (line.ends_with('\r') ? 1 : 0));
    return longest;
}

// `fardel --help >tests/cli/help/overview.txt` and the like write them again.
TEST_CASE("help: the pages that most people see first are those that were read and kept, at 80 columns") {
    const std::map<std::string, Arguments> captured = {
        {"overview", {"--help"}}, {"install", {"install", "--help"}}, {"mount", {"mount", "--help"}}};
    for (const auto& page : captured) {
        CAPTURE(page.first);
        CHECK(run_well(page.second) == read_file(FARDEL_SOURCE_DIR "/tests/cli/help/" + page.first + ".txt"));
    }
    CHECK(longest_line_of(run_well({"--help"})) <= 80);
}

TEST_CASE("help: lines are as long as the terminal allows, and descriptions stay in their column") {
    const std::string wide = run_at_terminal({"--help"}, {}, {.columns = 110}).out;
    const std::string narrow = run_at_terminal({"--help"}, {}, {.columns = 60}).out;
    CHECK(longest_line_of(wide) > 80);
    CHECK(longest_line_of(wide) <= 110);
    check_has(wide, "bring bundles from a server into a store, and of each only what is missing\r\n");
    check_has(narrow, "\n             they require\r\n");
    const std::string options = run_at_terminal({"install", "--help"}, {}, {.columns = 60}).out;
    CHECK(longest_line_of(options.substr(0, options.find("Examples:"))) <= 60);
    const std::string stated = run_at_terminal({"license", "--help"}, {}, {.columns = 50}).out;
    CHECK(longest_line_of(stated.substr(0, stated.find("Examples:"))) <= 50);
}

TEST_CASE("help: every option of every verb is in its man page") {
    for (const std::string& verb : kVerbs) {
        const std::string page = read_file(FARDEL_SOURCE_DIR "/docs/man/fardel-" + verb + ".1");
        CAPTURE(verb);
        CHECK(page.find(".SH EXAMPLES") != std::string::npos);
        CHECK(page.find(".SH EXIT STATUS") != std::string::npos);
        std::vector<std::string> helps;
        for (const std::string& step : steps_of(verb))
            helps.push_back(run_well({verb, step, "--help"}));
        if (helps.empty())
            helps = {run_well({verb, "--help"})};
        for (const std::string& help : helps)
            for (const std::string& option : options_in(help)) {
                CAPTURE(option);
                CHECK((option == "--help" || page.find(roff_of(option)) != std::string::npos));
            }
    }
}

TEST_CASE("help: the man pages are valid roff") {
    REQUIRE_MESSAGE(run_program({"groff", "--version"}).exit_code == 0, "setup/install-dependencies installs groff");
    for (const std::string& verb : kVerbs) {
        const Outcome outcome =
            run_program({"groff", "-man", "-Tutf8", "-ww", "-z", FARDEL_SOURCE_DIR "/docs/man/fardel-" + verb + ".1"});
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.err == "");
    }
}

TEST_CASE("the program: prints its version") { CHECK(run_well({"--version"}).starts_with("fardel ")); }

TEST_CASE("the program: a missing or unknown verb is a usage error") {
    const Outcome none = run({});
    CHECK(none.exit_code == 2);
    CHECK(none.err == "fardel: a verb is missing; 'fardel --help' lists the verbs\n");

    const Outcome near = run({"pakc"});
    CHECK(near.exit_code == 2);
    CHECK(near.err == "fardel: there is no verb 'pakc'; did you mean 'pack'? 'fardel --help' lists the verbs\n");
    CHECK(run({"verfy"}).err.find("did you mean 'verify'?") != std::string::npos);
    CHECK(run({"lss"}).err.find("did you mean 'ls'?") != std::string::npos);
    check_has(run({"store", "exprot"}).err, "did you mean 'export'?");
    check_has(run({"pack", "a", "-o", "b", "--exlude", "*.psd"}).err, "did you mean --exclude?");
    check_has(run({"fetch", "--chanel=a/b"}).err, "did you mean --channel?");
    CHECK(run({"pack", "a", "-o", "b", "--frobnicate"}).err.find("did you mean") == std::string::npos);
    CHECK(run({"frobnicate"}).err.find("did you mean") == std::string::npos);
    CHECK(run({"\x1b[31mred\n"}).err.find('\x1b') == std::string::npos);
}

TEST_CASE("the program: a wrong command line is reported in one line, with exit code 2") {
    const std::vector<Arguments> wrong = {
        {"pack"},
        {"pack", "a"},
        {"pack", "-o", "x.fardel"},
        {"pack", "a", "-o", "x.fardel", "--level", "20"},
        {"pack", "a", "-o", "x.fardel", "--level", "0"},
        {"pack", "a", "-o", "x.fardel", "--level", "nine"},
        {"pack", "a", "-o", "x.fardel", "--level", "010x"},
        {"pack", "a", "-o", "x.fardel", "--jobs", "-1"},
        {"pack", "a", "-o", "x.fardel", "--frobnicate"},
        {"pack", "a", "-o", "x.fardel", "--signer", "./prog"},
        {"pack", "a", "-o", "nul"},
        {"pack", "a.toml", "b", "-o", "x.fardel"},
        {"init", "a", "b"},
        {"init", "nul"},
        {"build", "a", "b"},
        {"id"},
        {"id", "a", "b"},
        {"ls"},
        {"cat", "a"},
        {"extract", "a"},
        {"extract", "a", "-C", "b", "../c"},
        {"verify"},
        {"keygen"},
        {"keygen", "-o", "author.pub"},
        {"sign", "a"},
        {"sign", "a", "--key", "k", "--role", "king"},
        {"sign", "a", "--role", "author"},
        {"sign", "a", "--key", "k", "--role", "registry", "--name", "n"},
        {"sign", "a", "--key", "k", "--role", "author", "--expires", "tomorrow"},
        {"sign", "a", "--key", "k", "--role", "author", "--expires", "2027-02-30"},
        {"sign", "a", "--key", "k", "--role", "author", "--cosign", "--comment", "c"},
        {"trust"},
        {"trust", "innit"},
        {"trust", "init", "p"},
        {"which", "path"},
        {"which", "--mount", "a"},
        {"conflicts"},
        {"links"},
        {"diff", "a"},
        {"report"},
        {"sbom"},
        {"mount", "a"},
        {"mount", "--unmount", "a", "b"},
        {"mount", "--unmount", "a", "--foreground"},
        {"mount", "--unmount", "a", "--links"},
        {"mount", "a", "b", "--pure", "p", "--trust", "t", "--links"},
        {"pure"},
        {"pure", "mode"},
        {"pure", "offer", "--policy", "p"},
        {"cache"},
        {"cache", "empty"},
        {"log", "diff", "a"},
        {"job", "run", "a"},
        {"job", "run", "--cache", "a"},
        {"cache", "layers", "a", "b"},
        {"cache", "stats"},
        {"cache", "trim", "a", "--size", "much"},
        {"cache", "trim", "a", "--size", "99999999T"},
        {"store", "gc", "--unused", "1y"},
        {"store", "gc", "--grace", "-1d"},
        {"store", "gc", "--incoming", ""},
        {"store", "gc", "--size", "10X"},
        {"store", "gc", "--source-size", "1.5G"},
        {"store", "gc", "--repack", "101"},
        {"store", "gc", "--source", "http://a.example"},
        {"fetch", "http://a.example", "b", "--max-bytes", "many"},
        {"fetch", "http://a.example", "b", "--rate", "1023"},
        {"serve", "a", "--upload-tokens", "b", "--upload-quota", "0"},
        {"serve", "a", "--delta-budget", "0"},
        {"cache", "export", "a"},
    };
    const ScratchFolder scratch;
    for (const Arguments& arguments : wrong) {
        std::string line;
        for (const std::string& word : arguments)
            line += word + " ";
        CAPTURE(line);
        const Outcome outcome = run(arguments, {.folder = scratch.root()});
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.out == "");
        CAPTURE(outcome.err);
        CHECK(outcome.err.starts_with("fardel: "));
        CHECK(outcome.err.find("--help'\n") != std::string::npos);
        CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    }
    CHECK(list_folder(scratch.root()) == "");
}

}  // namespace fardel::tests::help_test
