// The functions of fardel.h, over the C++ Vfs. This file catches exceptions, checks pointers and compares struct sizes.

#include <fardel/vfs/fardel.h>

#include "c_handles.h"
#include "c_text.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/reader_source.h>
#include <fardel/format/requirement.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/private_seam.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

using namespace fardel::c;

// The sizes of version 1. A struct that grows keeps its line here.
static_assert(sizeof(fardel_id) == 32 && sizeof(fardel_code) == 4 && sizeof(fardel_node) == 4);
constexpr std::size_t kVfsOptionsBytesLeast = offsetof(fardel_vfs_options, cache_bytes) + sizeof(std::uint64_t);
constexpr std::size_t kMountOptionsBytesLeast = offsetof(fardel_mount_options, flags) + sizeof(std::uint32_t);
constexpr std::size_t kStatBytesLeast = offsetof(fardel_stat, content_type) + 128;
constexpr std::size_t kReadersMax = 1u << 16;  // of one group or change; more were never set
constexpr std::size_t kMountRequestBytesLeast = offsetof(fardel_mount_request, options) + sizeof(void*);
constexpr std::size_t kMountChangeBytesLeast = offsetof(fardel_mount_change, new_mounts) + sizeof(void*);
constexpr std::size_t kExecutorBytesLeast = offsetof(fardel_executor, run) + sizeof(void*);
constexpr std::size_t kAllocatorBytesLeast = offsetof(fardel_allocator, release) + sizeof(void*);
constexpr std::size_t kEntryBytesLeast = offsetof(fardel_entry, name) + 256;

fardel_node node_of(NodeKind kind) noexcept {
    switch (kind) {
        case NodeKind::folder: return FARDEL_NODE_FOLDER;
        case NodeKind::file: return FARDEL_NODE_FILE;
        case NodeKind::link: return FARDEL_NODE_LINK;
    }
    return FARDEL_NODE_NONE;
}

// Translates the options. `kept` owns the policy that `how` points to.
fardel_code read_mount_options(const fardel_mount_options* given, const char* label, const Report& report,
                               std::shared_ptr<const TrustPolicy>& kept, MountOptions& how) {
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kMountOptionsBytesLeast, options, report); bad != FARDEL_OK)
        return bad;
    constexpr std::uint32_t kKnown = FARDEL_MOUNT_FOLD_CASE | FARDEL_MOUNT_ALLOW_UNSIGNED | FARDEL_MOUNT_WATCH |
                                     FARDEL_MOUNT_IGNORE_DATES | FARDEL_MOUNT_REQUIRE_DEPENDENCIES |
                                     FARDEL_MOUNT_PURE_ONLY;
    // A flag of a later version may forbid something; ignored, it would permit it.
    if ((options.flags & ~kKnown) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    if (options.policy_path != nullptr && options.policy_text != nullptr)
        return report.argument("both policy_path and policy_text are given");
    auto policy = read_policy(options.policy_path, options.policy_text);
    if (!policy)
        return report.fail(policy.error());
    if (options.licenses == nullptr && options.license_count != 0)
        return report.argument("a null pointer instead of license tokens");
    auto licenses = read_licenses(options.licenses, options.license_count);
    if (!licenses)
        return report.fail(licenses.error());
    if (options.resolved == nullptr && options.resolved_count != 0)
        return report.argument("a null pointer instead of bundle ids");
    if (options.resolved_count > kRequirementsMax)
        return report.fail(FARDEL_ERROR_LIMIT, "too many bundles for the requirements of one");
    auto preference = parse_variant_preference(options.preference != nullptr ? options.preference : "");
    if (!preference)
        return report.fail(preference.error());
    how.preference = *std::move(preference);
    for (std::size_t i = 0; i < options.resolved_count; ++i)
        how.resolved.push_back(id_of<BundleId>(options.resolved[i]));
    how.licenses = *std::move(licenses);
    how.mount_point = options.place != nullptr ? options.place : "";
    how.project_target = options.project_target != nullptr ? options.project_target : "";
    how.priority = options.priority;
    how.case_rule = (options.flags & FARDEL_MOUNT_FOLD_CASE) != 0 ? CaseRule::fold : CaseRule::exact;
    if (*policy)
        kept = std::make_shared<const TrustPolicy>(**std::move(policy));
    how.policy = kept.get();
    how.time = (options.flags & FARDEL_MOUNT_IGNORE_DATES) != 0 ? TrustTime::ignored() : time_of(options.now_s);
    how.allow_unsigned = (options.flags & FARDEL_MOUNT_ALLOW_UNSIGNED) != 0;
    how.require_dependencies = (options.flags & FARDEL_MOUNT_REQUIRE_DEPENDENCIES) != 0;
    how.pure_only = (options.flags & FARDEL_MOUNT_PURE_ONLY) != 0;
    how.watch = (options.flags & FARDEL_MOUNT_WATCH) != 0;
    how.label = options.label != nullptr ? options.label : label;
    return FARDEL_OK;
}

// Calls `mount` with the translated options, which returns a code.
template <class Mount>
fardel_code with_options(const fardel_mount_options* given, const char* label, const Report& report, Mount mount) {
    std::shared_ptr<const TrustPolicy> policy;
    MountOptions how;
    if (const fardel_code bad = read_mount_options(given, label, report, policy, how); bad != FARDEL_OK)
        return bad;
    return mount(std::move(how));
}

// What a caller wants to mount, with what its translation borrows.
struct GivenMount {
    fardel_mount_request request = FARDEL_MOUNT_REQUEST_INIT;
    fardel_reader reader = FARDEL_READER_INIT;  // of `request`, as this version defines it
    std::shared_ptr<const TrustPolicy> policy;
    MountRequest translated;
};

// Looks at pointers and sizes alone: no reader is taken over if one of several requests is wrong.
fardel_code read_request(const fardel_mount_request* given, GivenMount& out, const Report& report) {
    if (given == nullptr)
        return report.argument("a null pointer instead of a mount request");
    if (const fardel_code bad = read_options(given, kMountRequestBytesLeast, out.request, report); bad != FARDEL_OK)
        return bad;
    const fardel_mount_request& request = out.request;
    if ((request.path != nullptr) + (request.bytes != nullptr) + (request.reader != nullptr) != 1)
        return report.argument("a mount request has one of path, bytes and reader");
    return request.reader != nullptr ? copy_reader(*request.reader, out.reader, report) : FARDEL_OK;
}

// Takes the reader over.
void adopt_subject(GivenMount& given) {
    const fardel_mount_request& request = given.request;
    if (request.reader != nullptr) {
        given.translated.subject = make_reader_source(given.reader);
    } else if (request.bytes != nullptr) {
        const std::span bytes(static_cast<const std::byte*>(request.bytes), request.size_bytes);
        given.translated.subject = make_memory_source({bytes.begin(), bytes.end()});
    } else {
        given.translated.subject = std::string(request.path);
    }
}

fardel_code translate_options(GivenMount& given, fardel_vfs& vfs, const Report& report) {
    const fardel_mount_request& request = given.request;
    const char* const label = request.reader != nullptr ? "reader" : request.bytes != nullptr ? "memory" : "";
    MountOptions& how = given.translated.options;
    if (const fardel_code bad = read_mount_options(request.options, label, report, given.policy, how); bad != FARDEL_OK)
        return bad;
    if (request.path != nullptr)
        vfs.lend_readers(how);
    return FARDEL_OK;
}

// Allocator of a caller as C++ wants it.
class CallersMemory final : public std::pmr::memory_resource {
public:
    explicit CallersMemory(const fardel_allocator& allocator) noexcept : allocator_(allocator) {}

private:
    void* do_allocate(std::size_t size_bytes, std::size_t alignment) override {
        void* const memory = allocator_.allocate(allocator_.context, size_bytes, alignment);
        if (memory == nullptr)
            throw std::bad_alloc();  // becomes no_memory where the call ends
        return memory;
    }
    void do_deallocate(void* memory, std::size_t size_bytes, std::size_t alignment) override {
        allocator_.release(allocator_.context, memory, size_bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    fardel_allocator allocator_;
};

fardel_code read_allocator(const fardel_allocator* given, VfsOptions& how, const Report& report) {
    if (given == nullptr)
        return FARDEL_OK;
    fardel_allocator allocator = FARDEL_ALLOCATOR_INIT;
    if (const fardel_code bad = read_options(given, kAllocatorBytesLeast, allocator, report); bad != FARDEL_OK)
        return bad;
    if (allocator.allocate == nullptr || allocator.release == nullptr)
        return report.argument("an allocator needs both functions");
    how.memory = std::make_shared<CallersMemory>(allocator);
    return FARDEL_OK;
}

void call_task(void* argument) {
    const std::unique_ptr<std::function<void()>> task(static_cast<std::function<void()>*>(argument));
    (*task)();
}

fardel_code read_executor(const fardel_vfs_options& given, VfsOptions& how, const Report& report) {
    how.read_threads = given.read_threads;
    if (given.executor == nullptr)
        return FARDEL_OK;
    fardel_executor executor = FARDEL_EXECUTOR_INIT;
    if (const fardel_code bad = read_options(given.executor, kExecutorBytesLeast, executor, report); bad != FARDEL_OK)
        return bad;
    if (executor.run == nullptr || executor.thread_count == 0)
        return report.argument("an executor needs a function and at least one thread");
    how.read_threads = executor.thread_count;
    how.run_task = [executor](std::function<void()> task) {
        auto kept = std::make_unique<std::function<void()>>(std::move(task));
        executor.run(executor.context, call_task, kept.release());
    };
    return FARDEL_OK;
}

// The caller's functions that a VFS calls by itself.
void set_events(const fardel_vfs_options& taken, VfsOptions& how) {
    if (taken.recalled != nullptr)
        how.on_recall = [receive = taken.recalled, context = taken.recalled_context](const RecalledMount& one) {
            report_recall(one, receive, context);
        };
    if (taken.log != nullptr)
        how.log = [receive = taken.log, context = taken.log_context](LogLevel level, const std::string& text) {
            receive(context, static_cast<fardel_log_level>(level), text.c_str());
        };
}

// Translates the options and calls `open` with them, which mounts.
template <class Mount>
fardel_code mount_with(const fardel_mount_options* given, const char* label, fardel_mount_id* mount,
                       const Report& report, Mount open) {
    return with_options(given, label, report, [&](MountOptions how) {
        return report.end(open(std::move(how)), [&](MountId id) {
            if (mount != nullptr)
                *mount = static_cast<fardel_mount_id>(id);
        });
    });
}

void report_missing(const MissingDependency& missing, fardel_dependency_missing receive, void* context) {
    fardel_missing_dependency out{};
    out.struct_size = sizeof out;
    out.mount = static_cast<fardel_mount_id>(missing.mount);
    out.bundle = plain_id(missing.bundle);
    out.requirement = missing.requirement.empty() ? nullptr : missing.requirement.c_str();
    receive(context, &out);
}

void report_content(const MissingContent& missing, fardel_content_missing receive, void* context) {
    std::vector<fardel_id> assets;
    for (const AssetId& asset : missing.assets)
        assets.push_back(plain_id(asset));
    fardel_missing_content out{};
    out.struct_size = sizeof out;
    out.assets = assets.data();
    out.asset_count = assets.size();
    out.bundle = plain_id(missing.bundle);
    out.is_mounted = missing.is_mounted ? 1 : 0;
    receive(context, &out);
}

void report_changes(const std::vector<AssetChange>& changes, fardel_changed changed, void* context) {
    if (changed == nullptr)
        return;
    for (const AssetChange& change : changes) {
        fardel_change out{};
        out.struct_size = sizeof out;
        out.path = change.path.c_str();
        out.has_before = change.before ? 1 : 0;
        out.has_after = change.after ? 1 : 0;
        if (change.before)
            out.before = plain_id(*change.before);
        if (change.after)
            out.after = plain_id(*change.after);
        changed(context, &out);
    }
}

}  // namespace
}  // namespace fardel

using namespace fardel;
using namespace fardel::c;

// ---- Codes, versions, ids -------------------------------------------------------------------------------------------

const char* fardel_code_name(fardel_code code) {
    switch (code) {
        case FARDEL_OK: return "ok";
        case FARDEL_ERROR_ARGUMENT: return "argument";
        case FARDEL_ERROR_NO_MEMORY: return "no_memory";
        default: break;
    }
    for (int i = 0; i <= static_cast<int>(ErrorCode::cancelled); ++i)
        if (code_of(static_cast<ErrorCode>(i)) == code)
            return error_code_name(static_cast<ErrorCode>(i)).data();  // of a literal, so NUL is there
    return "unknown";
}

uint32_t fardel_version(void) { return FARDEL_VERSION_MAJOR << 16 | FARDEL_VERSION_MINOR << 8 | FARDEL_VERSION_PATCH; }

const char* fardel_version_text(void) { return FARDEL_VERSION_TEXT; }

void fardel_id_text(const fardel_id* id, char text[65]) {
    constexpr char kDigits[] = "0123456789abcdef";
    if (id == nullptr || text == nullptr)
        return;
    for (const std::uint8_t byte : id->bytes) {
        *text++ = kDigits[byte >> 4];
        *text++ = kDigits[byte & 15];
    }
    *text = '\0';
}

fardel_code fardel_id_parse(const char* text, fardel_id* id, fardel_error* error) {
    return call(error, text != nullptr && id != nullptr, [&](const Report& report) {
        return report.end(Hash::parse(text), [&](const Hash& parsed) { *id = plain_id(parsed); });
    });
}

// ---- A VFS and its mounts -------------------------------------------------------------------------------------------

fardel_code fardel_vfs_create(const fardel_vfs_options* options, fardel_vfs** vfs, fardel_error* error) {
    if (vfs != nullptr)
        *vfs = nullptr;
    return call(error, vfs != nullptr, [&](const Report& report) {
        fardel_vfs_options taken = FARDEL_VFS_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kVfsOptionsBytesLeast, taken, report); bad != FARDEL_OK)
            return bad;
        constexpr std::uint32_t kKnown = FARDEL_VFS_OPEN_NEEDS_CONTENT | FARDEL_VFS_RECORDS_TRACE;
        if ((taken.flags & ~kKnown) != 0)
            return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
        VfsOptions how;
        how.open_needs_content = (taken.flags & FARDEL_VFS_OPEN_NEEDS_CONTENT) != 0;
        how.records_trace = (taken.flags & FARDEL_VFS_RECORDS_TRACE) != 0;
        how.cache_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(taken.cache_bytes, SIZE_MAX));
        how.digest_folder = taken.digest_folder != nullptr ? taken.digest_folder : "";
        set_events(taken, how);
        if (const fardel_code bad = read_allocator(taken.allocator, how, report); bad != FARDEL_OK)
            return bad;
        if (const fardel_code bad = read_executor(taken, how, report); bad != FARDEL_OK)
            return bad;
        if (taken.dependency_missing != nullptr)
            how.on_missing_dependency = [receive = taken.dependency_missing,
                                         context = taken.dependency_context](const MissingDependency& missing) {
                report_missing(missing, receive, context);
            };
        *vfs = new fardel_vfs(how);
        return fardel_code{FARDEL_OK};
    });
}

void fardel_vfs_destroy(fardel_vfs* vfs) { delete vfs; }

fardel_code fardel_private_set_archives(fardel_vfs* vfs, ArchiveReaderMaker make, fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report&) {
        vfs->set_archives(make());
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_private_set_projects(fardel_vfs* vfs, ProjectReaderMaker make, fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report&) {
        vfs->set_projects(make());
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_mount_file(fardel_vfs* vfs, const char* path, const fardel_mount_options* options,
                              fardel_mount_id* mount, fardel_error* error) {
    return call(error, vfs != nullptr && path != nullptr, [&](const Report& report) {
        return mount_with(options, "", mount, report, [&](MountOptions how) {
            vfs->lend_readers(how);
            return vfs->vfs.mount(path, std::move(how));
        });
    });
}

fardel_code fardel_mount_memory(fardel_vfs* vfs, const void* bytes, size_t size_bytes,
                                const fardel_mount_options* options, fardel_mount_id* mount, fardel_error* error) {
    return call(error, vfs != nullptr && (bytes != nullptr || size_bytes == 0), [&](const Report& report) {
        return mount_with(options, "memory", mount, report, [&](MountOptions how) {
            const std::span given(static_cast<const std::byte*>(bytes), size_bytes);
            return vfs->vfs.mount(make_memory_source({given.begin(), given.end()}), std::move(how));
        });
    });
}

fardel_code fardel_appended_reader(const char* program, fardel_reader* reader, fardel_error* error) {
    return call(error, reader != nullptr, [&](const Report& report) {
        auto source = open_appended_file(program != nullptr ? program : "");
        return source ? give_reader(*std::move(source), reader, report) : report.fail(source.error());
    });
}

fardel_code fardel_mount_reader(fardel_vfs* vfs, const fardel_reader* reader, const fardel_mount_options* options,
                                fardel_mount_id* mount, fardel_error* error) {
    return call(error, reader != nullptr, [&](const Report& report) {
        // Before `vfs` is looked at: the reader is the library's from this call on, also if the call fails.
        fardel_reader taken = FARDEL_READER_INIT;
        if (const fardel_code bad = copy_reader(*reader, taken, report); bad != FARDEL_OK)
            return bad;
        auto source = make_reader_source(taken);  // from here on, it is released whatever happens
        if (vfs == nullptr)
            return report.argument("a null pointer");
        return mount_with(options, "reader", mount, report,
                          [&](MountOptions how) { return vfs->vfs.mount(std::move(source), std::move(how)); });
    });
}

fardel_code fardel_apply(fardel_vfs* vfs, const fardel_mount_change* change, fardel_error* error) {
    return call(error, vfs != nullptr && change != nullptr, [&](const Report& report) {
        fardel_mount_change given = FARDEL_MOUNT_CHANGE_INIT;
        if (const fardel_code bad = read_options(change, kMountChangeBytesLeast, given, report); bad != FARDEL_OK)
            return bad;
        if ((given.unmounts == nullptr && given.unmount_count != 0) ||
            (given.mounts == nullptr && given.mount_count != 0) ||
            (given.priorities == nullptr && given.priority_count != 0) || given.unmount_count > kReadersMax ||
            given.mount_count > kReadersMax || given.priority_count > kReadersMax)
            return report.argument("a null pointer instead of a list, or more of it than can be mounted");
        std::vector<GivenMount> mounts(given.mount_count);
        for (std::size_t i = 0; i < mounts.size(); ++i)
            if (const fardel_code bad = read_request(given.mounts[i], mounts[i], report); bad != FARDEL_OK)
                return bad;
        for (GivenMount& mount : mounts)
            adopt_subject(mount);
        MountChange wanted;
        for (GivenMount& mount : mounts) {
            if (const fardel_code bad = translate_options(mount, *vfs, report); bad != FARDEL_OK)
                return bad;
            wanted.mount.push_back(std::move(mount.translated));
        }
        for (std::size_t i = 0; i < given.unmount_count; ++i)
            wanted.unmount.push_back(MountId{given.unmounts[i]});
        for (std::size_t i = 0; i < given.priority_count; ++i)
            wanted.prioritise.push_back({MountId{given.priorities[i].mount}, given.priorities[i].priority});
        return report.end(vfs->vfs.apply(std::move(wanted)), [&](const std::vector<MountId>& ids) {
            for (std::size_t i = 0; given.new_mounts != nullptr && i < ids.size(); ++i)
                given.new_mounts[i] = static_cast<fardel_mount_id>(ids[i]);
        });
    });
}

fardel_code fardel_replace(fardel_vfs* vfs, fardel_mount_id mount, const fardel_mount_request* request,
                           fardel_changed changed, void* context, fardel_error* error) {
    return call(error, vfs != nullptr && request != nullptr, [&](const Report& report) {
        GivenMount given;
        if (const fardel_code bad = read_request(request, given, report); bad != FARDEL_OK)
            return bad;
        adopt_subject(given);
        if (const fardel_code bad = translate_options(given, *vfs, report); bad != FARDEL_OK)
            return bad;
        return report.end(vfs->vfs.replace(MountId{mount}, std::move(given.translated)),
                          [&](const auto& changes) { report_changes(changes, changed, context); });
    });
}

fardel_code fardel_unmount(fardel_vfs* vfs, fardel_mount_id mount, fardel_error* error) {
    return call(error, vfs != nullptr,
                [&](const Report& report) { return report.end(vfs->vfs.unmount(MountId{mount})); });
}

int fardel_is_tainted(const fardel_vfs* vfs) { return vfs != nullptr && vfs->vfs.tainted() ? 1 : 0; }

fardel_code fardel_missing_dependencies(const fardel_vfs* vfs, fardel_dependency_missing missing, void* context,
                                        size_t* count, fardel_error* error) {
    if (count != nullptr)
        *count = 0;
    return call(error, vfs != nullptr, [&](const Report&) {
        std::size_t found = 0;
        for (const MountDescription& mount : vfs->vfs.mounts())
            for (const MissingDependency& one : mount.missing_dependencies) {
                ++found;
                if (missing != nullptr)
                    report_missing(one, missing, context);
            }
        if (count != nullptr)
            *count = found;
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_refresh(fardel_vfs* vfs, fardel_mount_id mount, fardel_changed changed, void* context,
                           fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report& report) {
        return report.end(vfs->vfs.refresh(MountId{mount}),
                          [&](const auto& changes) { report_changes(changes, changed, context); });
    });
}

fardel_code fardel_poll(fardel_vfs* vfs, fardel_changed changed, void* context, fardel_error* error) {
    return call(error, vfs != nullptr, [&](const Report& report) {
        return report.end(vfs->vfs.poll(), [&](const auto& changes) { report_changes(changes, changed, context); });
    });
}

fardel_code fardel_replace_readers(fardel_vfs* vfs, const fardel_mount_id* mounts, size_t mount_count,
                                   const fardel_reader* readers, size_t reader_count,
                                   const fardel_mount_options* options, fardel_mount_id* new_mounts,
                                   fardel_changed changed, void* context, fardel_error* error) {
    const bool given = vfs != nullptr && readers != nullptr && reader_count > 0 && reader_count <= kReadersMax &&
                       (mounts != nullptr || mount_count == 0);
    return call(error, given, [&](const Report& report) {
        std::vector<std::shared_ptr<const ByteSource>> sources;
        if (const fardel_code bad = adopt_readers(readers, reader_count, sources, report); bad != FARDEL_OK)
            return bad;
        return with_options(options, "reader", report, [&](const MountOptions& how) {
            std::vector<MountRequest> requests;
            for (auto& source : sources)
                requests.push_back({.subject = std::move(source), .options = how});
            std::vector<MountId> group;
            for (std::size_t i = 0; i < mount_count; ++i)
                group.push_back(MountId{mounts[i]});
            return report.end(vfs->vfs.replace(group, requests), [&](const auto& changes) {
                for (std::size_t i = 0; new_mounts != nullptr && i < group.size(); ++i)
                    new_mounts[i] = static_cast<fardel_mount_id>(group[i]);
                report_changes(changes, changed, context);
            });
        });
    });
}

fardel_code fardel_enter_pure(fardel_vfs* vfs, const char* policy_text, size_t* problems, fardel_error* error) {
    if (problems != nullptr)
        *problems = 0;
    return call(error, vfs != nullptr && policy_text != nullptr, [&](const Report& report) {
        return report.end(PurePolicy::parse(policy_text), [&](PurePolicy policy) {
            const PureReport found = vfs->vfs.enter_pure(std::move(policy));
            if (problems != nullptr)
                *problems = found.problems().size();
        });
    });
}

void fardel_leave_pure(fardel_vfs* vfs) {
    call(nullptr, vfs != nullptr, [&](const Report&) {
        vfs->vfs.leave_pure();
        return fardel_code{FARDEL_OK};
    });
}

// ---- What is at a path ----------------------------------------------------------------------------------------------

fardel_code fardel_stat_path(const fardel_vfs* vfs, const char* path, fardel_stat* stat, fardel_error* error) {
    return call(error, vfs != nullptr && path != nullptr && stat != nullptr, [&](const Report& report) {
        if (!is_size(stat->struct_size, kStatBytesLeast))
            return report.argument("the stat's struct_size is not set");
        return report.end(vfs->vfs.stat(path), [&](const PathStat& found) {
            fardel_stat out = FARDEL_STAT_INIT;
            out.node = node_of(found.kind);
            out.size_bytes = found.size_bytes;
            if (found.asset) {
                out.asset = plain_id(*found.asset);
                out.has |= FARDEL_STAT_ASSET;
            }
            if (found.bundle) {
                out.bundle = plain_id(*found.bundle);
                out.has |= FARDEL_STAT_BUNDLE;
            }
            if (found.has_metadata)
                out.has |= FARDEL_STAT_METADATA;
            copy_text(found.content_type, out.content_type, sizeof out.content_type);
            give(out, stat);
        });
    });
}

int fardel_exists(const fardel_vfs* vfs, const char* path) {
    int exists = 0;
    call(nullptr, vfs != nullptr && path != nullptr, [&](const Report&) {
        exists = vfs->vfs.exists(path) ? 1 : 0;
        return fardel_code{FARDEL_OK};
    });
    return exists;
}

fardel_code fardel_find_missing(const fardel_vfs* vfs, const char* const* paths, size_t path_count, uint32_t flags,
                                fardel_content_missing missing, void* context, size_t* asset_count,
                                fardel_error* error) {
    if (asset_count != nullptr)
        *asset_count = 0;
    return call(error, vfs != nullptr && (paths != nullptr || path_count == 0), [&](const Report& report) {
        if ((flags & ~std::uint32_t{FARDEL_MISSING_CLOSURES}) != 0)
            return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < path_count; ++i) {
            if (paths[i] == nullptr)
                return report.argument("a null pointer among the paths");
            texts.emplace_back(paths[i]);
        }
        const auto reach = (flags & FARDEL_MISSING_CLOSURES) != 0 ? ContentReach::closures : ContentReach::assets;
        return report.end(vfs->vfs.find_missing(texts, reach), [&](const std::vector<MissingContent>& all) {
            for (const MissingContent& one : all) {
                if (asset_count != nullptr)
                    *asset_count += one.assets.size();
                if (missing != nullptr)
                    report_content(one, missing, context);
            }
        });
    });
}

fardel_code fardel_read_link(const fardel_vfs* vfs, const char* path, char* buffer, size_t size_bytes,
                             size_t* needed_bytes, fardel_error* error) {
    return call(
        error, vfs != nullptr && path != nullptr && (buffer != nullptr || size_bytes == 0), [&](const Report& report) {
            const auto target = vfs->vfs.read_link(path);
            return target ? give_text(*target, buffer, size_bytes, needed_bytes, report) : report.fail(target.error());
        });
}

fardel_code fardel_read_trace(const fardel_vfs* vfs, char* buffer, size_t size_bytes, size_t* needed_bytes,
                              fardel_error* error) {
    return call(error, vfs != nullptr && (buffer != nullptr || size_bytes == 0), [&](const Report& report) {
        const auto trace = vfs->vfs.trace();
        return trace ? give_text(*trace, buffer, size_bytes, needed_bytes, report) : report.fail(trace.error());
    });
}

fardel_code fardel_read_trace_ahead(const fardel_vfs* vfs, const char* trace, size_t size_bytes, fardel_error* error) {
    return call(error, vfs != nullptr && (trace != nullptr || size_bytes == 0), [&](const Report& report) {
        const Status read = vfs->vfs.read_ahead({trace, size_bytes});
        return read ? FARDEL_OK : report.fail(read.error());
    });
}

// ---- Files ----------------------------------------------------------------------------------------------------------

fardel_code fardel_open(const fardel_vfs* vfs, const char* path, fardel_file** file, fardel_error* error) {
    return open_handle(file, vfs != nullptr && path != nullptr, error, [&] { return vfs->vfs.open(path); });
}

fardel_code fardel_open_from(const fardel_vfs* vfs, const fardel_file* from, const char* reference, fardel_file** file,
                             fardel_error* error) {
    return open_handle(file, vfs != nullptr && from != nullptr && reference != nullptr, error, [&] {
        return vfs->vfs.open({reference, nullptr, &from->file});
    });
}

fardel_code fardel_open_any(const fardel_vfs* vfs, const char* path, const char* extensions, fardel_file** file,
                            fardel_error* error) {
    return open_handle(file, vfs != nullptr && path != nullptr && extensions != nullptr, error, [&]() -> Result<File> {
        FARDEL_TRY_ASSIGN(const NameExtensions parsed, NameExtensions::parse(extensions));
        return vfs->vfs.open({path, &parsed});
    });
}

fardel_code fardel_open_any_from(const fardel_vfs* vfs, const fardel_file* from, const char* reference,
                                 const char* extensions, fardel_file** file, fardel_error* error) {
    return open_handle(file, vfs != nullptr && from != nullptr && reference != nullptr && extensions != nullptr, error,
                       [&]() -> Result<File> {
                           FARDEL_TRY_ASSIGN(const NameExtensions parsed, NameExtensions::parse(extensions));
                           return vfs->vfs.open({reference, &parsed, &from->file});
                       });
}

void fardel_close(fardel_file* file) { delete file; }

uint64_t fardel_file_size(const fardel_file* file) { return file != nullptr ? file->file.size_bytes() : 0; }

fardel_id fardel_file_asset(const fardel_file* file) {
    return file != nullptr ? plain_id(file->file.asset_id()) : fardel_id{};
}

fardel_id fardel_file_bundle(const fardel_file* file) {
    return file != nullptr ? plain_id(file->file.bundle_id()) : fardel_id{};
}

fardel_code fardel_read_at(const fardel_file* file, uint64_t offset, void* buffer, size_t size_bytes,
                           size_t* read_bytes, fardel_error* error) {
    if (read_bytes != nullptr)
        *read_bytes = 0;
    return call(error, file != nullptr && read_bytes != nullptr && (buffer != nullptr || size_bytes == 0),
                [&](const Report& report) {
                    return report.end(file->file.read_at(offset, {static_cast<std::byte*>(buffer), size_bytes}),
                                      [&](std::size_t count) { *read_bytes = count; });
                });
}

fardel_code fardel_read_all(const fardel_file* file, void* buffer, size_t size_bytes, fardel_error* error) {
    return call(error, file != nullptr && (buffer != nullptr || size_bytes == 0), [&](const Report& report) {
        return report.end(file->file.read_all(std::span(static_cast<std::byte*>(buffer), size_bytes)));
    });
}

// ---- Listings -------------------------------------------------------------------------------------------------------

fardel_code fardel_listing_open(const fardel_vfs* vfs, const char* path, fardel_listing** listing,
                                fardel_error* error) {
    return open_handle(listing, vfs != nullptr && path != nullptr, error, [&] { return vfs->vfs.open_listing(path); });
}

fardel_code fardel_listing_next(fardel_listing* listing, fardel_entry* entry, fardel_error* error) {
    return call(error, listing != nullptr && entry != nullptr, [&](const Report& report) {
        if (!is_size(entry->struct_size, kEntryBytesLeast))
            return report.argument("the entry's struct_size is not set");
        return report.end(listing->listing.next(), [&](const std::optional<ListingEntry>& next) {
            fardel_entry out = FARDEL_ENTRY_INIT;
            if (next) {
                out.node = node_of(next->kind);
                copy_text(next->name, out.name, sizeof out.name);
            }
            give(out, entry);
        });
    });
}

void fardel_listing_close(fardel_listing* listing) { delete listing; }
