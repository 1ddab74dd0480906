// One folder, mounted several times as several computers see a folder of a network file system. The kernel of a test
// machine may have none, so programs do it through FUSE: `cached` is tests/kit/cached_mount.cpp, with locks that all
// mounts see; `smb` is the same under the name of a file system that reaches servers of SMB; `sshfs` speaks SFTP with a
// server of its own, and nobody else sees locks.
#pragma once

#include "files.h"

#include <spawn.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace fardel::tests {

enum class MountKind { cached, smb, sshfs };

class FolderMount {
public:
    FolderMount(const ScratchFolder& scratch, MountKind kind, const std::string& folder, const std::string& name)
        : path_(scratch.path(name)) {
        std::filesystem::create_directories(path_);
        std::vector<std::string> words{FARDEL_CACHED_MOUNT, folder, path_};
        if (kind == MountKind::smb)
            words.emplace_back("smbnetfs");
        if (kind == MountKind::sshfs) {
            // The server speaks over the pipe that would lead to ssh.
            const std::string server =
                scratch.write_program(name + ".sftp", "#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n");
            words = {"sshfs", "computer:" + folder, path_, "-f", "-o", "ssh_command=" + server};
        }
        std::vector<char*> arguments;
        for (std::string& word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        REQUIRE(::posix_spawnp(&program_, arguments[0], nullptr, nullptr, arguments.data(), environ) == 0);
        wait_until([&] { return is_mounted() || has_ended(); });
        REQUIRE_MESSAGE(is_mounted(), words[0] << " does not mount");
    }
    ~FolderMount() {
        ::umount2(path_.c_str(), MNT_DETACH);
        if (!wait_until([&] { return has_ended(); }, std::chrono::seconds(10)))
            ::kill(program_, SIGKILL);
        wait_until([&] { return has_ended(); });
    }
    FolderMount(const FolderMount&) = delete;
    FolderMount& operator=(const FolderMount&) = delete;

    const std::string& root() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

    // Why there are no such mounts here; empty: there are.
    static std::string missing(MountKind kind) {
        if (::access("/dev/fuse", R_OK | W_OK) != 0)
            return "no access to /dev/fuse";
        if (::geteuid() != 0)
            return "no permission to mount";
        if (kind == MountKind::sshfs && ::access("/usr/bin/sshfs", X_OK) != 0)
            return "sshfs is not installed";
        if (kind == MountKind::sshfs && ::access("/usr/lib/openssh/sftp-server", X_OK) != 0)
            return "openssh-sftp-server is not installed";
        return "";
    }

private:
    bool is_mounted() const {
        struct statfs status {};
        constexpr long kFuse = 0x65735546;
        return ::statfs(path_.c_str(), &status) == 0 && status.f_type == kFuse;
    }
    bool has_ended() {
        if (program_ > 0 && ::waitpid(program_, nullptr, WNOHANG) == program_)
            program_ = -1;
        return program_ < 0;
    }

    const std::string path_;
    pid_t program_ = -1;
};

}  // namespace fardel::tests
