#include "job_folder.h"

#include "system_descriptor.h"
#include "text/in_quotes.h"

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/store/cache_record.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fardel {
namespace {

constexpr std::size_t kPieceBytes = 256u << 10;
constexpr std::uint64_t kOutputInMemoryMax = 64u << 10;  // smaller outputs leave the disk at once
constexpr std::uint64_t kOutputBytesMax = 16ull << 30;   // of one job

Error cancelled() { return Error(ErrorCode::cancelled, "stopped"); }

// A file of the folder, with the folder.
class KeptFileBlob final : public BlobSource {
public:
    KeptFileBlob(std::shared_ptr<const JobFolder> folder, std::string path)
        : folder_(std::move(folder)), file_(make_file_blob(std::move(path))) {}
    Result<std::unique_ptr<BlobStream>> open() const override { return file_->open(); }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return file_->open_bytes(); }
    std::optional<Hash> find_version() const override { return file_->find_version(); }

private:
    std::shared_ptr<const JobFolder> folder_;
    std::shared_ptr<const BlobSource> file_;
};

Result<SystemDescriptor> create_file(const std::string& path, std::string_view shown) {
    SystemDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file)
        return system_failure(errno, shown);
    return file;
}

Status write_all(const SystemDescriptor& file, std::span<const std::byte> bytes, std::string_view shown) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failure(errno, shown);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return ok();
}

Result<std::size_t> read_some(const SystemDescriptor& file, std::span<std::byte> out, std::string_view shown) {
    for (;;) {
        const ssize_t count = ::read(file.get(), out.data(), out.size());
        if (count >= 0)
            return static_cast<std::size_t>(count);
        if (errno != EINTR)
            return system_failure(errno, shown);
    }
}

Status make_parent(const std::string& path, std::string_view shown) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    return error ? Status(system_failure(error.value(), shown)) : ok();
}

// Copies and hashes.
Result<AssetId> copy(BlobStream& from, const SystemDescriptor& to, std::string_view shown,
                     const std::stop_token& stop) {
    std::vector<std::byte> piece(kPieceBytes);
    Hasher hasher;
    for (;;) {
        if (stop.stop_requested())
            return cancelled();
        FARDEL_TRY_ASSIGN(const std::size_t count, from.read(piece));
        if (count == 0)
            return id_from<AssetId>(hasher.finish());
        hasher.update(std::span(piece).first(count));
        FARDEL_TRY(write_all(to, std::span(piece).first(count), shown));
    }
}

// ---- What a job left ------------------------------------------------------------------------------------------------

struct FolderStream {
    explicit FolderStream(DIR* opened) : folder(opened) {}
    ~FolderStream() { ::closedir(folder); }
    FolderStream(const FolderStream&) = delete;
    FolderStream& operator=(const FolderStream&) = delete;
    DIR* folder;
};

class OutputWalk {
public:
    OutputWalk(std::shared_ptr<const JobFolder> job, const std::stop_token& stop)
        : job_(std::move(job)), stop_(stop), piece_(kPieceBytes) {}

    Status walk(int parent, const char* leaf, const std::string& prefix, std::size_t depth) {
        if (depth > limits::kNameDepthMax)
            return Error(ErrorCode::limit,
                         "it made folders in folders, deeper than " + std::to_string(limits::kNameDepthMax));
        SystemDescriptor opened(::openat(parent, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!opened && (errno == ENOTDIR || errno == ELOOP))
            return Error(ErrorCode::denied,
                         "in the place of its folder 'out/" + printable(prefix) + "' there is a link or a file");
        if (!opened)
            return system_failure(errno, "out/" + printable(prefix));
        DIR* const stream = ::fdopendir(::fcntl(opened.get(), F_DUPFD_CLOEXEC, 0));
        if (stream == nullptr)
            return system_failure(errno, "out/" + printable(prefix));
        const FolderStream folder(stream);
        while (const dirent* const entry = ::readdir(folder.folder)) {
            const std::string_view name = entry->d_name;
            if (name != "." && name != "..")
                FARDEL_TRY(take(opened.get(), entry->d_name, prefix + std::string(name), depth));
        }
        return ok();
    }

    std::vector<JobOutput> finish() {
        std::ranges::sort(outputs_, {}, &JobOutput::name);
        return std::move(outputs_);
    }

private:
    Status take(int folder, const char* leaf, const std::string& name, std::size_t depth) {
        if (stop_.stop_requested())
            return cancelled();
        struct stat entry {};
        if (::fstatat(folder, leaf, &entry, AT_SYMLINK_NOFOLLOW) != 0)
            return system_failure(errno, in_quotes(name));
        if (S_ISLNK(entry.st_mode))
            return Error(ErrorCode::denied,
                         "the output " + in_quotes(name) + " is a symbolic link; outputs are files of their own");
        if (S_ISDIR(entry.st_mode))
            return walk(folder, leaf, name + "/", depth + 1);
        if (!S_ISREG(entry.st_mode))
            return Error(ErrorCode::malformed, "the output " + in_quotes(name) + " is neither a file nor a folder");
        if (Status good = verify_name(name); !good)
            return std::move(good).error().with_context("the output " + in_quotes(name));
        if (outputs_.size() == kCachedOutputsMax)
            return Error(ErrorCode::limit, "it made more than " + std::to_string(kCachedOutputsMax) + " files");
        return read(folder, leaf, name);
    }

    Status read(int folder, const char* leaf, const std::string& name) {
        const std::string shown = "the output " + in_quotes(name);
        SystemDescriptor file(::openat(folder, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (!file && errno == EACCES) {  // a program may make files that nobody may read
            ::fchmodat(folder, leaf, 0600, 0);
            file = SystemDescriptor(::openat(folder, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        }
        if (!file)
            return system_failure(errno, shown);
        JobOutput output{.name = name, .asset = {}, .size_bytes = 0, .blob = nullptr};
        std::vector<std::byte> kept;
        Hasher hasher;
        for (;;) {
            if (stop_.stop_requested())
                return cancelled();
            FARDEL_TRY_ASSIGN(const std::size_t count, read_some(file, piece_, shown));
            if (count == 0)
                break;
            output.size_bytes += count;
            all_bytes_ += count;
            if (all_bytes_ > kOutputBytesMax)
                return Error(ErrorCode::limit, "it made more than " + std::to_string(kOutputBytesMax) + " bytes");
            const auto bytes = std::span(piece_).first(count);
            hasher.update(bytes);
            if (output.size_bytes <= kOutputInMemoryMax)
                kept.insert(kept.end(), bytes.begin(), bytes.end());
        }
        output.asset = id_from<AssetId>(hasher.finish());
        if (output.size_bytes <= kOutputInMemoryMax)
            output.blob = make_memory_blob(std::move(kept));
        else
            output.blob = std::make_shared<KeptFileBlob>(job_, job_->path_of("out/" + name));
        outputs_.push_back(std::move(output));
        return ok();
    }

    std::shared_ptr<const JobFolder> job_;
    const std::stop_token& stop_;
    std::vector<std::byte> piece_;
    std::vector<JobOutput> outputs_;
    std::uint64_t all_bytes_ = 0;
};

// A job may take the rights to its own folders away.
void allow_removal(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                                 std::filesystem::perm_options::add | std::filesystem::perm_options::nofollow, ignored);
    for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
        if (std::error_code error; entry->symlink_status(error).type() == std::filesystem::file_type::directory)
            allow_removal(entry->path());
        if (ignored)
            return;
    }
}

}  // namespace

Result<std::shared_ptr<JobFolder>> JobFolder::make(const std::string& scratch) {
    std::error_code error;
    const std::filesystem::path place = std::filesystem::canonical(scratch, error);
    if (error)
        return system_failure(error.value(), printable(scratch));
    std::string pattern = (place / "job-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)  // mode 0700
        return system_failure(errno, printable(scratch));
    const std::shared_ptr<JobFolder> folder(new JobFolder(pattern));
    for (const char* const name : {"in", "out", "tmp"})
        if (::mkdir(folder->path_of(name).c_str(), 0755) != 0)
            return system_failure(errno, printable(folder->path_of(name)));
    return folder;
}

JobFolder::~JobFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (!error)
        return;
    allow_removal(path_);
    std::filesystem::remove_all(path_, error);
}

Status JobFolder::add_input(const JobInput& input, const std::stop_token& stop) const {
    const std::string shown = "the copy of " + in_quotes(input.name.view());
    FARDEL_TRY(make_parent(input_path(input), shown));
    FARDEL_TRY_ASSIGN(const SystemDescriptor file, create_file(input_path(input), shown));
    FARDEL_TRY_ASSIGN(const auto stream, input.blob->open());
    FARDEL_TRY_ASSIGN(const AssetId asset, copy(*stream, file, shown, stop));
    if (asset != input.asset)
        return Error(ErrorCode::conflict,
                     in_quotes(input.name.view()) + " was edited since it was looked at; build again");
    return ok();
}

Result<std::string> JobFolder::new_output_path(std::string_view name) const {
    if (Status good = verify_name(name); !good)
        return std::move(good).error().with_context("the output " + in_quotes(name));
    std::string path = path_of("out/" + std::string(name));
    FARDEL_TRY(make_parent(path, "the output " + in_quotes(name)));
    return path;
}

Status JobFolder::write_output(std::string_view name, std::span<const std::byte> bytes) const {
    FARDEL_TRY(new_output_path(name));
    return write_file("out/" + std::string(name), bytes);
}

Status JobFolder::copy_output(const JobInput& input, std::string_view name, const std::stop_token& stop) const {
    FARDEL_TRY_ASSIGN(const std::string path, new_output_path(name));
    const std::string shown = "the output " + in_quotes(name);
    const SystemDescriptor from(::open(input_path(input).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!from)
        return system_failure(errno, in_quotes(input.name.view()));
    FARDEL_TRY_ASSIGN(const SystemDescriptor file, create_file(path, shown));
    std::vector<std::byte> piece(256u << 10);
    while (true) {
        if (stop.stop_requested())
            return cancelled();
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(from, piece, in_quotes(input.name.view())));
        if (count == 0)
            return ok();
        FARDEL_TRY(write_all(file, std::span(piece).first(count), shown));
    }
}

Status JobFolder::write_file(std::string_view name, std::span<const std::byte> bytes) const {
    const std::string shown = in_quotes(name);
    FARDEL_TRY_ASSIGN(const SystemDescriptor file, create_file(path_of(name), shown));
    return write_all(file, bytes, shown);
}

Result<std::vector<JobOutput>> JobFolder::collect_outputs(const std::stop_token& stop) const {
    OutputWalk walk(shared_from_this(), stop);
    FARDEL_TRY(walk.walk(AT_FDCWD, path_of("out").c_str(), "", 0));
    return walk.finish();
}

Result<std::optional<std::string>> JobFolder::find_text(std::string_view name, std::size_t bytes_max) const {
    const SystemDescriptor file(::open(path_of(name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file && errno == ENOENT)
        return std::optional<std::string>();
    if (!file)
        return system_failure(errno, in_quotes(name));
    struct stat entry {};
    if (::fstat(file.get(), &entry) != 0)
        return system_failure(errno, in_quotes(name));
    if (!S_ISREG(entry.st_mode))
        return Error(ErrorCode::malformed, in_quotes(name) + " is no file");
    std::string text;
    std::array<std::byte, 16u << 10> piece;
    for (;;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(file, piece, in_quotes(name)));
        if (count == 0)
            return std::optional(std::move(text));
        text.append(reinterpret_cast<const char*>(piece.data()), count);
        if (text.size() > bytes_max)
            return Error(ErrorCode::limit, in_quotes(name) + " has more than " + std::to_string(bytes_max) + " bytes");
    }
}

}  // namespace fardel
