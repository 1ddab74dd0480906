// What `fardel --complete` answers, and the scripts for shells, loaded and asked in the shells themselves.

#include "sample.h"

#include <set>
#include <sstream>

namespace fardel::tests::completion_test {

// The words before the tabs.
std::set<std::string> words_of(const std::string& answer) {
    std::set<std::string> words;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);)
        words.insert(line.substr(0, line.find('\t')));
    return words;
}

std::set<std::string> complete(Arguments words) {
    words.insert(words.begin(), "--complete");
    return words_of(run_well(words));
}

// "  -o,--output OUT   …" → -o, --output
std::set<std::string> options_in(const std::string& help) {
    std::set<std::string> options;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("  -"))
            continue;
        std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
        for (std::string name; std::getline(names, name, ',');)
            options.insert(name);
    }
    return options;
}

TEST_CASE("completion: each verb and sub-verb offers all of its options, and no others") {
    std::size_t asked = 0;
    for (const std::string& verb : complete({""})) {
        std::vector<Arguments> commands;
        for (const std::string& step : complete({verb, ""}))
            if (!step.starts_with(':') && !step.empty())
                commands.push_back({verb, step});
        if (verb == "completion")
            continue;  // its sub-verbs have none
        if (commands.empty())
            commands.push_back({verb});
        for (Arguments command : commands) {
            CAPTURE(verb);
            CAPTURE(command.back());
            command.push_back("-");
            const auto offered = complete(command);
            command.back() = "--help";
            CHECK(offered == options_in(run_well(command)));
            CHECK(offered.contains("--help"));
            ++asked;
        }
    }
    CHECK(asked > 60);
}

TEST_CASE("completion: verbs, sub-verbs, options, files and folders, each where it may stand") {
    CHECK(complete({"pa"}) == std::set<std::string>{"pack"});
    CHECK(complete({"help", "verif"}) == std::set<std::string>{"verify"});
    CHECK(complete({"store", "p"}) == std::set<std::string>{"pin"});
    CHECK(complete({"trust", "re"}) == std::set<std::string>{"remove", "revoke"});
    CHECK(complete({"completion", ""}) == std::set<std::string>{"bash", "fish", "zsh"});
    CHECK(complete({"pack", "--lev"}) == std::set<std::string>{"--level"});
    CHECK(complete({"pack", "game/"}) == std::set<std::string>{":files"});
    CHECK(complete({"pack", "game", "-o", ""}) == std::set<std::string>{":files"});
    CHECK(complete({"pack", "game", "--level", ""}).empty());
    CHECK(complete({"pack", "game", "--name", "x"}).empty());
    CHECK(complete({"install", "--store", ""}) == std::set<std::string>{":folders"});
    CHECK(complete({"install", "--lock=fa"}) == std::set<std::string>{":files"});
    CHECK(complete({"pack", "--", "--lev"}) == std::set<std::string>{":files"});
    CHECK(complete({"pack", "--json", ""}) == std::set<std::string>{":files"});  // a flag takes no value
    CHECK(complete({"pakc", ""}).empty());
    CHECK(complete({"store", "exprot", ""}).empty());
    CHECK(complete({"list", "\x1b"}).size() <= 1);
    CHECK(run_well({"--complete"}) == run_well({"--complete", ""}));
    check_has(run_well({"--complete", "pac"}), "pack\tcreate a bundle from folders and game archives\n");
}

// The folder has files and folders to offer; `fardel` is the program.
struct ShellRoom {
    ShellRoom() {
        scratch.write("here/castle.fardel", "");
        scratch.write("here/castle files/map", "");
        fs::create_directories(scratch.path("bin"));
        fs::create_symlink(FARDEL_PROGRAM, scratch.path("bin/fardel"));
        surroundings.folder = scratch.path("here");
        surroundings.variables = {{"PATH", scratch.path("bin") + ":/usr/bin:/bin"}, {"HOME", scratch.path("here")}};
    }
    // What the shell prints for a script.
    std::string ask(const std::string& shell, const Arguments& options, const std::string& script) const {
        Arguments words{shell};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"-c", script});
        const Outcome outcome = run_program(words, surroundings);
        CAPTURE(script);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 0);
        CHECK(outcome.err == "");
        return outcome.out;
    }

    const ScratchFolder scratch;
    Surroundings surroundings;
};

TEST_CASE_FIXTURE(ShellRoom, "completion: bash loads the script, and offers words and files") {
    // As bash splits a line: at blanks, = and :.
    const auto typed = [&](const std::string& words) {
        return ask("bash", {"--norc"},
                   "source <(fardel completion bash) && complete -p fardel >/dev/null && COMP_WORDS=(" + words +
                       ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _fardel fardel; printf '%s\\n' "
                       "\"${COMPREPLY[@]}\"");
    };
    CHECK(typed("fardel pac") == "pack\n");
    CHECK(typed("fardel trust ''") == "init\nadd\nremove\nrevoke\nshow\ntest\n");
    CHECK(typed("fardel pack 'castle files' --lev") == "--level\n");
    CHECK(words_of(typed("fardel verify cas")) == std::set<std::string>{"castle.fardel", "castle files"});
    CHECK(typed("fardel install --store ''") == "castle files\n");
    CHECK(typed("fardel install --lock = castle.") == "castle.fardel\n");
}

TEST_CASE_FIXTURE(ShellRoom, "completion: zsh loads the script, and types what the program offers") {
    // A zsh at a terminal of another one: Ctrl-X prints what Tab has made of the line.
    const std::string script = R"sh(
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'autoload -Uz compinit; compinit -u -D; source <(fardel completion zsh)'
zpty -w shell 'tell() { zle -I; print -r -- "LINE[""$BUFFER]"; BUFFER=; }; zle -N tell; bindkey "^X" tell'
zpty -w shell 'print REA""DY'
zpty -r shell shown '*READY*'
for line in 'fardel verif' 'fardel trust rev' 'fardel pack x --lev' 'fardel verify castle.' \
    'fardel install --store cas' 'fardel install --lock=castle.'; do
    zpty -w -n shell "$line"$'\t\x18'
    zpty -r shell shown '*LINE\[*\]*'
    print -r -- "${${shown##*LINE\[}%%\]*}"
done
zpty -d shell
)sh";
    CHECK(ask("zsh", {"-f"}, script) ==
          "fardel verify \nfardel trust revoke \nfardel pack x --level \nfardel verify castle.fardel \n"
          "fardel install --store castle\\ files/\nfardel install --lock=castle.fardel \n");
}

TEST_CASE_FIXTURE(ShellRoom, "completion: fish loads the script, and offers words and files") {
    const auto typed = [&](const std::string& line) {
        return ask("fish", {"--no-config"}, "fardel completion fish | source; complete -C '" + line + "'");
    };
    CHECK(words_of(typed("fardel pac")) == std::set<std::string>{"pack"});
    CHECK(words_of(typed("fardel trust re")) == std::set<std::string>{"remove", "revoke"});
    CHECK(words_of(typed("fardel pack x --lev")) == std::set<std::string>{"--level"});
    CHECK(words_of(typed("fardel verify cas")) == std::set<std::string>{"castle.fardel", "castle files/"});
    CHECK(words_of(typed("fardel install --store cas")) == std::set<std::string>{"castle files/"});
    CHECK(words_of(typed("fardel install --lock=castle.")) == std::set<std::string>{"--lock=castle.fardel"});
}

}  // namespace fardel::tests::completion_test
