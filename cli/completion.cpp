// fardel completion: prints the script with which a shell completes command lines of fardel.

#include "completion/completion_scripts.h"
#include "verbs.h"

namespace fardel {

Result<Exit> run_completion(Words words, Console& console) {
    static constexpr std::string_view kHelp =
        "Usage: fardel completion bash|zsh|fish\n"
        "\n"
        "Prints a script for a shell, which then completes verbs, options and files of fardel. "
        "An installed fardel has put these scripts where the shells look for them.\n"
        "\n"
        "  bash        source <(fardel completion bash)\n"
        "  zsh         source <(fardel completion zsh), after compinit\n"
        "  fish        fardel completion fish | source\n"
        "\n"
        "Examples:\n"
        "  fardel completion bash > ~/.local/share/bash-completion/completions/fardel\n"
        "  fardel completion fish > ~/.config/fish/completions/fardel.fish\n"
        "\n"
        "More: man fardel-completion\n";
    static constexpr SubVerb kShells[] = {
        {"bash", [](Words, Console& out) { return out.print(bash_completion()); }},
        {"zsh", [](Words, Console& out) { return out.print(zsh_completion()); }},
        {"fish", [](Words, Console& out) { return out.print(fish_completion()); }},
    };
    return run_sub_verb("completion", kShells, kHelp, words, console);
}

}  // namespace fardel
