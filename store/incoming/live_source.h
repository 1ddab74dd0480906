// LiveSource: what is held of a bundle on its way, for readers beside the one thread that writes. Any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>

namespace fardel {

class LiveSource final : public ByteSource {
public:
    // `subject`: names the bundle in errors.
    LiveSource(std::string subject, std::uint64_t file_bytes);

    // From now on, the range is read from that offset of the pack. It overlaps none that was added before.
    void add(std::uint64_t offset, std::uint64_t length_bytes, std::shared_ptr<const ByteSource> pack,
             std::uint64_t pack_offset);
    void clear();

    std::uint64_t size_bytes() const noexcept override { return file_bytes_; }
    // Error: missing (a part is not here).
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    bool holds(std::uint64_t offset, std::uint64_t length) const override;

private:
    struct Part {
        std::uint64_t length_bytes = 0;
        std::shared_ptr<const ByteSource> pack;
        std::uint64_t pack_offset = 0;
    };
    // Returns the part from `offset` on.
    std::optional<Part> find(std::uint64_t offset) const;

    const std::string subject_;
    const std::uint64_t file_bytes_;
    mutable std::shared_mutex mutex_;
    std::map<std::uint64_t, Part> parts_;  // by file offset
};

}  // namespace fardel
