// Types the commands of README.md and docs/, in their order, with what a reader of each page has at hand. A fence "sh"
// is typed; "sh not-typed: REASON" is not. Verbs and options of every command that a page, a man page or a help text
// shows are those of the program.
#include "sample.h"

#include "kit/nginx.h"
#include "kit/s3_server.h"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace fardel::tests::documents_test {

namespace fs = std::filesystem;

const fs::path kRoot = FARDEL_SOURCE_DIR;

// ---- Fences ---------------------------------------------------------------------------------------------------------

struct Fence {
    std::size_t line = 0;
    std::string word;  // behind the ```
    std::string text;
};

std::vector<Fence> fences_of(const std::string& page) {
    std::vector<Fence> fences;
    std::istringstream lines(page);
    bool inside = false;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto at = line.find_first_not_of(' ');
        if (at != std::string::npos && line.compare(at, 3, "```") == 0) {
            if (!inside)
                fences.push_back({.line = number, .word = line.substr(at + 3), .text = ""});
            inside = !inside;
        } else if (inside) {
            fences.back().text += line + "\n";
        }
    }
    CHECK_FALSE(inside);
    return fences;
}

const std::regex kCommandLine("(^|\n) *([A-Z_]+=[^ ]+ )*fardel [a-z]");
constexpr std::string_view kNotTyped = "sh not-typed: ";

bool has_command(const Fence& fence) { return std::regex_search(fence.text, kCommandLine); }

std::vector<fs::path> pages() {
    std::vector<fs::path> found{kRoot / "README.md"};
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs"))
        if (entry.path().extension() == ".md")
            found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

// What is typed of a page, in its order.
std::string typed_of(const std::string& page) {
    std::string text;
    for (const Fence& fence : fences_of(read_file(kRoot / page)))
        if (fence.word == "sh")
            text += fence.text;
    return std::regex_replace(text, std::regex("fardel ([^#\n]*)# ends with ([0-9])"), "expect $2 fardel $1# ");
}

// ---- Verbs and options ----------------------------------------------------------------------------------------------

// "" if the verb, or the verb of a verb, does not exist.
const std::string& help_of(const std::string& verb, const std::string& step) {
    static std::map<std::string, std::string> known;
    const auto [found, is_new] = known.try_emplace(verb + " " + step);
    if (is_new) {
        const Outcome outcome = run(step.empty() ? Arguments{verb, "--help"} : Arguments{verb, step, "--help"});
        found->second = outcome.exit_code == 0 ? outcome.out : "";
    }
    return found->second;
}

// Whether the help has the option, at the beginning of a line.
bool has_option(const std::string& help, const std::string& option) {
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  -")) {
            std::istringstream names(line.substr(0, line.find("  ", 2)));
            for (std::string name; std::getline(names, name, ',');)
                if (name.substr(name.find_first_not_of(' ')).substr(0, name.find(' ', 3)) == option ||
                    name.substr(name.find_first_not_of(' '), option.size() + 1) == option + " " ||
                    name.substr(name.find_first_not_of(' ')) == option)
                    return true;
        }
    return false;
}

// What is wrong with "pack game/ -o x --name y"; empty: nothing.
std::string wrong_with(const std::string& command) {
    std::istringstream text(std::regex_replace(command, std::regex("'[^']*'|\"[^\"]*\""), "TEXT"));
    std::vector<std::string> words;
    for (std::string word; text >> word && word != "#" && word != "--" && word != "|" && word != ">" && word != "&&";)
        words.push_back(word);
    if (words.empty() || !std::regex_match(words[0], std::regex("[a-z]+")))
        return "";  // a placeholder
    if (words[0] == "help")
        return "";
    const bool has_step = words.size() > 1 && std::regex_match(words[1], std::regex("[a-z]+"));
    std::string help = help_of(words[0], "");
    if (help.empty())
        return "there is no verb " + words[0];
    const bool is_verb_of_verbs = help.find("\n  -") == std::string::npos;
    if (is_verb_of_verbs && has_step)
        help = help_of(words[0], words[1]);
    if (help.empty())
        return words[0] + " has no verb " + words[1];
    if (is_verb_of_verbs && !has_step)
        return "";
    for (std::string word : words) {
        word = word.substr(0, word.find_first_of("=]|,;)"));
        if (std::regex_match(word, std::regex("--[a-z][a-z-]*|-[a-zA-Z]")) && word != "--help" &&
            !has_option(help, word))
            return "there is no option " + word;
    }
    return "";
}

// The commands of a text whose lines may go on behind a backslash.
std::vector<std::string> commands_in(std::string text) {
    text = std::regex_replace(text, std::regex("\\\\\n *"), "");
    std::vector<std::string> commands;
    std::istringstream lines(text);
    const std::regex form("^ *(?:[A-Z_]+=[^ ]+ )*fardel ([a-z].*)$");
    for (std::string line; std::getline(lines, line);)
        if (std::smatch match; std::regex_match(line, match, form))
            commands.push_back(match[1]);
    return commands;
}

TEST_CASE("documents: each block with commands of fardel is typed, or says why not") {
    std::size_t typed = 0;
    for (const fs::path& page : pages())
        for (const Fence& fence : fences_of(read_file(page))) {
            CAPTURE(page.string());
            CAPTURE(fence.line);
            if (!has_command(fence))
                continue;
            const bool says_why = fence.word.starts_with(kNotTyped) && fence.word.size() > kNotTyped.size() + 10;
            CHECK_MESSAGE((fence.word == "sh" || says_why), fence.text);
            typed += fence.word == "sh" ? 1 : 0;
        }
    CHECK(typed > 30);
}

TEST_CASE("documents: verbs and options of all commands in pages are those of the program") {
    const std::regex inline_form("`fardel ([a-z][^`]*)`");
    for (const fs::path& page : pages()) {
        const std::string text = read_file(page);
        std::vector<std::string> commands;
        for (const Fence& fence : fences_of(text))
            for (std::string& command : commands_in(fence.text))
                commands.push_back(std::move(command));
        for (std::sregex_iterator at(text.begin(), text.end(), inline_form), end; at != end; ++at)
            commands.push_back((*at)[1]);
        CAPTURE(page.string());
        const std::regex title("[a-z ]+ [0-9]+");  // the first line of a text, "fardel content set 1"
        for (const std::string& command : commands)
            CHECK_MESSAGE((std::regex_match(command, title) || wrong_with(command) == ""), command);
    }
}

TEST_CASE("documents: verbs and options of all examples in man pages and help texts are those of the program") {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(kRoot / "docs/man")) {
        CAPTURE(entry.path().string());
        const std::string text = std::regex_replace(read_file(entry.path()), std::regex("\\\\-"), "-");
        const auto examples = text.find(".SH EXAMPLES");
        std::vector<std::string> commands =
            examples == std::string::npos ? std::vector<std::string>() : commands_in(text.substr(examples));
        const std::string verb = entry.path().stem().string();
        if (verb.starts_with("fardel-"))
            for (std::string& command : commands_in(run({verb.substr(7), "--help"}).out))
                commands.push_back(std::move(command));
        for (const std::string& command : commands)
            CHECK_MESSAGE(wrong_with(command) == "", command);
        count += commands.size();
    }
    CHECK(count > 200);
}

TEST_CASE("documents: a verb or an option that does not exist is found") {
    CHECK(wrong_with("pack game/ -o x --name y --version 1.0  # a comment") == "");
    CHECK(wrong_with("pakc game/ -o x") != "");
    CHECK(wrong_with("pack game/ --out x") != "");
    CHECK(wrong_with("pack game/ -q x") != "");
    CHECK(wrong_with("channel releas TREE") != "");
    CHECK(wrong_with("channel release TREE --channel c --recal-bundle ID") != "");
    CHECK(commands_in("a\nfardel pack a \\\n   -o b\nX=1 fardel ls b\n") ==
          std::vector<std::string>{"pack a -o b", "ls b"});
}

// ---- Typing ---------------------------------------------------------------------------------------------------------

// What stands for the program: servers run until the next one begins, and end as they do for an operator; a folder is
// unmounted before something else is mounted there.
constexpr std::string_view kPrelude = R"(set -euo pipefail
server=
stop_server() {
    [[ -z $server ]] && return
    kill -TERM "$server"
    wait "$server"
    server=
}
unmount() {
    "$FARDEL" mount --unmount "$MNT/game"
    while pgrep -f -- "$MNT/game" >/dev/null; do sleep 0.05; done  # its process ends a little later
}
leave_mount() { ! mountpoint -q "$MNT/game" || unmount; }
expect() {
    local expected=$1 status=0
    shift
    "$@" || status=$?
    ((status == expected))
}
fardel() {
    case ${1-} in
    serve)
        stop_server
        local listen=(--listen "127.0.0.1:$PORT")
        [[ " $* " == *" --listen "* ]] && listen=()
        rm -f served  # by the server before
        "$FARDEL" "$@" "${listen[@]}" >served 2>served.err &
        server=$!
        for _ in $(seq 100); do grep -q "^serving" served && return; sleep 0.1; done
        cat served.err >&2
        return 1 ;;
    watch)
        "$FARDEL" "$@" >/dev/null 2>watched.err &
        local watcher=$!
        sleep 1
        kill -TERM "$watcher"
        wait "$watcher" || (($? == 143)) || { cat watched.err >&2; return 1; } ;;
    update)  # the sources of a lock file are those of a stranger, and this one is not on the open net
        "$FARDEL" "$@" --allow-host 127.0.0.1 ;;
    mount | trace)
        [[ ${2-} != --unmount ]] || { unmount; return; }
        leave_mount
        "$FARDEL" "$@" ;;
    *)
        "$FARDEL" "$@" ;;
    esac
}
trap 'status=$?; leave_mount; [[ -z $server ]] || kill "$server" || true; exit $status' EXIT
cd "$WORK"
)";

class Reader {
public:
    explicit Reader(const std::string& page) : page_(page) {
        for (const char* folder : {"work", "home", "mnt/game", "srv/bundles", "srv/fardel", "etc/hub", "state"})
            fs::create_directories(scratch.path(folder));
        scratch.write("passphrase", "a passphrase\n");
        fs::permissions(scratch.path("passphrase"), fs::perms::owner_read | fs::perms::owner_write);
        replace("/srv/www/mygame", nginx.tree());
        replace("/srv/www/mods", nginx.tree());
        replace("https://example.org/mygame", nginx.url());
        replace("https://example.org/mods", nginx.url());
        replace("/srv/", scratch.path("srv/"));
        replace("/mnt/game", scratch.path("mnt/game"));
        replace("/etc/hub", scratch.path("etc/hub"));
        replace("0.0.0.0:8080", "127.0.0.1:" + std::to_string(port));
        replace("http://127.0.0.1:8080", "http://127.0.0.1:" + std::to_string(port));
        replace("127.0.0.1:9100", "127.0.0.1:" + std::to_string(find_free_port()));
    }
    ~Reader() { static_cast<void>(run_program({"fusermount3", "-q", "-u", "-z", scratch.path("mnt/game")})); }

    // In commands, this stands for that.
    void replace(const std::string& text, const std::string& by) { replaced_.emplace_back(text, by); }
    // What the reader has before.
    std::string work(const std::string& name) const { return scratch.path("work/" + name); }
    void have_keys(const std::vector<std::string>& names) const {
        for (const std::string& name : names)
            make_key(scratch, "work/" + name);
    }
    // A bundle with NAME.txt, below maps/ if it is one.
    std::string have_bundle(const std::string& file, const std::string& name, const std::string& version,
                            const std::string& author = "") const {
        have_folder(file + "-files", file);
        run_well({"pack", work(file + "-files"), "-o", work(file + ".fardel"), "--name", name, "--version", version});
        if (!author.empty())
            sign(work(file + ".fardel"), work(author + ".key"), "author");
        return run_well({"id", work(file + ".fardel")}).substr(0, 64);
    }
    void have_folder(const std::string& folder, const std::string& name) const {
        scratch.write("work/" + folder + "/maps/" + name + ".txt", name + noise_text(20'000, 3) + "\n");
    }
    void prepare(const std::string& commands) const { type(commands, "what the reader has"); }

    void type_page() const {
        const std::string commands = typed_of(page_);
        CHECK(std::regex_search(commands, kCommandLine));
        type(commands, page_);
    }

    const ScratchFolder scratch;
    const Nginx nginx{scratch, "nginx", "delivery.md", "/srv/www/mygame"};
    const int port = find_free_port();
    std::vector<std::pair<std::string, std::string>> variables;

    // One command after the other, each with what it ends with and says; nobody is at a terminal.
    struct Step {
        std::string command;
        int exit_code = 0;
        std::string said;  // a part of it
    };
    void take(const std::vector<Step>& steps) const {
        for (const Step& step : steps) {
            const Outcome outcome = run_typed(step.command);
            CAPTURE(step.command);
            CAPTURE(outcome.out);
            CAPTURE(outcome.err);
            CHECK(outcome.exit_code == step.exit_code);
            check_has(outcome.out + outcome.err, step.said);
        }
    }

private:
    Outcome run_typed(std::string commands) const {
        for (const auto& [text, by] : replaced_)
            for (std::size_t at = 0; (at = commands.find(text, at)) != std::string::npos; at += by.size())
                commands.replace(at, text.size(), by);
        const std::string script = scratch.write("script", std::string(kPrelude) + commands + "\n");
        Surroundings surroundings{.variables = {{"HOME", scratch.path("home")},
                                                {"XDG_STATE_HOME", scratch.path("state")},
                                                {"FARDEL_PASSPHRASE_FILE", scratch.path("passphrase")},
                                                {"WORK", scratch.path("work")},
                                                {"MNT", scratch.path("mnt")},
                                                {"PORT", std::to_string(port)}}};
        surroundings.variables.insert(surroundings.variables.end(), variables.begin(), variables.end());
        return run_program({"/bin/bash", script}, surroundings);
    }
    void type(const std::string& commands, const std::string& what) const {
        const Outcome outcome = run_typed("set -x\n" + commands + "\nset +x\nstop_server");
        CAPTURE(what);
        CAPTURE(outcome.out);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 0);
    }

    const std::string page_;
    std::vector<std::pair<std::string, std::string>> replaced_;
};

// A channel whose texts are in the tree: its root is in NAME.root.
void have_channel(const Reader& reader, const std::string& channel, const std::string& root) {
    reader.have_keys({"root-key", "release", "head"});
    reader.prepare("fardel channel init " + channel +
                   " --root root-key.key.pub --release release.key.pub --head head.key.pub -o " + root + "\n" +
                   "fardel channel sign " + root + " --key root-key.key\n" + "fardel channel publish " + root +
                   " /srv/www/mygame\n");
}

TEST_CASE("documents: README.md is typed") {
    Reader reader("README.md");
    reader.have_folder("my-mod", "dm02");
    reader.scratch.write("work/my-game/fardel.toml", "name = \"game\"\nversion = \"1.0\"\nsources = [\"assets\"]\n");
    reader.have_folder("my-game/assets", "dm01");
    reader.scratch.write("work/base-files/maps/dm01.bsp", "a map");
    reader.prepare("fardel pack base-files -o base.fardel --name base --version 1.0\n");
    reader.have_bundle("my-mod-1.0", "mods/my-mod", "1.0");
    reader.have_bundle("my-mod-1.1", "mods/my-mod", "1.1");
    have_channel(reader, "mygame/stable", "mygame.root");
    reader.prepare(
        "fardel publish base.fardel /srv/www/mygame\n"
        "fardel channel release base.fardel /srv/www/mygame --channel mygame/stable --key release.key\n"
        "fardel channel head /srv/www/mygame --channel mygame/stable --key head.key\n");
    reader.type_page();
}

// ---- The five first pages -------------------------------------------------------------------------------------------

// Their reader has the program, and what the first lines of the page name.

TEST_CASE("documents: docs/first-game.md is typed") {
    Reader reader("docs/first-game.md");
    // As an installed Fardel answers; tests/consumer/ asks a real one.
    reader.scratch.write_program("bin/pkg-config", "#!/bin/sh\necho '" FARDEL_GAME_FLAGS "'\n");
    reader.replace("g++ ", FARDEL_GAME_COMPILER " -fno-lto ");
    reader.variables = {{"PATH", reader.scratch.path("bin") + ":/usr/local/bin:/usr/bin:/bin"}};
    reader.type_page();
    reader.take({
        {"./game game.trust mygame/mygame.fardel", 0, "Hello, player!"},
        {"./game game.trust mygame/mygame.fardel other.fardel", 1, "untrusted: other.fardel"},
    });
}

TEST_CASE("documents: docs/first-mod.md is typed") {
    Reader reader("docs/first-mod.md");
    reader.scratch.write("work/base/texts/greeting.txt", "Welcome!\n");
    reader.scratch.write("work/base/texts/rules.txt", "Be kind.\n");
    reader.prepare("fardel pack base -o base.fardel --name studio/base --version 1.0\n");
    reader.type_page();
}

TEST_CASE("documents: docs/pure-server.md is typed") {
    Reader reader("docs/pure-server.md");
    reader.have_keys({"studio"});
    reader.have_bundle("base", "studio/base", "1.0", "studio");
    reader.have_bundle("castle", "maps/castle", "1.0", "studio");
    reader.prepare("fardel trust init game.trust --author studio.key.pub\n");
    reader.type_page();
}

TEST_CASE("documents: docs/install-and-update.md is typed") {
    Reader reader("docs/install-and-update.md");
    reader.have_bundle("base", "studio/base", "1.0");
    reader.have_bundle("forest", "mods/forest", "1.0");
    reader.have_folder("castle", "castle");
    have_channel(reader, "mods/all", "mods.root");
    reader.prepare(
        "fardel pack castle -o castle.fardel --name mods/castle --version 1.0 --require 'studio/base >= 1.0'\n"
        "fardel publish base.fardel castle.fardel forest.fardel /srv/www/mods\n"
        "fardel channel release base.fardel castle.fardel forest.fardel /srv/www/mods --channel mods/all --key "
        "release.key\n"
        "fardel channel head /srv/www/mods --channel mods/all --key head.key\n");
    reader.replace("6e34…a01d", b3sum(reader.nginx.tree() + "/channels/mods/all/root/1"));
    reader.type_page();
}

TEST_CASE("documents: docs/build-with-caches.md is typed") { Reader("docs/build-with-caches.md").type_page(); }

TEST_CASE("documents: the pictures are those that their script draws") {
    const ScratchFolder scratch;
    REQUIRE(run_program({"python3", FARDEL_SOURCE_DIR "/docs/pictures/draw.py", scratch.root().string()}).exit_code ==
            0);
    std::size_t drawn = 0;
    for (const auto& entry : fs::directory_iterator(scratch.root())) {
        CAPTURE(entry.path().string());
        CHECK(read_file(entry.path()) == read_file(kRoot / "docs/pictures" / entry.path().filename()));
        ++drawn;
    }
    CHECK(drawn == 5);
}

// ---- The other pages ------------------------------------------------------------------------------------------------

TEST_CASE("documents: docs/channels.md is typed") {
    Reader reader("docs/channels.md");
    reader.have_keys({"root-b", "root-c", "author", "new-head"});
    reader.replace("6e340b9c…a01d", reader.have_bundle("game-1.0", "mygame", "1.0", "author"));
    reader.type_page();
}

TEST_CASE("documents: docs/delivery.md is typed") {
    Reader reader("docs/delivery.md");
    reader.replace(" ID", " " + reader.have_bundle("mygame", "mygame", "1.0"));
    reader.have_bundle("maps", "maps/all", "1.0");
    reader.type_page();
}

TEST_CASE("documents: docs/deltas.md is typed") {
    Reader reader("docs/deltas.md");
    reader.have_bundle("game-1.0", "mygame", "1.0");
    reader.have_bundle("game-1.1", "mygame", "1.1");
    reader.type_page();
}

TEST_CASE("documents: docs/derived-cache.md is typed") { Reader("docs/derived-cache.md").type_page(); }

TEST_CASE("documents: docs/development.md is typed") {
    Reader reader("docs/development.md");
    reader.scratch.write("work/maps/start.txt", "a map\n");
    reader.replace("192.168.0.7:8080", "127.0.0.1:" + std::to_string(reader.port));
    reader.type_page();
}

TEST_CASE("documents: docs/installing.md is typed") {
    Reader reader("docs/installing.md");
    reader.have_keys({"author"});
    reader.have_folder("castle", "castle");
    reader.have_bundle("base-1.4", "studio/base", "1.4");
    reader.have_bundle("base-2.0", "studio/base", "2.0");
    reader.have_bundle("forest", "mods/forest", "1.0");
    have_channel(reader, "mods/all", "mods.root");
    reader.replace("77b2…41c0", std::string(64, 'a'));
    reader.type_page();
}

TEST_CASE("documents: docs/publishing.md is typed") {
    Reader reader("docs/publishing.md");
    const DavServer dav(reader.scratch);
    const S3Server s3(reader.scratch);
    reader.replace("dav+https://example.org/mygame", dav.address());
    reader.replace("dav+" + reader.nginx.url(), dav.address());
    reader.replace("s3://bucket/mygame?endpoint=https://s3.example.org&region=eu-1", s3.address());
    reader.variables = {{"AWS_ACCESS_KEY_ID", S3Server::key_id()}, {"AWS_SECRET_ACCESS_KEY", S3Server::secret()}};
    reader.replace(" ID", " " + reader.have_bundle("mygame", "mygame", "1.0"));
    reader.have_bundle("maps", "maps/all", "1.0");
    have_channel(reader, "mygame/stable", "1.root");
    reader.prepare(
        "fardel publish maps.fardel /srv/www/mygame\n"
        "fardel channel release maps.fardel /srv/www/mygame --channel mygame/stable --key release.key\n"
        "fardel channel head /srv/www/mygame --channel mygame/stable --key head.key\n");
    reader.type_page();
}

TEST_CASE("documents: docs/registry.md is typed") {
    Reader reader("docs/registry.md");
    reader.have_keys({"studio", "author", "bob"});
    reader.have_folder("castle", "castle");
    reader.scratch.write_program("etc/hub/signer", "#!/bin/sh\nexec '" FARDEL_PROGRAM "' registry sign \"$1\" --key '" +
                                                       reader.scratch.path("etc/hub/") +
                                                       "'\"$1\".key --channel hub/stable\n");
    reader.replace("https://hub.example", "http://127.0.0.1:" + std::to_string(reader.port));
    reader.replace("chown hubkeys", "chown root");
    reader.prepare("fardel pack castle -o castle-before.fardel --name maps/castle --version 1.0\n");
    reader.replace("6e34…a01d", run_well({"id", reader.work("castle-before.fardel")}).substr(0, 64));
    reader.type_page();
}

TEST_CASE("documents: docs/retention.md is typed") {
    Reader reader("docs/retention.md");
    reader.replace("6f0c1d2a", reader.have_bundle("mygame", "mygame", "1.0").substr(0, 8));
    reader.have_bundle("castle", "mods/castle", "1.0");
    have_channel(reader, "mods/all", "mods.root");
    reader.prepare(
        "fardel store add mygame.fardel\n"
        "fardel publish castle.fardel /srv/www/mods\n"
        "fardel channel release castle.fardel /srv/www/mods --channel mods/all --key release.key\n"
        "fardel channel head /srv/www/mods --channel mods/all --key head.key\n"
        "fardel install mods/castle --root mods.root --from https://example.org/mods\n");
    reader.type_page();
}

TEST_CASE("documents: docs/serving.md is typed") {
    Reader reader("docs/serving.md");
    reader.have_keys({"author"});
    reader.have_bundle("mygame", "mygame", "1.0", "author");
    fs::create_directories(reader.scratch.path("home/mygame"));
    reader.prepare(
        "fardel store add mygame.fardel\n"
        "fardel cache init /srv/fardel/cache\n"
        "fardel publish mygame.fardel /srv/www/mygame\n"
        "fardel trust init policy.trust --author author.key.pub\n"
        "umask 077\n"
        "printf '%064d somebody\\n' 0 > tokens\n");
    reader.type_page();
}

TEST_CASE("documents: docs/signing.md is typed") {
    Reader reader("docs/signing.md");
    reader.have_keys({"studio", "hub"});
    reader.have_folder("castle", "castle");
    reader.scratch.write("work/core/core.txt", "The core.\n");
    reader.type_page();
}

TEST_CASE("documents: docs/store.md is typed") {
    Reader reader("docs/store.md");
    const std::string id = reader.have_bundle("mygame", "mygame", "1.0");
    reader.replace("6f0c1d2a", id.substr(0, 8));
    reader.replace("URL ID", reader.nginx.url() + " " + id);
    reader.prepare(
        "fardel publish mygame.fardel /srv/www/mygame\n"
        "mkdir -p ~/games/mods\n"
        "cp mygame.fardel ~/games/mods/\n");
    reader.type_page();
}

TEST_CASE("documents: docs/streaming.md is typed") {
    Reader reader("docs/streaming.md");
    reader.scratch.write("work/game/maps/dm01.bsp", "a map");
    reader.prepare(
        "fardel pack game -o mygame.fardel --name mygame --version 1.0\n"
        "fardel publish mygame.fardel /srv/www/mygame\n");
    const std::string id = run_well({"id", reader.work("mygame.fardel")}).substr(0, 64);
    reader.replace(" ID", " " + id);
    reader.replace("/ID.fardel", "/" + id + ".fardel");
    reader.type_page();
}

TEST_CASE("documents: docs/traces.md is typed") {
    Reader reader("docs/traces.md");
    reader.have_bundle("mygame", "mygame", "1.0");
    reader.have_folder("mygame", "mygame");
    reader.scratch.write_program("work/mygame.sh", "#!/bin/sh\ncat \"$2\"/maps/*.txt >/dev/null\n");
    reader.replace("./mygame ", "./mygame.sh ");
    reader.prepare("fardel trace record -o level2.trace mygame.fardel /mnt/game -- cat /mnt/game/maps/mygame.txt\n");
    reader.type_page();
}

// ---- First hours ----------------------------------------------------------------------------------------------------

// The commands of the guides, and between them what people type instead.
TEST_CASE("first hour: a modder packs, signs and publishes, with the usual mistakes") {
    Reader reader("");
    reader.have_folder("castle", "castle");
    reader.take({
        {"fardel", 2, "a verb is missing; 'fardel --help' lists the verbs"},
        {"fardel pakc castle", 2, "did you mean 'pack'?"},
        {"fardel pack castle", 2, "--output is required"},
        {"fardel pack castel -o castle.fardel", 3, "castel: No such file or directory"},
        {"fardel pack castle -o made/castle.fardel", 3, "there is no folder"},
        {"fardel pack castle -o castle.fardel --nmae maps/castle", 2, "did you mean --name?"},
        {"fardel pack castle -o castle.fardel --key author.key", 3, "'fardel keygen -o FILE' makes a key"},
        {"fardel keygen", 2, "--output is required"},
        {"fardel keygen -o author.key", 0, "created a key pair"},
        {"fardel keygen -o author.key", 1, "keys are never overwritten"},
        {"fardel pack castle -o castle.fardel --name maps/castle --version '1.0 final'", 1, "only letters, digits"},
        {"fardel pack castle -o castle.fardel --name maps/castle --version 1.0 --key author.key.pub", 1,
         "this is a public key; the secret key is wanted"},
        {"fardel pack castle -o castle.fardel --name maps/castle --version 1.0", 0, "packed castle.fardel"},
        {"fardel sign castle.fardel --key author.key --role autor", 2, "author"},
        {"fardel sign castle.fardel --key author.key", 0, "signed"},
        {"fardel sign castle.fardel --key author.key", 1, "already signed exactly this"},
        {"fardel verify castle.fardel", 0, "the bundle is good"},
        {"fardel cat castle.fardel maps/castel.txt", 1, "did you mean 'maps/castle.txt'?"},
        {"fardel publish castle.fardel", 2, "name at least one bundle, and the tree"},
        {"fardel publish castle.fardel htps://hub.example", 1, "a tree is a folder, https://HOST"},
        {"fardel publish castle.fardel https://example.org/mygame", 3, ""},
        {"fardel publish castle.fardel /srv/www/mygame", 0, "castle.fardel: "},
        {"fardel publish castle.fardel /srv/www/mygame", 0, ", was there"},
        {"fardel store unpni", 2, "did you mean 'unpin'?"},
    });
}

TEST_CASE("first hour: an admin makes a channel, with the usual mistakes") {
    Reader reader("");
    reader.have_keys({"root", "release", "head"});
    reader.have_bundle("castle", "mods/castle", "1.0");
    const std::string init = "fardel channel init mods/all --release release.key.pub --head head.key.pub -o 1.root";
    reader.take({
        {"fardel channel", 2, "a sub-verb is missing; use init, sign"},
        {init + " --root root.key", 1, "this is a secret key; the public key is wanted"},
        {"fardel channel release castle.fardel /srv/www/mygame --channel mods/all --key release.key", 3,
         "publish its first root with 'fardel channel publish'"},
        {init + " --root root.key.pub", 0, "next: its root keys sign it: fardel channel sign 1.root --key KEY"},
        {"fardel channel publish 1.root /srv/www/mygame", 1, "nobody has signed it; 'fardel channel sign' does so"},
        {"fardel channel sign 1.root --key head.key", 0, "this is none of the root keys of root 1 of mods/all (root)"},
        {"fardel channel publish 1.root /srv/www/mygame", 1, "which requires 1 of root"},
        {"fardel channel sign 1.root --key root.key", 0, "it has 2 signatures now"},
        {"fardel channel publish 1.root /srv/www/mygame", 0, "its fingerprint, for players who have the address"},
        {"fardel channel status https://example.org/mygame --channel mods/all", 3, "give one with --root"},
        {"fardel channel head /srv/www/mygame --channel mods/all --key head.key", 3,
         "make one with 'fardel channel release'"},
        {"fardel channel release castle.fardel /srv/www/mygame --channel mods/all --key release.key", 3, "publish"},
        {"fardel publish castle.fardel /srv/www/mygame", 0, ", published"},
        {"fardel channel release castle.fardel /srv/www/mygame --channel mods/all --key head.key", 1,
         "which requires 1 of release"},
        {"fardel channel release castle.fardel /srv/www/mygame --channel mods/all --key release.key", 0,
         "no client sees it before a head names it: fardel channel head"},
        {"fardel channel status /srv/www/mygame --channel mods/all", 1, "no head names it yet: fardel channel head"},
        {"fardel channel head /srv/www/mygame --channel mods/all --key head.key", 0, "published head 1"},
        {"fardel channel status /srv/www/mygame --channel mods/all", 0, " days left"},
        {"\"$FARDEL\" serve /srv/www/nothing", 3, "No such file or directory"},
        {"\"$FARDEL\" serve", 3, "give a TREE, a --store, a --project or a --cache"},
        {"\"$FARDEL\" serve /srv/www/mygame --listen 8080", 1, "no address and port such as 127.0.0.1:8080"},
    });
}

TEST_CASE("first hour: a player installs, mounts and removes, with the usual mistakes") {
    Reader reader("");
    reader.have_bundle("castle", "mods/castle", "1.0");
    reader.have_bundle("forest", "mods/forest", "1.0");
    have_channel(reader, "mods/all", "mods.root");
    reader.prepare(
        "fardel publish castle.fardel forest.fardel /srv/www/mods\n"
        "fardel channel release castle.fardel forest.fardel /srv/www/mods --channel mods/all --key release.key\n"
        "fardel channel head /srv/www/mods --channel mods/all --key head.key\n");
    const std::string from = " --from https://example.org/mods";
    const std::string known = from + " --fingerprint $(b3sum --no-names /srv/www/mods/channels/mods/all/root/1)";
    reader.take({
        {"fardel list", 3, "nothing is installed here, as there is no lock file; 'fardel install NAME --from URL'"},
        {"fardel install mods/castle", 2, "name the tree with the channel with --from"},
        {"fardel install mods/castle --from", 2, "--from needs a value"},
        {"fardel install mods/castle --from example.org/mods", 1, "one begins with https:// or http://"},
        {"fardel install mods/castle" + from, 1, "if its owner says the same, give it with --fingerprint"},
        {"fardel install mods/castle" + from + "/maps", 3, "name one with --channel, or check the address"},
        {"fardel install mods/castle" + from + " --channel mods/al", 3, "channels there: mods/all"},
        {"fardel install mods/castle" + from + " --fingerprint " + std::string(64, '0'), 1, "nothing was accepted"},
        {"fardel install mods/castel" + known, 1, "did you mean 'mods/castle'?"},
        {"fardel install castle" + from, 1, "did you mean 'mods/castle'?"},
        {"fardel install mods/castle@1.0" + from, 1, "did you mean 'mods/castle = 1.0'?"},
        {"fardel install 'mods/castle >= 2'" + from, 1, "the release has 1.0"},
        {"fardel install mods/castle mods/forest" + from, 0, "fardel.lock: 2 bundles"},
        {"fardel list", 0, "mods/castle 1.0"},
        {"fardel mount", 2, "name the bundles, if no option does, and the folder to mount them at"},
        {"fardel mount --lock fardel.lock", 2, "the folder to mount them at"},
        {"fardel mount /mnt/game", 2, "name at least one bundle, and the folder to mount it at"},
        {"fardel mount /mnt/gaem --lock fardel.lock", 3, "No such file or directory"},
        {"fardel mount /mnt/game --lock fardel.lok", 3, "--lock names another"},
        {"fardel mount /mnt/game --lock fardel.lock", 0, ""},
        {"fardel update mods/castel", 3, "did you mean 'mods/castle'?"},
        {"fardel update", 0, "nothing changes"},
        {"fardel remove castle", 3, "did you mean 'mods/castle'?"},
        {"fardel remove mods/castle", 0, "fardel.lock: 1 bundle"},
        {"fardel fetch https://example.org/mods 6f0c", 1, "expected 64 hexadecimal digits"},
        {"HOME=/nonexistent/home XDG_STATE_HOME= fardel update --store ~/.local/share/fardel", 3,
         "set XDG_STATE_HOME to one that this user may write"},
    });
}

TEST_CASE("documents: each page with blocks that are typed has a test") {
    const std::string source = read_file(kRoot / "tests/cli/documents_test.cpp");
    for (const fs::path& page : pages()) {
        const std::string name = page.lexically_relative(kRoot).string();
        for (const Fence& fence : fences_of(read_file(page)))
            if (fence.word == "sh")
                CHECK_MESSAGE(source.find("\"" + name + "\")") != std::string::npos, name);
    }
}

}  // namespace fardel::tests::documents_test
