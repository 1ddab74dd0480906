// UploadParts: what was received of uploads that broke off, until they go on, are too old, or others need their room.
// The files are in a hidden folder of the tree, which nothing serves. Any thread, and any number of processes.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
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
        Part(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
        const Descriptor& file() const noexcept { return file_; }
        // Removes its name; the file stays readable.
        void remove();

    private:
        Descriptor file_;
        std::string path_;
    };

    // `owner`: who uploads it; another one has another part. Creates the file if it is not there. Errors: busy (another
    // upload writes to it), limit (kUploadPartsMax are being written to), denied, no_space, io.
    Result<Part> open(const BundleId& bundle, const std::string& owner);
    // Bytes that were received.
    std::uint64_t size_bytes(const BundleId& bundle, const std::string& owner) const;
    // Of all parts that no upload is writing to.
    std::uint64_t idle_bytes();
    // Removes such parts until they had that many bytes together: first those with the fewest bytes for their age. So
    // many small new ones do not push out a large one.
    void remove_idle(std::uint64_t bytes);
    // Removes parts that are older than kUploadPartKept at this time, in nanoseconds since 1970.
    void remove_old(std::int64_t now_ns);

private:
    std::string path_of(const BundleId& bundle, const std::string& owner) const;

    const std::string folder_;
    std::mutex mutex_;  // whoever looks for idle parts locks each: nobody of this process takes that for an upload
};

}  // namespace fardel
