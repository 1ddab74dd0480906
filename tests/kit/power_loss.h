// RecordedFolder: what a power failure may leave of a folder while a child process changes it.
//
// The child's calls on files are recorded, together with the contents that they lead to. What fsync has not been called
// for may be lost, in any part: contents of files in pages, entries of folders one by one, in any order. A name that is
// replaced keeps the old file or gets the new one. File systems promise more than that; Fardel must not need it.
//
// The folder must be on a disk that gives each file an inode of its own for ever, such as a tmpfs, and only the child's
// first thread may change it.
#pragma once

#include "failing_call.h"
#include "files.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#if defined(FARDEL_CAN_FAIL_CALLS)

namespace fardel::tests {

enum class Survival {
    synced,      // only what was synced
    everything,  // as if the process had been killed
    names,       // entries of folders, but no contents of files
    random
};

class RecordedFolder {
public:
    // Runs the work in a child process, to its end.
    template <class Work>
    RecordedFolder(const std::string& root, Work work) : root_(root) {
        scan();
        durable_ = latest_;
        note_step();
        follow(start_traced(work));
        const Nodes recorded = latest_;
        latest_.clear();
        scan();
        for (const auto& [inode, node] : latest_)
            REQUIRE_MESSAGE(*recorded.at(inode) == *node, "something else than the recorded thread changed the folder");
    }

    int exit_code() const { return exit_code_; }
    // Moments at which the power may fail: 0 is before the first change, the last one after the end.
    std::size_t steps() const { return steps_.size(); }

    // Replaces the folder `out` by one that a power failure at that moment may leave.
    void write_state(std::size_t step, Survival survival, std::mt19937_64& random, const std::string& out) const {
        std::filesystem::remove_all(out);
        write_folder(steps_.at(step), inode_of(root_), survival, random, out);
    }

private:
    struct Node {
        bool is_folder = false;
        std::map<std::string, ino_t> entries;
        std::string content;
        friend bool operator==(const Node&, const Node&) = default;
    };
    using Nodes = std::map<ino_t, std::shared_ptr<const Node>>;
    struct Step {
        Nodes latest;
        Nodes durable;
    };

    static ino_t inode_of(const std::string& path) {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
    }

    void put(ino_t inode, Node node) {
        auto& known = latest_[inode];
        if (!known || *known != node)
            known = std::make_shared<const Node>(std::move(node));
    }

    // Reads all folders, and the files that are new or have another size.
    void scan() { scan_folder(root_); }
    void scan_folder(const std::string& path) {
        Node folder{.is_folder = true};
        if (std::filesystem::is_directory(path))
            for (const auto& entry : std::filesystem::directory_iterator(path)) {
                const std::string name = entry.path().string();
                const ino_t inode = inode_of(name);
                folder.entries[entry.path().filename().string()] = inode;
                if (entry.is_directory())
                    scan_folder(name);
                else if (!latest_.contains(inode) || latest_[inode]->content.size() != entry.file_size())
                    put(inode, {.content = read_file(name)});
            }
        put(inode_of(path), std::move(folder));
    }

    void note_step() {
        if (steps_.empty() || steps_.back().latest != latest_ || steps_.back().durable != durable_)
            steps_.push_back({latest_, durable_});
    }

    void follow(pid_t child) {
        int status = 0;
        bool enters = true;
        for (int signal = 0;;) {
            REQUIRE(::ptrace(PTRACE_SYSCALL, child, nullptr, signal) == 0);
            REQUIRE(::waitpid(child, &status, 0) == child);
            if (WIFEXITED(status)) {
                exit_code_ = WEXITSTATUS(status);
                return;
            }
            REQUIRE_MESSAGE(WIFSTOPPED(status), "the child was killed by a signal");
            signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
            if (signal != 0)
                continue;
            user_regs_struct registers{};
            REQUIRE(::ptrace(PTRACE_GETREGS, child, nullptr, &registers) == 0);
            if (!enters && static_cast<long long>(registers.rax) >= 0)
                note_call(child, registers.orig_rax, registers.rdi, registers.rdx);
            enters = !enters;
        }
    }

    void note_call(pid_t child, unsigned long long call, unsigned long long first, unsigned long long third) {
        const auto opened = [&](unsigned long long descriptor) {
            return "/proc/" + std::to_string(child) + "/fd/" + std::to_string(descriptor);
        };
        switch (call) {
            case SYS_fsync:
            case SYS_fdatasync: {
                const auto node = latest_.find(inode_of(opened(first)));
                if (node != latest_.end())
                    durable_[node->first] = node->second;
                break;
            }
            case SYS_syncfs:
            case SYS_sync: durable_ = latest_; break;
            case SYS_write:
            case SYS_pwrite64:
            case SYS_writev:
            case SYS_pwritev:
            case SYS_ftruncate:
            case SYS_fallocate: note_content(opened(first)); break;
            case SYS_copy_file_range: note_content(opened(third)); break;
            default:
                if (!changes_files(call))
                    return;
                scan();
        }
        note_step();
    }

    void note_content(const std::string& opened) {
        struct stat status {};
        if (::stat(opened.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_dev != device_of(root_))
            return;
        put(status.st_ino, {.content = read_file(opened)});
    }

    static dev_t device_of(const std::string& path) {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? status.st_dev : 0;
    }

    // ---- States

    static bool coin(std::mt19937_64& random) { return (random() >> 8 & 1) != 0; }

    static void write_folder(const Step& step, ino_t inode, Survival survival, std::mt19937_64& random,
                             const std::string& out) {
        std::filesystem::create_directory(out);
        const auto durable = step.durable.find(inode);
        const auto latest = step.latest.find(inode);
        const std::map<std::string, ino_t> none;
        const auto& before = durable == step.durable.end() ? none : durable->second->entries;
        const auto& after = latest == step.latest.end() ? none : latest->second->entries;
        std::set<std::string> names;
        for (const auto* entries : {&before, &after})
            for (const auto& [name, entry] : *entries)
                names.insert(name);
        for (const std::string& name : names) {
            const bool survives = survival == Survival::everything || survival == Survival::names ||
                                  (survival == Survival::random && coin(random));
            const auto& entries = survives ? after : before;
            const auto entry = entries.find(name);
            if (entry == entries.end())
                continue;
            const auto node = step.latest.find(entry->second);
            REQUIRE(node != step.latest.end());
            if (node->second->is_folder)
                write_folder(step, entry->second, survival, random, out + "/" + name);
            else
                std::ofstream(out + "/" + name, std::ios::binary) << content_of(step, entry->second, survival, random);
        }
    }

    static std::string content_of(const Step& step, ino_t inode, Survival survival, std::mt19937_64& random) {
        const auto durable = step.durable.find(inode);
        const std::string before = durable == step.durable.end() ? std::string() : durable->second->content;
        const std::string& after = step.latest.at(inode)->content;
        if (survival == Survival::everything)
            return after;
        if (survival != Survival::random)
            return before;
        // Torn: each page is old, new, or zeros if there was none.
        constexpr std::size_t kPage = 4096;
        std::string torn = before;
        torn.resize(coin(random) ? after.size() : before.size());
        for (std::size_t at = 0; at < std::min(torn.size(), after.size()); at += kPage) {
            const std::size_t size = std::min({kPage, torn.size() - at, after.size() - at});
            if (coin(random))
                torn.replace(at, size, after, at, size);
        }
        return torn;
    }

    const std::string root_;
    Nodes latest_;
    Nodes durable_;
    std::vector<Step> steps_;
    int exit_code_ = -1;
};

// Calls `check(step)` with each state that is tried in the folder `out`: three of each moment, and `random_states`
// more.
template <class Check>
void for_each_power_loss(const RecordedFolder& folder, const std::string& out, int random_states, const Check& check) {
    FARDEL_RANDOM(random);
    for (std::size_t step = 0; step < folder.steps(); ++step) {
        for (int i = 0; i < 3 + random_states; ++i) {
            const auto survival = static_cast<Survival>(std::min(i, 3));
            CAPTURE(step);
            CAPTURE(i);
            folder.write_state(step, survival, random, out);
            check(step);
        }
    }
}

}  // namespace fardel::tests

#endif
