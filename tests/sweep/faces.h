// The faces of Fardel: everything through which the content of a hostile input could reach somebody.
#pragma once

#include "bounded.h"
#include "bundle_input.h"
#include "random.h"
#include "witness.h"

#include <filesystem>
#include <string>
#include <vector>

namespace fardel::sweep {

// A hostile bundle on disk, and its surroundings.
struct BundleCase {
    std::string program;           // fardel
    std::filesystem::path folder;  // of this input alone: in.fardel, author.trust, and what the faces write
    std::filesystem::path good;    // a bundle without faults
    std::string key;               // of the attacker: a secret key file
    SignedBy signed_by = SignedBy::nobody;

    std::string bundle() const { return (folder / "in.fardel").string(); }
    std::string policy() const { return (folder / "author.trust").string(); }
    Surroundings surroundings() const { return {.folder = folder, .temporary = folder / "tmp", .bounds = {}}; }
};

// Collects what is wrong with an input.
class Findings {
public:
    void add(const std::string& face, const std::string& what) { all_.push_back(face + ": " + what); }
    // Adds what is wrong with the run itself.
    void judge(const Ran& ran, const Bounds& bounds, bool raw_output = false) {
        ++runs_;
        successes_ += ran.status == 0 ? 1 : 0;
        for (const std::string& fault : faults_of(ran, bounds, raw_output))
            add(ran.what, fault);
    }
    const std::vector<std::string>& all() const { return all_; }
    std::uint64_t runs() const { return runs_; }
    std::uint64_t successes() const { return successes_; }  // runs with exit status 0: the input got past all checks

private:
    std::vector<std::string> all_;
    std::uint64_t runs_ = 0;
    std::uint64_t successes_ = 0;
};

// How much of an input a face reads.
inline constexpr std::size_t kEntriesMax = 3000;
inline constexpr std::uint64_t kBytesMax = 32u << 20;  // of one asset

// Verifies, mounts, lists, reads and explains the bundle with the C++ library, the C API and PhysicsFS, in this
// process, and tells the witness what the verifier says. Prints a line per fault; returns 1 if there is one, 4 if there
// is none and the verifier finds no error.
int read_through_libraries(const BundleCase& bundle, Witness& witness);
inline constexpr int kGood = 4;
// The part of it that is PhysicsFS. `must_mount`: the bundle is good.
void read_through_physfs(const BundleCase& bundle, const Witness& witness, bool must_mount,
                         const std::function<void(const std::string&)>& fault);

// Runs verbs of the program. `good`: the verifier found no error, so that everything can be read.
void run_verbs(const BundleCase& bundle, const Witness& witness, bool good, Random& random, Findings& findings);
// Mounts through the kernel and walks. Returns false if this system has no FUSE.
bool walk_mount(const BundleCase& bundle, const Witness& witness, bool good, Findings& findings);

// ---- Other inputs; each makes its own folder, runs, and judges ------------------------------------------------------

struct InputCase {
    std::string program;
    std::filesystem::path folder;  // of this input alone
    std::filesystem::path bases;   // what make_bases() has written
    Surroundings surroundings() const { return {.folder = folder, .temporary = folder / "tmp", .bounds = {}}; }
};
// Runs a verb of the program and judges the run.
Ran run_fardel(const InputCase& input, std::vector<std::string> words, Findings& findings,
               double wall_s = Bounds().wall_s);
// Changes one to three things in a file.
void damage_file(const std::filesystem::path& path, Random& random, bool is_text);
// Its files, also behind links, in the order of their paths.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

void sweep_archive(const InputCase& input, Random& random, Findings& findings);
void sweep_project(const InputCase& input, Random& random, Findings& findings);
void sweep_policy(const InputCase& input, Random& random, Findings& findings);
void sweep_records(const InputCase& input, Random& random, Findings& findings);
void sweep_transfer(const InputCase& input, Random& random, Findings& findings);
void sweep_store(const InputCase& input, Random& random, Findings& findings);
void sweep_request(const InputCase& input, Random& random, Findings& findings);

}  // namespace fardel::sweep
