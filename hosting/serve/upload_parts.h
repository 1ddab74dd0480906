// UploadParts: what was received of uploads that broke off, until they go on or are too old. The files are in a hidden
// folder of the tree, which nothing serves. Any thread, and any number of processes.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fardel {

inline constexpr std::size_t kUploadPartsMax = 256;
inline constexpr std::chrono::hours kUploadPartKept{24};  // since the last byte

class UploadParts {
public:
    explicit UploadParts(const std::string& tree);

    // The file of one upload, locked. The bytes stay if it is destroyed.
    class Part {
    public:
        Part(Descriptor file, FilePath path) : file_(std::move(file)), path_(std::move(path)) {}
        const Descriptor& file() const noexcept { return file_; }
        // Removes its name; the file stays readable.
        void remove();

    private:
        Descriptor file_;
        FilePath path_;
    };

    // `owner`: who uploads it; another one has another part. Creates the file if it is not there. Errors: busy (another
    // upload writes to it), limit (too many parts), denied, no_space, io.
    Result<Part> open(const BundleId& bundle, const std::string& owner) const;
    // Bytes that were received.
    std::uint64_t size_bytes(const BundleId& bundle, const std::string& owner) const;
    // Of all parts that no upload is writing to.
    std::uint64_t idle_bytes() const;
    // Removes parts that are older than kUploadPartKept at this time, in nanoseconds since 1970.
    void remove_old(std::int64_t now_ns) const;

private:
    FilePath path_of(const BundleId& bundle, const std::string& owner) const;

    const FilePath folder_;
};

}  // namespace fardel
