#include "checkup.h"

#include "bundles/store_option.h"
#include "console/figures.h"
#include "console/output_file.h"
#include "console/temporary_folder.h"
#include "fuse/fuse_session.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/free_space.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/format/printable.h>
#include <fardel/format/signer.h>
#include <fardel/http/http_connection.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_cache.h>
#include <fardel/packer/project_path.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/source_scan.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <stop_token>
#include <utility>

namespace fardel {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kServerPatience = 3s;
constexpr auto kCountingPatience = 2s;  // for the files of one cache
constexpr std::uint64_t kFreeBytesLow = 1'000'000'000;
constexpr std::uint64_t kSecondsPerDay = 24 * 60 * 60;

class Checkup {
public:
    explicit Checkup(const CheckupRequest& request) : request_(request) {
        const std::string file = project_file();
        if (!request.folder.empty() || file_exists(file))  // one that was named must be there
            project_ = read_project(file);
    }

    void sandbox() {
        const JobSandbox wanted = has_project() ? project().sandbox : JobSandbox::where_possible;
        if (const Status possible = verify_sandbox(wanted); !possible)
            return add(Health::problem, possible.error().message());
        const std::string reason = unconfined_reason(wanted);
        if (reason.empty())
            return add(Health::ok, "Landlock confines the programs that builds run");
        add(Health::note, "the programs that builds run are not confined: " + reason,
            "build only projects that you trust here");
    }

    void fuse() {
        if (const Status system = FuseSession::verify_system(); !system)
            return add(Health::note, system.error().message(), "'fardel extract' works without");
        if (const Status device = FuseSession::verify_device(); !device)
            add(Health::note, device.error().message(),
                "'modprobe fuse' loads it, and containers are given /dev/fuse; 'fardel extract' works without");
        else
            add(Health::ok, "/dev/fuse: 'fardel mount' can show bundles as folders");
        if (const Status program = FuseSession::verify_program(); !program)
            add(Health::note, program.error().message(),
                "install the package fuse3; without it, only root mounts and unmounts");
    }

    void keys() {
        std::vector<std::string> paths = request_.keys;
        if (has_project() && !project().key.empty())
            paths.push_back(path_in_project(request_.folder, project().key));
        if (paths.empty())
            return add(Health::ok, "no key is named, with --key or in a project; 'fardel keygen -o FILE' makes one");
        for (const std::string& path : paths)
            key(path);
    }

    void caches() {
        if (!has_project())
            return add(Health::ok, "no project is here, so there is none");
        const std::string own = path_in_project(request_.folder, std::string(kBuildFolder) + "/cache");
        cache({.setting = {.name = std::string(kOwnCacheName), .folder = own}});
        const auto settings = read_cache_settings({.reads_configuration = true});
        if (!settings)
            return add(Health::problem, settings.error().message());
        const auto merged = find_project_caches(project().caches, request_.folder, *settings);
        if (!merged)
            return add(Health::problem, merged.error().message());
        for (const MergedCache& each : merged->layers)
            if (each.unused.empty())
                cache(each);
    }

    void store() {
        const auto found = find_store(request_.store);
        if (!found)
            return add(Health::problem, found.error().message(), "--store names another one");
        if (!*found)
            return add(Health::ok, "there is none yet; 'fardel install', 'fetch' and 'store add' make one");
        const std::string& path = (*found)->path();
        if (const Status writable = verify_may_read_and_write(path, printable(path)); !writable)
            return add(Health::note, writable.error().message(), "bundles in it can be read, and none can be added");
        add(Health::ok, printable(path) + ": can be read and written");
    }

    // A clock that was set back makes every signature one of the future; the files that others wrote show it.
    void clock() {
        const UnixTime now = system_now();
        UnixTime newest{};
        std::string witness;
        const auto found = find_store(request_.store);
        for (const std::string& path :
             {std::string("/proc/self/exe"), project_file(), found && *found ? (*found)->path() : std::string()}) {
            const auto status =
                path.empty() ? Result<std::optional<FileStatus>>(std::nullopt) : find_file_status(path, path);
            if (status && *status && second_of((*status)->modified_ns).seconds > newest.seconds) {
                newest = second_of((*status)->modified_ns);
                witness = path == "/proc/self/exe" ? "the program" : printable(path);
            }
        }
        if (now.seconds + kSecondsPerDay < newest.seconds)
            return add(Health::problem,
                       fmt::format("it is {} by the clock, and {} was written at {}", format_date(now), witness,
                                   format_date(newest)),
                       "set the clock, or signatures and channels count as expired, or as not valid yet");
        add(Health::ok, format_date(now));
    }

    // An archive with one file is really read, by the confined program.
    void archives() {
        const auto listed = list_archive();
        if (!listed)
            return add(Health::note, listed.error().message(), "zip and pk3 archives are read without it");
        add(Health::ok, "fardel-archive reads archives other than zip and pk3");
    }

    void images() {
        const auto version = code_digest({.builtin = "image"}, request_.folder);
        if (!version)
            return add(Health::note, version.error().message(),
                       "projects without processors of the built-in 'image' are built without it");
        add(Health::ok, "fardel-image converts pictures");
    }

    void servers() {
        const auto library = HttpConnection::open(NoCredentials{}, {});
        if (!library)
            return add(Health::note, library.error().message(),
                       "install the package libcurl4; all that needs no server works without");
        add(Health::ok, "libcurl speaks to servers");
    }

    void disk() {
        const auto found = find_store(request_.store);
        const std::string store = found && *found ? (*found)->path() : "";
        const auto temporary = find_temporary_folder();
        for (const std::string& folder : {temporary ? *temporary : std::string(),
                                          has_project() ? folder_of_path(project_file()) : std::string(), store}) {
            const auto free_bytes = folder.empty() ? std::nullopt : find_free_bytes(folder);
            if (!free_bytes)
                continue;
            const std::string text = printable(folder) + ": " + format_size(*free_bytes) + " free";
            if (*free_bytes < kFreeBytesLow)
                add(Health::note, text, "large bundles do not fit; 'fardel store gc' and 'fardel cache trim' remove");
            else
                add(Health::ok, text);
        }
    }

    struct Topic {
        std::string_view name;
        void (Checkup::*check)();
    };
    static std::span<const Topic> topics() noexcept {
        static constexpr Topic kTopics[] = {{"sandbox", &Checkup::sandbox},   {"fuse", &Checkup::fuse},
                                            {"keys", &Checkup::keys},         {"caches", &Checkup::caches},
                                            {"store", &Checkup::store},       {"clock", &Checkup::clock},
                                            {"archives", &Checkup::archives}, {"images", &Checkup::images},
                                            {"servers", &Checkup::servers},   {"disk", &Checkup::disk}};
        return kTopics;
    }

    std::vector<CheckedFact> all() {
        if (project_ && !*project_) {
            topic_ = "project";
            add(Health::problem, project_->error().message());
        }
        for (const Topic& topic : topics()) {
            topic_ = topic.name;
            if (request_.topics.empty() || std::ranges::find(request_.topics, topic_) != request_.topics.end())
                (this->*topic.check)();
        }
        return std::move(facts_);
    }

private:
    bool has_project() const { return project_ && *project_; }
    const Project& project() const { return **project_; }
    std::string project_file() const { return joined_path(request_.folder, kProjectFileName); }

    void add(Health health, std::string text, std::string advice = "") {
        facts_.push_back({.topic = topic_, .health = health, .text = std::move(text), .advice = std::move(advice)});
    }

    // A key that is encrypted is read until its passphrase would be needed.
    void key(const std::string& path) {
        bool is_encrypted = false;
        const auto read = read_key_file(path, [&]() -> Result<std::string> {
            is_encrypted = true;
            return Error(ErrorCode::cancelled, "no passphrase");
        });
        if (read || is_encrypted)
            return add(Health::ok, printable(path) + (is_encrypted ? ": a secret key, under a passphrase"
                                                                   : ": a secret key, without a passphrase"));
        add(Health::problem, read.error().message(),
            read.error().code() == ErrorCode::missing ? "'fardel keygen -o FILE' makes a key" : "");
    }

    void cache(const MergedCache& merged) {
        const CacheSetting& each = merged.setting;
        const std::string& path = !each.url.empty() ? each.url : !each.bundle.empty() ? each.bundle : each.folder;
        const std::string shown = each.name + " " + printable(path);
        // Opening would create it.
        if (!each.folder.empty() && !file_exists(path))
            return add(Health::ok, shown + ": is not there yet; the next build makes it");
        const auto layer = open_project_cache(merged, kServerPatience);
        if (!layer)
            return add(Health::problem, layer.error().message(), "builds go on without it");
        const auto asked = std::chrono::steady_clock::now();
        if (const auto answer = (*layer)->find_record(BuildKey{}); !answer)
            return add(Health::problem, answer.error().message(), "builds go on without it");
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - asked;
        if (!each.url.empty())
            return add(Health::ok, fmt::format("{}: answered in {}", shown, format_seconds(took.count())));
        if (each.folder.empty())
            return add(Health::ok, shown + ": can be read");
        const std::string size = size_of_cache(path);
        if (const Status writable = verify_may_read_and_write(path, shown); !writable)
            return add(Health::note, writable.error().message(), "its results are used, and none are added");
        add(Health::ok, shown + ": can be read and written" + size);
    }

    static std::string size_of_cache(const std::string& path) {
        std::stop_source stop;
        const auto until = std::chrono::steady_clock::now() + kCountingPatience;
        CacheFolderReport seen;
        const auto report = check_cache_folder(
            path, {.read = false, .stop = stop.get_token(), .progress = [&](const CacheFolderReport& so_far) {
                       seen = so_far;
                       if (std::chrono::steady_clock::now() > until)
                           stop.request_stop();
                   }});
        if (report)
            seen = *report;
        return fmt::format(", has {}{}", report ? "" : "more than ",
                           format_size(seen.record_bytes + seen.object_bytes));
    }

    static Status list_archive() {
        // A pak: its head, one byte of a file, and the list of files.
        std::string pak("PACK\x0d\0\0\0\x40\0\0\0.", 13);
        std::string entry = "a.txt";
        entry.resize(56);
        entry += std::string("\x0c\0\0\0\x01\0\0\0", 8);
        FARDEL_TRY_ASSIGN(const TemporaryFolder folder, TemporaryFolder::make());
        const std::string path = folder.path() + "/a.pak";
        FARDEL_TRY(write_file(path, pak + entry));
        const auto reader = make_archive_reader();
        const auto scan = scan_sources(std::span(&path, 1), {}, reader.get());
        if (scan)
            return ok();
        const std::string& message = scan.error().message();  // without the path of our file
        return Error(scan.error().code(), message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message);
    }

    const CheckupRequest& request_;
    std::optional<Result<Project>> project_;  // empty: none is here
    std::string_view topic_;
    std::vector<CheckedFact> facts_;
};

}  // namespace

std::span<const std::string_view> checkup_topics() noexcept {
    static const auto names = [] {
        std::vector<std::string_view> all;
        std::ranges::transform(Checkup::topics(), std::back_inserter(all), &Checkup::Topic::name);
        return all;
    }();
    return names;
}

std::vector<CheckedFact> check_up(const CheckupRequest& request) { return Checkup(request).all(); }

}  // namespace fardel
