// The bundle through the verbs of the program, and through the kernel.
#include "faces.h"
#include "files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

namespace fardel::sweep {
namespace {

namespace fs = std::filesystem;

// A name that can be a word of a command line.
bool is_word(const std::string& text) {
    return !text.empty() && text.front() != '-' && text.find('\0') == std::string::npos && text.size() < 4000;
}

class Verbs {
public:
    Verbs(const BundleCase& bundle, const Witness& witness, bool good, Random& random, Findings& findings)
        : bundle_(bundle), witness_(witness), good_(good), random_(random), findings_(findings) {}

    void run() {
        using Verb = void (Verbs::*)();
        std::vector<Verb> verbs{&Verbs::identify, &Verbs::list,    &Verbs::cat,     &Verbs::extract, &Verbs::verify,
                                &Verbs::sign,     &Verbs::explain, &Verbs::compare, &Verbs::report,  &Verbs::lock};
        // Each verb of the program starts a process, so an input meets some of them.
        random_.shuffle(verbs);
        for (std::size_t i = 0; i < 4; ++i)
            (this->*verbs[i])();
    }

private:
    // `must`: a good bundle has to give exit status 0, unless a date in it has passed.
    Ran fardel(std::vector<std::string> words, bool must, bool raw_output = false) {
        words.insert(words.begin(), bundle_.program);
        Ran ran = run_program(words, bundle_.surroundings());
        findings_.judge(ran, bundle_.surroundings().bounds, raw_output);
        if (must && good_ && ran.status != 0 && ran.err.find("[expired]") == std::string::npos)
            findings_.add(ran.what, "a good bundle gives exit status " + std::to_string(ran.status) + ": " + ran.err);
        return ran;
    }

    void identify() {
        fardel({"id", bundle_.bundle()}, true);
        fardel({"id", "--all", bundle_.bundle()}, true);
        fardel({"id", "--json", bundle_.bundle()}, true);
    }

    void list() {
        fardel({"ls", bundle_.bundle()}, true);
        fardel({"ls", "-l", bundle_.bundle()}, true);
        fardel({"ls", "--json", bundle_.bundle()}, true);
    }

    void cat() {
        std::vector<std::string> names;
        for (const auto& [text, name] : witness_.names())
            if (is_word(text))
                names.push_back(text);
        random_.shuffle(names);
        for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i) {
            const Witness::Name& name = witness_.names().find(names[i])->second;
            const Ran ran = fardel({"cat", bundle_.bundle(), names[i]}, !name.assets.empty(), true);
            if (ran.status == 0 && !witness_.vouches(names[i], tests::bytes_of(ran.out)))
                findings_.add(ran.what, "other bytes than the manifest says");
        }
        std::vector<AssetId> ids = witness_.assets();
        random_.shuffle(ids);
        for (std::size_t i = 0; i < std::min<std::size_t>(ids.size(), 2); ++i) {
            const Ran ran = fardel({"cat", bundle_.bundle(), "/assets/" + ids[i].hex()}, true, true);
            if (ran.status == 0 && !witness_.vouches(ids[i], tests::bytes_of(ran.out)))
                findings_.add(ran.what, "other bytes than the manifest says");
        }
    }

    void extract() {
        const fs::path out = bundle_.folder / "out";
        const Ran ran = fardel({"extract", bundle_.bundle(), "-C", out.string()}, true);
        std::error_code error;
        std::set<std::string> found;
        for (fs::recursive_directory_iterator at(out, error), end; !error && at != end; at.increment(error)) {
            const std::string name = fs::relative(at->path(), out).string();
            if (at->is_symlink() || (!at->is_directory() && !at->is_regular_file()))
                findings_.add(ran.what, "wrote a link or device: " + name);
            else if (at->is_regular_file()) {
                found.insert(name);
                if (!witness_.vouches(name, read_bytes(at->path())))
                    findings_.add(ran.what, "wrote other bytes than the manifest says: " + name);
            }
        }
        if (ran.status != 0 && fs::exists(out, error) && !fs::is_empty(out, error))
            findings_.add(ran.what, "failed, and left something behind");
        if (ran.status == 0)
            for (const auto& [text, name] : witness_.names())
                if (!name.assets.empty() && !found.contains(text))
                    findings_.add(ran.what, "left out " + text);
        fs::remove_all(out, error);
    }

    void verify() {
        const Ran ran = fardel({"verify", bundle_.bundle()}, true);
        if (!good_ && ran.status == 0)
            findings_.add(ran.what, "accepts what the library refuses");
        fardel({"verify", "--json", "--profile", "quake3", bundle_.bundle(), bundle_.good.string()}, false);
        const Ran trusted = fardel({"verify", bundle_.bundle(), "--trust", bundle_.policy()}, false);
        if (trusted.status == 0 && bundle_.signed_by != SignedBy::author)
            findings_.add(trusted.what, "believes a bundle that its author has not signed");
    }

    // Only a bundle without errors is signed, and only its trailer changes.
    void sign() {
        const fs::path copy = bundle_.folder / "copy.fardel";
        const std::string before = read_text(bundle_.bundle());
        write_text(copy, before);
        const Ran ran = fardel({"sign", copy.string(), "--key", bundle_.key, "--role", "author"}, false);
        const std::string after = read_text(copy);
        if (ran.status != 0 && after != before)
            findings_.add(ran.what, "failed, and changed the file");
        if (ran.status == 0 && !good_)
            findings_.add(ran.what, "signed a bundle that has errors");
        if (ran.status == 0 && !after.starts_with(before))
            findings_.add(ran.what, "changed more than the trailer");
        std::error_code ignored;
        fs::remove(copy, ignored);
    }

    void explain() {
        std::vector<std::string> paths{"/", "/assets", "maps/dm01.bsp"};
        for (const auto& [text, name] : witness_.names())
            if (is_word(text))
                paths.push_back(text);
        for (int i = 0; i < 2; ++i)
            fardel({"which", "--mount", bundle_.good.string(), "--mount", bundle_.bundle(), random_.pick(paths)},
                   false);
        fardel({"which", "--json", "--trust", bundle_.policy(), "--mount", bundle_.bundle(), random_.pick(paths)},
               false);
    }

    void compare() {
        fardel({"conflicts", bundle_.bundle(), bundle_.good.string(), "--all"}, false);
        fardel({"links", bundle_.bundle(), bundle_.good.string()}, false);
        fardel({"diff", bundle_.bundle(), bundle_.good.string()}, false);
        fardel({"diff", bundle_.good.string(), bundle_.bundle(), "--json"}, false);
    }

    void report() {
        const fs::path page = bundle_.folder / "report.html";
        const Ran ran = fardel({"report", bundle_.bundle(), bundle_.good.string(), "-o", page.string()}, false);
        const auto text = find_text(page);
        if (ran.status == 0 && !text)
            findings_.add(ran.what, "wrote no page");
        if (text && ran.status != 0 && ran.status != 1)
            findings_.add(ran.what, "failed, and left a page");
        if (text && text->size() > bundle_.surroundings().bounds.output_bytes)
            findings_.add(ran.what, "wrote too large a page");
        if (text && text->find('\x1b') != std::string::npos)
            findings_.add(ran.what, "the page has an escape character");
        std::error_code ignored;
        fs::remove(page, ignored);
        fardel({"report", bundle_.bundle(), bundle_.good.string(), "--since", bundle_.bundle(), "--json"}, false);
        fardel({"sbom", bundle_.bundle(), bundle_.good.string()}, false);
    }

    // Pure mode: the server's policy is about the hostile bundle, and the client has it.
    void lock() {
        const auto path = [&](const char* name) { return (bundle_.folder / name).string(); };
        const Ran made = fardel(
            {"pure", "policy", bundle_.bundle(), bundle_.good.string(), "--allow-unsigned", "-o", path("server.pure")},
            false);
        if (made.status == 0) {
            fardel({"pure", "offer", "--policy", path("server.pure"), "--connection", "c", "--state", path("state"),
                    "-o", path("offer")},
                   false);
            fardel({"pure", "answer", "--offer", path("offer"), "--policy", path("server.pure"), "--connection", "c",
                    "--mount", bundle_.bundle(), "--mount", bundle_.good.string(), "-o", path("answer"), "--report",
                    path("pure_report")},
                   false);
            fardel({"pure", "check", "--answer", path("answer"), "--report", path("pure_report"), "--policy",
                    path("server.pure"), "--connection", "c", "--state", path("state"), "--mount", bundle_.bundle(),
                    "--mount", bundle_.good.string()},
                   false);
        }
        std::error_code ignored;
        for (const char* name : {"server.pure", "state", "offer", "answer", "pure_report"})
            fs::remove_all(bundle_.folder / name, ignored);
    }

    const BundleCase& bundle_;
    const Witness& witness_;
    bool good_;
    Random& random_;
    Findings& findings_;
};

// ---- FUSE -----------------------------------------------------------------------------------------------------------

bool is_mounted(const std::string& folder) {
    std::ifstream mounts("/proc/self/mounts");
    for (std::string line; std::getline(mounts, line);)
        if (line.find(" " + folder + " fuse.fardel") != std::string::npos)
            return true;
    return false;
}

// In a process of its own: a kernel that waits for a dead server must not stop the sweep.
int walk_folder(const fs::path& root, const Witness& witness, bool good) {
    bool failed = false;
    std::size_t entries = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(root, error), end; !error && at != end && ++entries < kEntriesMax;
         at.increment(error)) {
        const fs::path below = at->path().lexically_relative(root);
        const std::string name = below.string();
        if (at->is_directory(error) && !at->is_symlink(error))
            continue;
        const auto size = fs::file_size(at->path(), error);
        if (error || size > kBytesMax)
            continue;
        std::ifstream in(at->path(), std::ios::binary);
        std::string text(static_cast<std::size_t>(size), '\0');
        if (!in.read(text.data(), static_cast<std::streamsize>(text.size())) && size != 0) {
            if (good) {
                failed = true;
                std::printf("FUSE cannot read from a good bundle: %s\n", name.c_str());
            }
            continue;
        }
        const Bytes bytes = tests::bytes_of(text);
        const auto part = std::next(below.begin());
        const bool asset = *below.begin() == "assets" && part != below.end();
        const auto id = asset ? AssetId::parse(part->string()) : AssetId::parse("");
        std::string in_bundle = name;
        if (*below.begin() == "bundles" && name.size() > 8 + 64 + 1)
            in_bundle = name.substr(8 + 64 + 1);
        if (id ? !witness.vouches(*id, bytes) : !witness.vouches(in_bundle, bytes)) {
            failed = true;
            std::printf("FUSE gives other bytes than the manifest says: %s\n", name.c_str());
        }
    }
    if (good && error) {
        failed = true;
        std::printf("FUSE cannot list a good bundle: %s\n", error.message().c_str());
    }
    return failed ? 1 : 0;
}

}  // namespace

void run_verbs(const BundleCase& bundle, const Witness& witness, bool good, Random& random, Findings& findings) {
    Verbs(bundle, witness, good, random, findings).run();
}

bool walk_mount(const BundleCase& bundle, const Witness& witness, bool good, Findings& findings) {
    if (::access("/dev/fuse", R_OK | W_OK) != 0)
        return false;
    const fs::path root = bundle.folder / "mnt";
    fs::create_directories(root);
    Surroundings surroundings = bundle.surroundings();
    Background server({bundle.program, "mount", bundle.bundle(), root.string(), "--ids", "--foreground"}, surroundings);
    bool mounted = false;
    for (int i = 0; i < 6000 && server.is_running() && !mounted; ++i) {
        mounted = is_mounted(root.string());
        if (!mounted)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (mounted) {
        surroundings.bounds.memory_bytes *= 2;  // the sweep's own walk holds a whole asset
        const Ran walked = run_function(
            "a walk of the mount", [&] { return walk_folder(root, witness, good); }, surroundings);
        findings.judge(walked, surroundings.bounds, true);
        if (walked.status == 1)
            findings.add("mount", walked.out);
        const Ran unmounted = run_program({bundle.program, "mount", "--unmount", root.string()}, bundle.surroundings());
        findings.judge(unmounted, bundle.surroundings().bounds);
    }
    const Ran served = server.stop(!mounted);
    findings.judge(served, bundle.surroundings().bounds);
    if (good && !mounted && served.err.find("[expired]") == std::string::npos)
        findings.add(served.what, "a good bundle is not mounted: " + served.err);
    if (is_mounted(root.string()))
        findings.add(served.what, "is still mounted");
    return true;
}

}  // namespace fardel::sweep
