// TreeTarget: where a static tree is written: a folder, a WebDAV server or a bucket. One thread.
//
// What a target reads is untrusted. A file appears whole or not at all, under its final name. Files do not change once
// they are written, except for heads: small files that are replaced in one step. docs/publishing.md says what each kind
// of target can promise beside other publishers.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kTreePathBytesMax = 256;  // a release of a channel with the longest name has 210
inline constexpr std::uint64_t kTreeHeadBytesMax = 64u << 20;
inline constexpr std::size_t kTreeFoldersMax = 10'000;

// Whether a text can be a path below a tree: parts of [0-9a-z_-] and '.', which begins no part, joined by '/'.
bool is_tree_path(std::string_view path) noexcept;

struct PublishWork {
    std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress;
    std::stop_token stop;
    std::optional<UnixTime> now;  // nothing: what a prune has announced is still going on
};

enum class PutOutcome : unsigned char { written, was_there };

// A file that is replaced in one step.
struct TreeHead {
    std::vector<std::byte> bytes;
    std::string version;  // another text whenever the bytes are others
};

struct TreeFile {
    std::string path;  // below the tree
    std::uint64_t size_bytes = 0;
};

// Errors of all functions: malformed (no tree path), denied, busy, unreachable, no_space, io, cancelled.
class TreeTarget {
public:
    virtual ~TreeTarget() = default;
    // Names the target in messages, safe to print: "the folder /srv/www".
    virtual std::string name() const = 0;

    // The source must not outlive the target. Error: missing.
    virtual Result<std::shared_ptr<const ByteSource>> open(const std::string& path) = 0;
    // Writes the file unless it is there. Error: conflict (the file is there with other bytes, and stays).
    virtual Result<PutOutcome> put(const std::string& path, const ByteSource& bytes, const PublishWork& work) = 0;

    // Returns nothing if there is no such file. Error: limit (more than kTreeHeadBytesMax).
    virtual Result<std::optional<TreeHead>> find_head(const std::string& path) = 0;
    // Replaces the file if it still has that version; "": if it is missing. Error: conflict (it has another one).
    virtual Status replace_head(const std::string& path, std::span<const std::byte> bytes,
                                const std::string& version) = 0;

    // Returns the files in a folder of the tree, in the order of their paths; nothing if there is no such folder. Files
    // in folders below it, and files whose paths are not those of a tree, are left out.
    virtual Result<std::vector<TreeFile>> list(const std::string& folder) = 0;
    // The same with the files in all folders below it. Error: limit (more than kTreeFoldersMax folders, or an endless
    // list).
    virtual Result<std::vector<TreeFile>> list_below(const std::string& folder) = 0;
    // Returns false if there was no such file.
    virtual Result<bool> remove(const std::string& path) = 0;
};

// A file of the tree as text. Errors: missing, limit (longer than `bytes_max`), those of the target.
Result<std::string> read_tree_text(TreeTarget& tree, const std::string& path, std::size_t bytes_max);

// The tree in a folder. One that is not there is created with the first file; one that was there and is gone is not:
// missing. A lock in the folder, ".fardel-tree.lock", is held while a head is replaced.
std::unique_ptr<TreeTarget> make_folder_target(std::string folder);

}  // namespace fardel
