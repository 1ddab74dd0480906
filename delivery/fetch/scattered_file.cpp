#include "fetch/scattered_file.h"

#include <fardel/base/file.h>
#include <fardel/base/random.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kSubject = "a bundle that is made for a while";

}  // namespace

Result<std::shared_ptr<ScatteredFile>> ScatteredFile::create(const std::string& store, std::uint64_t size_bytes,
                                                             std::shared_ptr<const ByteSource> rest) {
    std::array<std::uint64_t, 1> number{};
    fill_random(std::as_writable_bytes(std::span(number)));
    // A program that is killed before the file loses its name leaves what the store removes as an abandoned pack.
    const FilePath path = FilePath::of_root(store) / "packs" / ("unnamed-" + std::to_string(number[0]));
    FARDEL_TRY_ASSIGN(Descriptor file, create_file(path, kSubject, 0600));
    FARDEL_TRY(remove_file(path, kSubject));
    return std::shared_ptr<ScatteredFile>(new ScatteredFile(std::move(file), size_bytes, std::move(rest)));
}

std::pair<const ScatteredFile::Part*, std::uint64_t> ScatteredFile::part_at(std::uint64_t offset) const {
    const auto after = parts_.upper_bound(offset);
    if (after != parts_.begin()) {
        const auto& [start, part] = *std::prev(after);
        if (offset - start < part.length_bytes)
            return {&part, start + part.length_bytes - offset};
    }
    return {nullptr, (after == parts_.end() ? size_bytes_ : after->first) - offset};
}

Status ScatteredFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto [part, until] = part_at(offset);
        const auto run = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(until, bytes.size())));
        if (part == nullptr) {
            FARDEL_TRY(write_whole_at(file_, written_bytes_, run, kSubject));
            parts_.emplace(offset, Part{.length_bytes = run.size(), .file_offset = written_bytes_});
            written_bytes_ += run.size();
        }
        bytes = bytes.subspan(run.size());
        offset += run.size();
    }
    return ok();
}

Status ScatteredFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        const auto [part, until] = part_at(offset);
        const auto run = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(until, out.size())));
        if (run.empty() || (part == nullptr && rest_ == nullptr))
            return Error(ErrorCode::missing, "these bytes are not here");
        if (part == nullptr) {
            FARDEL_TRY(rest_->read_at(offset, run));
        } else {
            const std::uint64_t inside = part->length_bytes - until;
            FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file_, part->file_offset + inside, run, kSubject));
            if (count != run.size())
                return Error(ErrorCode::corrupt, std::string(kSubject) + " is shorter than it was");
        }
        out = out.subspan(run.size());
        offset += run.size();
    }
    return ok();
}

bool ScatteredFile::holds(std::uint64_t offset, std::uint64_t length_bytes) const {
    while (length_bytes != 0) {
        const auto [part, until] = part_at(offset);
        const std::uint64_t run = std::min(until, length_bytes);
        if (run == 0 || (part == nullptr && (rest_ == nullptr || !rest_->holds(offset, run))))
            return false;
        offset += run;
        length_bytes -= run;
    }
    return true;
}

}  // namespace fardel
