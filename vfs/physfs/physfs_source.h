// PhysfsSource: the bytes of a PHYSFS_Io, which PhysicsFS passes to an archiver, as a ByteSource.
#pragma once

#include <fardel/format/byte_source.h>

#include <cstdint>
#include <mutex>

struct PHYSFS_Io;

namespace fardel {

// A PHYSFS_Io has one position, which is moved and read under a lock. The caller owns the io until own().
class PhysfsSource final : public ByteSource {
public:
    // Error: io (its length is not known).
    static Result<std::shared_ptr<PhysfsSource>> open(PHYSFS_Io* io);
    ~PhysfsSource() override;

    // From now on the source destroys the io.
    void own() noexcept { owned_ = true; }

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    PhysfsSource(PHYSFS_Io* io, std::uint64_t size_bytes) noexcept : io_(io), size_bytes_(size_bytes) {}

    PHYSFS_Io* io_;
    std::uint64_t size_bytes_;
    bool owned_ = false;
    mutable std::mutex position_;
};

}  // namespace fardel
