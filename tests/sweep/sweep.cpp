// The sweep: makes hostile inputs from seeds, leads each through the faces of Fardel, and reports everything that a
// face must not do. tests/sweep/run starts it; docs/testing.md says what a face must keep.
//
//     fardel_sweep [--seed N] [--inputs N] [--minutes N | --seconds N] [--only KIND] [--keep FOLDER]
//
// One seed and one kind give one input. Exits with 0 if nothing was found, 1 if something was, 3 if the sweep itself
// could not run.
#include "bundle_input.h"
#include "faces.h"
#include "files.h"

#include "bundle_forge/bundle_forge.h"

#include <fardel/format/hash.h>

#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

namespace {

namespace fs = std::filesystem;
using namespace fardel;
using namespace fardel::sweep;
using Clock = std::chrono::steady_clock;

constexpr const char* kGame = "/usr/share/games/openarena/baseoa/pak5-TA.pk3";
const std::array<std::string, 8> kKinds = {"bundle", "archive",  "project", "policy",
                                           "record", "transfer", "store",   "request"};

struct Options {
    std::uint64_t seed = 1;
    std::uint64_t inputs = ~std::uint64_t{0};
    double seconds = 1e18;
    std::string only;
    fs::path keep = "sweep-found";
};

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "sweep: %s\n", why.c_str());
    std::exit(3);
}

Options parse_options(int count, char** words) {
    Options options;
    for (int i = 1; i < count; i += 2) {
        const std::string name = words[i];
        if (i + 1 == count)
            give_up(name + " needs a value");
        const std::string value = words[i + 1];
        std::uint64_t number = 0;
        const bool is_number =
            std::from_chars(value.data(), value.data() + value.size(), number).ptr == value.data() + value.size();
        if (name == "--seed" && is_number)
            options.seed = number;
        else if (name == "--inputs" && is_number)
            options.inputs = number;
        else if (name == "--minutes" && is_number)
            options.seconds = 60.0 * static_cast<double>(number);
        else if (name == "--seconds" && is_number)
            options.seconds = static_cast<double>(number);
        else if (name == "--only" && std::ranges::find(kKinds, value) != kKinds.end())
            options.only = value;
        else if (name == "--keep")
            options.keep = value;
        else
            give_up("what is " + name + " " + value + "?");
    }
    return options;
}

// A folder below the system's temporary folder; removed at the end.
class Scratch {
public:
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "fardel-sweep-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            give_up("no folder for the inputs");
        root_ = pattern;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(root_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    const fs::path& root() const { return root_; }

private:
    fs::path root_;
};

// ---- Good things, which the inputs are made from --------------------------------------------------------------------

class Bases {
public:
    explicit Bases(const fs::path& folder) : folder_(folder) {
        fs::create_directories(folder);
        fs::create_directories(folder / "tmp");
        keep_bundle("good.fardel", forge::small_recipe(), true);
        keep_above();
        keep_bundle("pieces.fardel", forge::recipe_with_raw_pieces(), false);
        keep_bundle("wide.fardel", forge::wide_recipe(300), false);
        keep_bundle("links.fardel", links(), false);
        keep_bundle("empty.fardel", {}, false);
        make_game();
        fardel({"keygen", "-o", "key", "--no-passphrase"});
        make_policies();
        make_cache();
        make_deliveries();
        make_registry();
    }

    const fs::path& folder() const { return folder_; }
    const std::vector<std::pair<std::string, Bytes>>& bundles() const { return bundles_; }
    bool has_game() const { return has_game_; }

private:
    void fardel(std::vector<std::string> words, const fs::path& folder = {}) {
        words.insert(words.begin(), FARDEL_PROGRAM);
        const fs::path& where = folder.empty() ? folder_ : folder;
        const Ran ran = run_program(words, {.folder = where, .temporary = folder_ / "tmp", .bounds = {}});
        if (ran.status != 0)
            give_up(ran.what + " fails: " + ran.err);
    }

    void keep_bundle(const char* name, const forge::Recipe& recipe, bool is_signed) {
        forge::ForgedBundle bundle = forge::forge(recipe);
        if (is_signed)
            forge::sign(bundle);
        write_bytes(folder_ / name, bundle.bytes);
        bundles_.emplace_back(name, bundle.bytes);
    }

    // What inputs are mounted with: it has the names of good.fardel, and no input is made from it.
    void keep_above() {
        forge::Recipe recipe = forge::small_recipe();
        recipe.assets[3].bytes = tests::noise(901, 77);
        std::erase_if(recipe.names, [](const forge::Name& name) { return name.extends; });
        write_bytes(folder_ / "above.fardel", forge::forge(recipe).bytes);
    }

    // Several names of one asset in several folders, references in a ring, a private name.
    static forge::Recipe links() {
        forge::Recipe recipe;
        for (std::uint32_t i = 0; i < 12; ++i)
            recipe.assets.push_back(
                {.bytes = tests::noise(3000 + 100 * i, i),
                 .references = {{"next", forge::Reference::Internal{(i + 1) % 12}},
                                {"self", forge::Reference::Internal{i}},
                                {"name", forge::Reference::Dynamic{"ring/" + std::to_string((i + 5) % 12)}}}});
        for (std::uint32_t i = 0; i < 12; ++i) {
            recipe.names.push_back({"ring/" + std::to_string(i), {{i, {}}}});
            recipe.names.push_back({"again/" + std::to_string(i), {{i, {}}}, i % 3 != 0});
        }
        recipe.metadata = {{"name", "maps/ring"}, {"version", "2.0"}};
        return recipe;
    }

    void make_game() {
        if (!fs::exists(kGame)) {
            std::printf("SKIPPED: inputs made from a real game: OpenArena is not installed\n");
            return;
        }
        // Some of it, so that an input is read in less than a second.
        fardel({"pack", kGame, "-o", "game.fardel", "--name", "game", "--version", "1.0", "--exclude", "**/*.tga",
                "--exclude", "**/*.jpg", "--exclude", "maps/**", "--exclude", "sound/**"});
        bundles_.emplace_back("game.fardel", read_bytes(folder_ / "game.fardel"));
        fs::copy_file(kGame, folder_ / "real.zip");
        has_game_ = true;
    }

    void make_policies() {
        fardel({"trust", "init", "trust", "--author", "key.pub"});
        write_text(folder_ / "trust", read_text(folder_ / "trust") + "revoke bundle " + std::string(64, 'a') +
                                          " withdrawn\nunsigned allow\n");
        fardel({"pure", "policy", "good.fardel", "--allow-unsigned", "--loose", "screenshots/**", "--variant",
                "texture=astc,bc7", "-o", "server.pure"});
        fardel({"pure", "offer", "--policy", "server.pure", "--connection", "c", "--state", "state", "--valid", "86400",
                "--source", "https://example.org/", "-o", "offer"});
        fardel({"pure", "answer", "--offer", "offer", "--policy", "server.pure", "--connection", "c", "--mount",
                "good.fardel", "-o", "answer", "--report", "report"});
    }

    void make_cache() {
        fardel({"cache", "init", "cache"});
        write_text(folder_ / "project/fardel.toml",
                   "name = \"mygame\"\noutput = \"mygame.fardel\"\nsources = [\"assets\"]\n\n[processor.copy]\n"
                   "command = [\"cp\", \"${in}\", \"${out}\"]\noutputs = [\"{folder}{stem}.copy\"]\n\n[[rule]]\n"
                   "match = \"maps/*\"\nprocess = \"copy\"\n\n[[cache]]\nfolder = \"../../../cache\"\n");
        write_text(folder_ / "project/assets/maps/one.map", tests::prose(3000, 1));
        write_text(folder_ / "project/assets/maps/two.map", tests::prose(200'000, 2));
        // The path to the cache is the same as in an input's folder.
        const fs::path deep = folder_ / "deep/er/project";
        fs::create_directories(deep.parent_path());
        fs::copy(folder_ / "project", deep, fs::copy_options::recursive);
        fardel({"build"}, deep);
        fs::remove_all(folder_ / "deep");
    }

    // Two versions, and everything that is made from them for those who have one and want the other.
    void make_deliveries() {
        for (std::uint32_t i = 0; i < 12; ++i) {
            const std::string name = "m/" + std::to_string(i);
            const std::string text = tests::noise_text(3000, i) + tests::prose(6000, i);
            write_text(folder_ / "one" / name, text);
            write_text(folder_ / "two" / name, i % 3 == 0 ? text.substr(0, 2500) + "edited" + text.substr(2500) : text);
        }
        fardel({"pack", "one", "-o", "v1.fardel", "--name", "m/g", "--version", "1", "--key", "key"});
        fardel({"pack", "two", "-o", "v2.fardel", "--name", "m/g", "--version", "2", "--key", "key"});
        fardel({"delta", "v1.fardel", "v2.fardel", "-o", "1to2.delta", "--effort", "3"});
        fardel({"publish", "v1.fardel", "tree"});
        fardel({"publish", "v2.fardel", "tree", "--delta-from", "v1.fardel"});
        fardel({"channel", "init", "m/stable", "--root", "key.pub", "--release", "key.pub", "--head", "key.pub", "-o",
                "1.root"});
        fardel({"channel", "sign", "1.root", "--key", "key"});
        fardel({"channel", "publish", "1.root", "tree"});
        fardel({"channel", "release", "v1.fardel", "v2.fardel", "tree", "--channel", "m/stable", "--key", "key",
                "--keep-versions"});
        fardel({"channel", "head", "tree", "--channel", "m/stable", "--key", "key"});
        fardel({"store", "add", "v1.fardel", "--store", "store1"});
        fardel({"store", "add", "v1.fardel", "--store", "store"});
        fardel({"store", "add", "--ref", (folder_ / "v2.fardel").string(), "--store", "store"});
        fardel({"store", "pin", bundle_id("v1.fardel"), "--store", "store", "--name", "kept"});
        const std::string id = bundle_id("v1.fardel");
        write_text(folder_ / "lock", "fardel-lock 1\nchannel m/stable " + std::string(64, '1') +
                                         "\nrelease 3\nsource http://127.0.0.1:1\nroot " + id + " m/g >= 1\nbundle " +
                                         id + "\nname m/g\nversion 1\n");
    }

    // One program signs as registry, release and head.
    void make_registry() {
        for (const char* name : {"registry", "release", "head"})
            fardel({"keygen", "-o", name, "--no-passphrase"});
        write_text(folder_ / "signer", "#!/bin/sh\nexec '" FARDEL_PROGRAM "' registry sign \"$1\" --key '" +
                                           folder_.string() + "'/\"$1\" --channel hub/stable\n");
        fs::permissions(folder_ / "signer", fs::perms::owner_all);
        fardel({"registry", "init", "hub", "--url", "http://127.0.0.1:1", "--channel", "hub/stable", "--root",
                "key.pub", "--registry", "registry.pub", "--release", "release.pub", "--head", "head.pub", "--open",
                "maps/*", "-o", "hub.root"});
        fardel({"channel", "sign", "hub.root", "--key", "key"});
        fardel({"channel", "publish", "hub.root", "hub"});
        write_text(folder_ / "map/maps/castle/one.txt", tests::prose(5000, 3));
        fardel({"pack", "map", "-o", "map.fardel", "--name", "maps/castle", "--version", "1.0", "--key", "key"});
    }

    std::string bundle_id(const char* name) const {
        const Bytes bytes = read_bytes(folder_ / name);
        return blake3(std::span(bytes).first(4096)).hex();
    }

    fs::path folder_;
    std::vector<std::pair<std::string, Bytes>> bundles_;
    bool has_game_ = false;
};

// ---- One input ------------------------------------------------------------------------------------------------------

struct Tally {
    std::uint64_t inputs = 0;
    std::uint64_t runs = 0;
    std::uint64_t successes = 0;
    std::uint64_t findings = 0;
    std::uint64_t good = 0;
    std::uint64_t mounted = 0;
};

class Sweep {
public:
    explicit Sweep(const Options& options) : options_(options), bases_(scratch_.root() / "bases") {
        if (::access("/dev/fuse", R_OK | W_OK) != 0) {
            has_fuse_ = false;
            std::printf("SKIPPED: mounts through FUSE: /dev/fuse is missing\n");
        }
    }

    // Returns whether nothing was found.
    bool run() {
        const auto start = Clock::now();
        const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
        std::uint64_t done = 0;
        for (; done < options_.inputs && elapsed() < options_.seconds; ++done) {
            const std::uint64_t seed = options_.seed + done;
            run_input(options_.only.empty() ? kind_of(seed) : options_.only, seed);
            if (done % 100 == 99)
                print_tally(elapsed());
        }
        print_tally(elapsed());
        std::uint64_t findings = 0;
        for (const auto& [kind, tally] : tallies_)
            findings += tally.findings;
        std::printf("%s: %llu inputs, seeds %llu to %llu, %s\n", findings == 0 ? "nothing found" : "FINDINGS",
                    static_cast<unsigned long long>(done), static_cast<unsigned long long>(options_.seed),
                    static_cast<unsigned long long>(options_.seed + done - 1),
                    kAddressSanitizer ? "with AddressSanitizer" : "without a sanitizer");
        return findings == 0;
    }

private:
    static std::string kind_of(std::uint64_t seed) {
        static const char* const kOrder[] = {"bundle", "archive", "bundle", "policy",  "request",
                                             "bundle", "project", "store",  "bundle",  "transfer",
                                             "record", "bundle",  "store",  "request", "transfer"};
        return kOrder[seed % std::size(kOrder)];
    }

    void run_input(const std::string& kind, std::uint64_t seed) {
        const fs::path folder = scratch_.root() / (kind + "-" + std::to_string(seed));
        fs::create_directories(folder / "tmp");
        Random random(seed * 5 + static_cast<std::uint64_t>(std::ranges::find(kKinds, kind) - kKinds.begin()));
        Findings findings;
        Tally& tally = tallies_[kind];
        const InputCase input{.program = FARDEL_PROGRAM, .folder = folder, .bases = bases_.folder()};
        if (kind == "bundle")
            sweep_bundle(folder, random, findings, tally);
        else if (kind == "archive")
            sweep_archive(input, random, findings);
        else if (kind == "project")
            sweep_project(input, random, findings);
        else if (kind == "policy")
            sweep_policy(input, random, findings);
        else if (kind == "record")
            sweep_records(input, random, findings);
        else if (kind == "transfer")
            sweep_transfer(input, random, findings);
        else if (kind == "store")
            sweep_store(input, random, findings);
        else
            sweep_request(input, random, findings);
        check_folder(folder, findings);
        ++tally.inputs;
        tally.runs += findings.runs();
        tally.successes += findings.successes();
        tally.findings += findings.all().size();
        if (!findings.all().empty())
            report(kind, seed, folder, findings);
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }

    void sweep_bundle(const fs::path& folder, Random& random, Findings& findings, Tally& tally) {
        const auto& [name, base] = random.pick(bases_.bundles());
        const BundleInput made = make_bundle_input(base, random);
        const BundleCase bundle{.program = FARDEL_PROGRAM,
                                .folder = folder,
                                .good = bases_.folder() / "above.fardel",
                                .key = (bases_.folder() / "key").string(),
                                .signed_by = made.signed_by};
        changes_ = "made from " + name;
        for (const std::string& change : made.changes)
            changes_ += "; " + change;
        write_bytes(bundle.bundle(), made.bytes);
        write_text(bundle.policy(), author_policy());
        Witness witness(made.bytes);
        const Surroundings surroundings = bundle.surroundings();
        const Ran read = run_function(
            "the libraries", [&] { return read_through_libraries(bundle, witness); }, surroundings);
        const bool good = read.status == kGood;
        witness.set_good(good);
        Ran judged = read;
        judged.status = good ? 0 : read.status;
        findings.judge(judged, surroundings.bounds);
        if (read.status == 1)
            findings.add("libraries", read.out);
        tally.good += good ? 1 : 0;
        run_verbs(bundle, witness, good, random, findings);
        if (has_fuse_ && random.once_in(4))
            tally.mounted += walk_mount(bundle, witness, good, findings) ? 1 : 0;
    }

    // Nothing is left behind, and nothing was written elsewhere.
    void check_folder(const fs::path& folder, Findings& findings) {
        static const std::array<std::string, 5> kOurs = {"tmp", "in.fardel", "author.trust", "set", "mnt"};
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            const std::string name = entry.path().filename().string();
            if (std::ranges::find(kOurs, name) == kOurs.end() && !name.starts_with("in."))
                findings.add("afterwards", "there is " + name);
        }
        if (!fs::is_empty(folder / "tmp", error))
            findings.add("afterwards", "the temporary folder is not empty: " +
                                           fs::directory_iterator(folder / "tmp", error)->path().string());
        for (const auto& entry : fs::directory_iterator(scratch_.root(), error))
            if (entry.path() != folder && entry.path() != bases_.folder())
                findings.add("afterwards", "outside of the input's folder there is " + entry.path().string());
        if (fs::exists(kForbiddenPath, error))
            findings.add("afterwards", std::string(kForbiddenPath) + " exists");
    }

    void report(const std::string& kind, std::uint64_t seed, const fs::path& folder, const Findings& findings) {
        const fs::path kept = options_.keep / (kind + "-" + std::to_string(seed));
        std::error_code error;
        fs::remove_all(kept, error);
        fs::create_directories(kept.parent_path(), error);
        fs::copy(folder, kept, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
        std::printf("FOUND by tests/sweep/run --seed %llu --only %s, kept in %s\n",
                    static_cast<unsigned long long>(seed), kind.c_str(), kept.c_str());
        if (kind == "bundle")
            std::printf("  %s\n", printable_text(changes_).c_str());
        for (const std::string& finding : findings.all())
            std::printf("  %s\n", printable_text(finding).c_str());
        std::fflush(stdout);
    }

    static std::string printable_text(const std::string& text) {
        std::string out;
        for (const char c : text.substr(0, 6000))
            out += c == '\n' ? std::string("\n    ") : std::string(1, c >= 0x20 && c < 0x7f ? c : '?');
        return out;
    }

    void print_tally(double elapsed_s) const {
        const auto print = [](std::uint64_t number, const char* what) {
            std::printf(" %llu %s", static_cast<unsigned long long>(number), what);
        };
        std::printf("after %.0f s\n", elapsed_s);
        for (const auto& [kind, tally] : tallies_) {
            std::printf("  %s:", kind.c_str());
            print(tally.inputs, "inputs,");
            print(tally.runs, "runs,");
            print(tally.successes, "with exit status 0,");
            if (kind == "bundle") {
                print(tally.good, "good,");
                print(tally.mounted, "through FUSE,");
            }
            print(tally.findings, "findings\n");
        }
        std::fflush(stdout);
    }

    Options options_;
    Scratch scratch_;
    Bases bases_;
    bool has_fuse_ = true;
    std::string changes_;
    std::map<std::string, Tally> tallies_;
};

}  // namespace

int main(int count, char** words) {
    const Options options = parse_options(count, words);
    std::printf("fardel_sweep --seed %llu\n", static_cast<unsigned long long>(options.seed));
    return Sweep(options).run() ? 0 : 1;
}
