#include <fardel/base/file.h>

#include "no_files.h"

namespace fardel {

Result<Descriptor> open_file(const FileLocation&, std::string_view subject, const OpenOptions&) {
    return no_files(subject);
}
Result<RegularFile> open_regular_file(const FileLocation&, std::string_view subject, const OpenOptions&) {
    return no_files(subject);
}
Result<Descriptor> create_file(const FileLocation&, std::string_view subject, std::uint32_t) {
    return no_files(subject);
}
Result<Descriptor> open_appending(const FileLocation&, std::string_view subject) { return no_files(subject); }
Result<Descriptor> create_unnamed_file(std::string_view subject) { return no_files(subject); }
Result<std::size_t> read_some(const Descriptor&, std::span<std::byte>, std::string_view subject) {
    return no_files(subject);
}
Result<std::size_t> read_whole_at(const Descriptor&, std::uint64_t, std::span<std::byte>, std::string_view subject) {
    return no_files(subject);
}
Result<std::string> read_text(const Descriptor&, std::size_t, std::string_view subject) { return no_files(subject); }
Result<std::string> read_secret_line(const std::string&, std::string_view subject, std::string_view) {
    return no_files(subject);
}
Status write_whole(const Descriptor&, std::span<const std::byte>, std::string_view subject) {
    return no_files(subject);
}
Status write_whole_at(const Descriptor&, std::uint64_t, std::span<const std::byte>, std::string_view subject) {
    return no_files(subject);
}
Status resize_file(const Descriptor&, std::uint64_t, std::string_view subject) { return no_files(subject); }
Status sync_file(const Descriptor&, std::string_view subject) { return no_files(subject); }
void prefetch_file(const Descriptor&, std::uint64_t, std::uint64_t) noexcept {}
Result<std::shared_ptr<const std::byte[]>> map_file(const Descriptor&, std::uint64_t, std::uint64_t,
                                                    std::string_view subject) {
    return no_files(subject);
}
Result<bool> lock_file(const Descriptor&, std::string_view subject) { return no_files(subject); }
void unlock_file(const Descriptor&) noexcept {}
Result<bool> lock_file_shared(const Descriptor&, std::string_view subject) { return no_files(subject); }

}  // namespace fardel
