// WritableFolder: a folder of the disk that belongs to the game: saved games, settings, screenshots.
//
// It is no part of a Vfs and has paths of its own, so that content never hides a saved game, no saved game hides
// content, and pure mode concerns neither. The names are those of bundles (<fardel/format/name.h>), relative to the
// folder: none leaves it, and one that is valid here is valid on every system. What others have put into the folder is
// hostile: links, devices and FIFOs are refused, however they got there and whenever, and never followed.
//
// A file is replaced as a whole or not at all: after a crash, a power failure or on a full disk, the file under the
// name is the old one or the new one. Folders come with their first file and go with their last one. Any thread; other
// processes may use the same folder at the same time. docs/saves.md is the manual.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The quota. What is in the folder counts whenever something is written, whoever wrote it: there is no record of it
// that could be wrong.
struct WritableOptions {
    std::uint64_t bytes_max = 1u << 30;  // the sizes of all files
    std::uint32_t files_max = 10'000;    // files and folders
};

struct WritableEntry {
    std::string name;  // its last part
    bool is_folder = false;
    std::uint64_t size_bytes = 0;
    UnixTime modified;
};

struct WritableUse {
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;  // and folders
};

// A file that is being written. It has its name when commit() has returned; destroyed without that, it leaves nothing.
// One thread at a time.
class WritableFile {
public:
    WritableFile(WritableFile&&) noexcept;
    WritableFile& operator=(WritableFile&&) noexcept;
    ~WritableFile();

    // Appends. Errors: no_space (the disk is full, or the file alone is larger than the quota), io; commit() fails
    // then.
    Status write(std::span<const std::byte> bytes);
    // Makes the file durable, and replaces the one that has the name. Call it once. Errors: no_space (the quota, or the
    // disk); those of WritableFolder::create; io. The old file is unchanged then, unless the message says that the new
    // one has its name.
    Status commit();

private:
    friend class WritableFolder;
    struct Impl;
    explicit WritableFile(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// A handle, which is copied freely.
class WritableFolder {
public:
    // Opens the folder at a path of the system, where links are followed, and creates it if it is missing; removes what
    // killed programs left half written. Errors: missing (also a file), denied, no_space, io.
    static Result<WritableFolder> open(const std::string& path, const WritableOptions& options = {});

    // Begins to write a file. Errors: malformed, limit (the name; names that begin with ".fardel" are Fardel's own);
    // conflict (there is a folder of this name, a file where it needs a folder, or a name that is the same on Windows
    // or macOS); denied (a link, or something else that is no file; permissions); no_space; busy (another program holds
    // the folder's lock for long); io.
    Result<WritableFile> create(std::string_view name) const;
    // create(), write() and commit().
    Status write(std::string_view name, std::span<const std::byte> bytes) const;

    // The file as it is now: what replaces it later does not change what the source gives. Errors: missing, malformed,
    // limit, denied (as create), io.
    Result<std::shared_ptr<const ByteSource>> open_file(std::string_view name) const;
    // All of it. Error: also limit (larger than the quota).
    Result<std::vector<std::byte>> read(std::string_view name) const;

    // Nothing: there is no such file or folder. Errors: malformed, limit, denied, io.
    Result<std::optional<WritableEntry>> find_stat(std::string_view name) const;
    // The files and folders in a folder, by the bytes of their names; "": the whole. None if there is no such folder.
    // What create() would refuse is left out. Errors: as find_stat.
    Result<std::vector<WritableEntry>> list(std::string_view folder = {}) const;

    // Removes a file, or a folder in which nothing is. Returns false if there was none. Errors: as find_stat; conflict
    // (the folder has files), busy.
    Result<bool> remove(std::string_view name) const;

    // What counts for the quota. Errors: denied, io.
    Result<WritableUse> use() const;
    const std::string& path() const noexcept;

private:
    friend class WritableFile;
    struct Root;
    explicit WritableFolder(std::shared_ptr<const Root> root);
    Result<WritableFile> begin_file(std::string_view name) const;
    std::shared_ptr<const Root> root_;
};

// Where the system keeps a user's data of a game, "<data>/<organisation>/<game>": below XDG_DATA_HOME, or
// ~/.local/share. Nothing is created. Both are names of one part. Errors: malformed, limit; missing (the user has no
// home).
Result<std::string> user_data_folder(std::string_view organisation, std::string_view game);

}  // namespace fardel
