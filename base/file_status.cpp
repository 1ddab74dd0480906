#include <fardel/base/file_status.h>

namespace fardel {

std::string_view file_kind_text(FileKind kind) noexcept {
    switch (kind) {
        case FileKind::file: return "a file";
        case FileKind::folder: return "a folder";
        case FileKind::link: return "a link";
        case FileKind::fifo: return "a FIFO";
        case FileKind::socket: return "a socket";
        case FileKind::device: return "a device";
    }
    return "";
}

}  // namespace fardel
