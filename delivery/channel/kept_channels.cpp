#include "channel/kept_channels.h"

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/hash.h>
#include <fardel/format/whole_file.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <span>
#include <thread>
#include <tuple>

namespace fardel {
namespace {

constexpr std::string_view kKeptTitle = "fardel-channel-kept 1";
constexpr std::string_view kKeptEnding = ".channel";
constexpr std::string_view kEvidenceEnding = ".refused";
constexpr std::ptrdiff_t kEvidenceMax = 16;  // per channel: whoever has stolen a key can sign any number of truths
constexpr std::size_t kKeptBytesMax = 66u << 20;
constexpr std::size_t kHashDigits = 64;
constexpr std::chrono::seconds kLockWait{10};
constexpr std::chrono::milliseconds kLockPause{10};

Error bad_copy(std::string_view what) { return Error(ErrorCode::malformed, "kept channel: " + std::string(what)); }

std::string hash_text(std::string_view bytes) { return blake3(std::as_bytes(std::span(bytes))).hex(); }

// A folder of a store, to which others may write, too.
FilePath part_of_store(const std::string& folder) {
    return FilePath::of_root(folder_of_path(folder)) / file_name_of_path(folder);
}

Status create_kept(const FilePath& folder) {
    FARDEL_TRY(create_folders(folder.cut(folder.root_size()).text(), Lasting::yes));
    return create_folders_below_root(folder, Lasting::yes);
}

Status write_durably(const FilePath& folder, const std::string& name, std::string_view bytes) {
    FARDEL_TRY(create_kept(folder));
    return write_small_file(folder / name, std::as_bytes(std::span(bytes)));
}

// A later copy has a later root, or else a later release, or else a later head.
std::tuple<std::uint64_t, std::uint64_t, std::uint64_t> age_of(const ChannelUpdate& accepted) {
    return {accepted.root().version, accepted.release() ? accepted.release()->version : 0,
            accepted.head() ? accepted.head()->version : 0};
}

// The lock lasts until the descriptor is closed. On a file system without locks there is none.
Result<Descriptor> lock_folder(const FilePath& folder) {
    const FilePath path = folder / ".lock";
    FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
    const auto deadline = std::chrono::steady_clock::now() + kLockWait;
    for (;;) {
        const auto locked = lock_file(file, path);
        if (!locked || *locked)
            return file;
        if (std::chrono::steady_clock::now() > deadline)
            return Error(ErrorCode::busy, path.text() + ": another program follows a channel at this moment");
        std::this_thread::sleep_for(kLockPause);
    }
}

// Nothing if there is no such file.
Result<std::optional<ChannelUpdate>> read_copy(const FilePath& path) {
    const auto file = open_regular_file(path, path);
    if (!file && file.error().code() == ErrorCode::missing)
        return std::optional<ChannelUpdate>();
    if (!file)
        return file.error();
    // Copies are replaced and never change, and read_text() allocates what it may read.
    const auto bytes_max = static_cast<std::size_t>(std::min<std::uint64_t>(file->status.size_bytes, kKeptBytesMax));
    FARDEL_TRY_ASSIGN(const std::string bytes, read_text(file->descriptor, bytes_max, path));
    FARDEL_TRY_ASSIGN(ChannelFiles files, decode_kept_channel(bytes));
    FARDEL_TRY_ASSIGN(ChannelUpdate update, ChannelUpdate::begin(std::move(files), std::nullopt));
    return std::optional(std::move(update));
}

}  // namespace

std::string encode_kept_channel(const ChannelFiles& files) {
    std::string bytes(kKeptTitle);
    for (const std::string* file : {&files.root, &files.release, &files.head})
        bytes += " " + std::to_string(file->size());
    bytes += "\n" + files.root + files.release + files.head;
    return bytes + hash_text(bytes) + "\n";
}

Result<ChannelFiles> decode_kept_channel(std::string_view bytes) {
    if (bytes.size() > kKeptBytesMax)
        return Error(ErrorCode::limit, "kept channel: more than " + std::to_string(kKeptBytesMax) + " bytes");
    if (!bytes.starts_with(kKeptTitle.substr(0, kKeptTitle.size() - 1)))
        return bad_copy("not such a file");
    if (!bytes.starts_with(kKeptTitle))
        return Error(ErrorCode::unsupported, "kept channel: of a later version");
    if (bytes.size() <= kHashDigits + 1)
        return bad_copy("cut off");
    std::string_view body = bytes.substr(0, bytes.size() - kHashDigits - 1);
    if (bytes.substr(body.size()) != hash_text(body) + "\n")
        return Error(ErrorCode::corrupt, "kept channel: its bytes do not have their hash");
    std::string_view line = read_until(body, '\n').substr(kKeptTitle.size());
    ChannelFiles files;
    read_until(line, ' ');
    for (std::string* file : {&files.root, &files.release, &files.head}) {
        const auto size = parse_decimal(read_until(line, ' '), body.size());
        if (!size)
            return bad_copy("a size is wrong");
        *file = body.substr(0, static_cast<std::size_t>(*size));
        body.remove_prefix(static_cast<std::size_t>(*size));
    }
    if (!body.empty() || !line.empty())
        return bad_copy("a size is wrong");
    return files;
}

KeptChannels::KeptChannels(const std::string& first, const std::string& second)
    : folders_{part_of_store(first), part_of_store(second)} {}

Result<std::optional<KeptChannel>> KeptChannels::find(const Hash& channel_id) const {
    std::optional<ChannelUpdate> newest;
    std::optional<Error> failure;
    for (const FilePath& folder : folders_) {
        auto copy = read_copy(folder / (channel_id.hex() + std::string(kKeptEnding)));
        if (!copy) {
            failure = std::move(copy).error().with_context(folder.text());
            continue;
        }
        if (*copy && (*copy)->root().id == channel_id && (!newest || age_of(*newest) < age_of(**copy)))
            newest = std::move(**copy);
    }
    // One whole copy is enough. If none can be read, that is an error: as an unknown channel, it would begin again from
    // a root that the user names, and old heads would count.
    if (!newest && failure)
        return std::move(*failure);
    if (!newest)
        return std::optional<KeptChannel>();
    return std::optional(KeptChannel{newest->root(), newest->files()});
}

Result<std::vector<KeptChannel>> KeptChannels::list(std::string_view channel) const {
    std::set<Hash> ids;
    for (const FilePath& folder : folders_) {
        FARDEL_TRY_ASSIGN(const auto names, list_names_at(folder));
        for (std::string_view name : names)
            if (name.ends_with(kKeptEnding))
                if (const auto id = Hash::parse(name.substr(0, name.size() - kKeptEnding.size())))
                    ids.insert(*id);
    }
    std::vector<KeptChannel> channels;
    for (const Hash& id : ids) {
        FARDEL_TRY_ASSIGN(auto kept, find(id));
        if (kept && (channel.empty() || kept->root.channel == channel))
            channels.push_back(std::move(*kept));
    }
    return channels;
}

Status KeptChannels::write(const Hash& channel_id, const ChannelFiles& files) const {
    const std::string name = channel_id.hex() + std::string(kKeptEnding);
    const auto has_files = [&](const FilePath& folder) {
        const auto copy = read_copy(folder / name);
        return copy && *copy && (*copy)->files() == files;
    };
    if (std::ranges::all_of(folders_, has_files))
        return ok();
    Status written = write_below(folders_, channel_id, files);
    // A store that this user may only read has another's copy, or none; then the user's own copy is what counts.
    return !written && written.error().code() == ErrorCode::denied
               ? write_below(std::span(folders_).subspan(1), channel_id, files)
               : written;
}

Status KeptChannels::write_below(std::span<const FilePath> folders, const Hash& channel_id,
                                 const ChannelFiles& files) const {
    FARDEL_TRY(create_kept(folders.front()));
    FARDEL_TRY_ASSIGN(const Descriptor lock, lock_folder(folders.front()));
    FARDEL_TRY_ASSIGN(const ChannelUpdate next, ChannelUpdate::begin(files, std::nullopt));
    const auto kept = find(channel_id);  // if no copy can be read, it is replaced
    if (kept && *kept) {
        FARDEL_TRY_ASSIGN(const ChannelUpdate there, ChannelUpdate::begin((*kept)->files, std::nullopt));
        // Another program may have followed the channel further since this one read its copy.
        if (age_of(next) < age_of(there))
            return ok();
    }
    const std::string bytes = encode_kept_channel(files);
    for (const FilePath& folder : folders)
        FARDEL_TRY(write_durably(folder, channel_id.hex() + std::string(kKeptEnding), bytes));
    return ok();
}

Status KeptChannels::write_evidence(const Hash& channel_id, std::string_view text) const {
    FARDEL_TRY(create_kept(folders_[0]));
    FARDEL_TRY_ASSIGN(const auto names, list_names_at(folders_[0]));
    const auto is_evidence = [&](const std::string& name) {
        return name.starts_with(channel_id.hex() + ".") && name.ends_with(kEvidenceEnding);
    };
    if (std::ranges::count_if(names, is_evidence) >= kEvidenceMax)
        return ok();
    return write_durably(folders_[0],
                         channel_id.hex() + "." + hash_text(text).substr(0, 16) + std::string(kEvidenceEnding), text);
}

}  // namespace fardel
