// ScatteredFile: parts of a file that is not here as a whole: what another source has, and what was written. What was
// written lies in a file without a name, which ends with the object, also if the program is killed.
//
// One thread writes while no other one reads; otherwise any number of threads may read.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace fardel {

class ScatteredFile final : public ByteSource {
public:
    // `store`: the path of the one that has the file without a name. `rest`: what was not written is read from it;
    // nullptr: nothing is. Errors: those of create_file and remove_file.
    static Result<std::shared_ptr<ScatteredFile>> create(const std::string& store, std::uint64_t size_bytes,
                                                         std::shared_ptr<const ByteSource> rest);

    // The range is within the file. What was written before stays as it is. Errors: no_space, io.
    Status write(std::uint64_t offset, std::span<const std::byte> bytes);

    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    bool holds(std::uint64_t offset, std::uint64_t length_bytes) const override;

private:
    struct Part {
        std::uint64_t length_bytes = 0;
        std::uint64_t file_offset = 0;
    };
    ScatteredFile(Descriptor file, std::uint64_t size_bytes, std::shared_ptr<const ByteSource> rest)
        : file_(std::move(file)), size_bytes_(size_bytes), rest_(std::move(rest)) {}
    // Returns what is at the offset, and how many bytes there are until that changes; nullptr: the rest.
    std::pair<const Part*, std::uint64_t> part_at(std::uint64_t offset) const;

    Descriptor file_;
    const std::uint64_t size_bytes_;
    const std::shared_ptr<const ByteSource> rest_;
    std::map<std::uint64_t, Part> parts_;  // by offset, apart from each other
    std::uint64_t written_bytes_ = 0;
};

}  // namespace fardel
