#include <fardel/format/source_pieces.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kSourcePieceBytes = 1u << 20;

}  // namespace

Status read_pieces(const ByteSource& source, std::string_view subject, const std::stop_token& stop,
                   const std::function<Status(std::uint64_t, std::span<const std::byte>)>& receive) {
    std::vector<std::byte> piece;
    for (std::uint64_t at = 0; at < source.size_bytes(); at += piece.size()) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, std::string(subject) + ": stopped");
        piece.resize(static_cast<std::size_t>(std::min(source.size_bytes() - at, kSourcePieceBytes)));
        FARDEL_TRY(source.read_at(at, piece));
        FARDEL_TRY(receive(at, piece));
    }
    return ok();
}

}  // namespace fardel
