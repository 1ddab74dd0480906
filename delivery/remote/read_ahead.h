// ReadAhead: recognises reads in order and says how far to read ahead of them. Several readers at once are told apart.
// A value; not for several threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace fardel {

class ReadAhead {
public:
    struct Range {
        std::uint64_t offset = 0;
        std::uint64_t end = 0;
    };

    // Returns what to request after a read of these bytes; nothing: the read continues none before, or enough was
    // requested.
    std::optional<Range> note_read(std::uint64_t offset, std::uint64_t end);

private:
    struct Reader {
        std::uint64_t next = 0;       // where its next read begins, if it is in order
        std::uint64_t requested = 0;  // up to here
        std::uint64_t window = 0;     // 0: one read so far
        std::uint64_t used = 0;       // the number of the read that used it last
    };
    std::array<Reader, 8> readers_;
    std::uint64_t reads_ = 0;
};

}  // namespace fardel
