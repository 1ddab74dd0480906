#include "builtin.h"

#include <fardel/sources/source_scan.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <ios>
#include <memory>

namespace fardel {
namespace {

constexpr std::uint64_t kUnpackedBytesMax = std::uint64_t{4} << 30;
constexpr std::size_t kPieceBytes = 256u << 10;

Error cancelled() { return Error(ErrorCode::cancelled, "stopped"); }
Error too_large() { return Error(ErrorCode::limit, "it unpacks to more than " + std::to_string(kUnpackedBytesMax) + " bytes"); }

std::string lower(std::string_view text) {
    std::string folded(text);
    std::ranges::transform(folded, folded.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return folded;
}

// A file that grows by pieces.
class OutputFile {
public:
    OutputFile(const std::string& path, std::string name) : out_(path, std::ios::binary | std::ios::trunc), name_(std::move(name)) {}
    Status write(const char* bytes, std::size_t count) {
        out_.write(bytes, static_cast<std::streamsize>(count));
        return status();
    }
    Status close() {
        out_.close();
        return status();
    }

private:
    Status status() const { return out_ ? ok() : Status(Error(ErrorCode::io, "the output '" + printable(name_) + "' cannot be written; is the disk full?")); }
    std::ofstream out_;
    std::string name_;
};

// ---- .gz ------------------------------------------------------------------------------------------------------------

struct CloseGzip {
    void operator()(gzFile_s* file) const noexcept { ::gzclose_r(file); }
};

std::string without_extension(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }

Status unpack_gzip(const Job& job, const JobInput& source, const JobFolder& folder, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const std::string name, only_output(job, without_extension(source.name.view())));
    FARDEL_TRY_ASSIGN(const std::string path, folder.new_output_path(name));
    const std::unique_ptr<gzFile_s, CloseGzip> packed(::gzopen(folder.input_path(source).c_str(), "rb"));
    if (!packed)
        return Error(ErrorCode::io, "'" + printable(source.name.view()) + "' cannot be opened");
    OutputFile file(path, name);
    std::array<char, kPieceBytes / 4> piece;
    std::uint64_t unpacked = 0;
    for (;;) {
        if (stop.stop_requested())
            return cancelled();
        const int count = ::gzread(packed.get(), piece.data(), piece.size());
        int failure = Z_OK;
        ::gzerror(packed.get(), &failure);
        if (count < 0 || failure == Z_BUF_ERROR)   // Z_BUF_ERROR: it ends in the middle
            return Error(ErrorCode::malformed, "this is no whole gzip file");
        if (::gzdirect(packed.get()) == 1)         // zlib hands what is no gzip through
            return Error(ErrorCode::malformed, "this is no gzip file");
        if (count == 0)
            return file.close();
        unpacked += static_cast<std::uint64_t>(count);
        if (unpacked > kUnpackedBytesMax)
            return too_large();
        FARDEL_TRY(file.write(piece.data(), static_cast<std::size_t>(count)));
    }
}

// ---- .zip and .pk3 --------------------------------------------------------------------------------------------------

Status unpack_entry(const SourceEntry& entry, const JobFolder& folder, const std::string& name, std::uint64_t& unpacked, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const std::string path, folder.new_output_path(name));
    FARDEL_TRY_ASSIGN(const auto stream, entry.blob->open());
    OutputFile file(path, name);
    std::vector<std::byte> piece(kPieceBytes);
    for (;;) {
        if (stop.stop_requested())
            return cancelled();
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(piece));
        if (count == 0)
            return file.close();
        unpacked += count;
        if (unpacked > kUnpackedBytesMax)
            return too_large();
        FARDEL_TRY(file.write(reinterpret_cast<const char*>(piece.data()), count));
    }
}

Status unpack_archive(const Job& job, const JobInput& source, const JobFolder& folder, const std::stop_token& stop) {
    const std::vector<std::string> archives = {folder.input_path(source)};
    FARDEL_TRY_ASSIGN(const ScanResult scan, scan_sources(archives, {}));
    if (!scan.report.refused.empty()) {
        const RefusedName& refused = scan.report.refused.front();
        return Error(refused.reason).with_context("its file '" + refused.printable_name + "'");
    }
    // With 'outputs': those of its files alone.
    const std::string prefix = without_extension(source.name.view()) + "/";
    std::uint64_t unpacked = 0;
    for (const SourceEntry& entry : scan.entries) {
        const std::string name = prefix + entry.name.text();
        if (job.outputs.empty() || std::ranges::find(job.outputs, name) != job.outputs.end())
            FARDEL_TRY(unpack_entry(entry, folder, name, unpacked, stop));
    }
    return ok();
}

Status unpack(const Job& job, const JobFolder& folder, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const JobInput* const source, only_source(job));
    const std::string name = lower(source->name.leaf());
    if (name.ends_with(".gz") && name.size() > 3)
        return unpack_gzip(job, *source, folder, stop);
    if (name.size() > 4 && (name.ends_with(".zip") || name.ends_with(".pk3")))
        return unpack_archive(job, *source, folder, stop);
    return Error(ErrorCode::malformed, "the built-in 'unpack' takes files that end in .gz, .zip or .pk3");
}

}  // namespace

const Builtin kUnpackBuiltin = {.name = "unpack", .version = [] { return std::string("1"); }, .parameters = {}, .any_parameter = false, .verify_parameter = [](std::string_view, const ParameterValue&) { return ok(); }, .run = unpack};

}  // namespace fardel
