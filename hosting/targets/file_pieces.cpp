#include "targets/file_pieces.h"

#include <fardel/format/source_pieces.h>

#include <cstring>
#include <vector>

namespace fardel {

Status read_file_pieces(const ByteSource& file, const PublishWork& work,
                        const std::function<Status(std::uint64_t offset, std::span<const std::byte> piece)>& receive) {
    return read_pieces(file, "publishing", work.stop,
                       [&](std::uint64_t at, std::span<const std::byte> piece) -> Status {
                           FARDEL_TRY(receive(at, piece));
                           if (work.progress)
                               work.progress(at + piece.size(), file.size_bytes());
                           return ok();
                       });
}

Result<bool> has_equal_bytes(const ByteSource& file, const ByteSource& other, const PublishWork& work) {
    if (file.size_bytes() != other.size_bytes())
        return false;
    bool equal = true;
    std::vector<std::byte> there;
    FARDEL_TRY(read_file_pieces(file, work, [&](std::uint64_t at, std::span<const std::byte> bytes) -> Status {
        there.resize(bytes.size());
        FARDEL_TRY(other.read_at(at, there));
        equal = equal && std::memcmp(bytes.data(), there.data(), bytes.size()) == 0;
        return ok();
    }));
    return equal;
}

}  // namespace fardel
