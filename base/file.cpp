#include <fardel/base/file.h>

namespace fardel {

Result<RegularFile> open_regular_file(const FileLocation& location, std::string_view subject,
                                      const OpenOptions& options) {
    FARDEL_TRY_ASSIGN(Descriptor file, open_file(location, subject, options));
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file, subject));
    if (!status.is_file())
        return Error(ErrorCode::malformed, std::string(subject) + ": not a regular file");
    return RegularFile{std::move(file), status};
}

Result<std::string> read_text(const Descriptor& file, std::size_t bytes_max, std::string_view subject) {
    std::string text(bytes_max + 1, '\0');  // one byte more, to detect a longer file
    std::size_t size_bytes = 0;
    while (size_bytes < text.size()) {
        const auto rest = std::as_writable_bytes(std::span(text)).subspan(size_bytes);
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(file, rest, subject));
        if (count == 0)
            break;
        size_bytes += count;
    }
    if (size_bytes > bytes_max)
        return Error(ErrorCode::limit, std::string(subject) + ": longer than " + std::to_string(bytes_max) + " bytes");
    text.resize(size_bytes);
    return text;
}

Result<std::string> read_secret_line(const std::string& path, std::string_view subject, std::string_view kind) {
    constexpr std::size_t kBytesMax = 4096;
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, subject));
    FARDEL_TRY(verify_owner_only(file.status, subject, kind));
    FARDEL_TRY_ASSIGN(const std::string text, read_text(file.descriptor, kBytesMax, subject));
    return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace fardel
