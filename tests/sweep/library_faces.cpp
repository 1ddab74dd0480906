// The bundle through the C++ library and the C API, in this process.
#include "faces.h"
#include "files.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/verifier/verify_bundle.h>
#include <fardel/vfs/fardel.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string_view>

namespace fardel::sweep {
namespace {

using Fault = std::function<void(const std::string&)>;

std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text)
        out += c >= 0x20 && c < 0x7f ? c : '?';
    return out;
}

// Whether a good bundle must show the name at its own path: another may decide about one that extends.
bool must_open(const Witness::Name& name) { return name.published && !name.extends && !name.assets.empty(); }

// ---- C++ ------------------------------------------------------------------------------------------------------------

class CppFace {
public:
    CppFace(const Vfs& vfs, const Witness& witness, bool good, const Fault& fault)
        : vfs_(vfs), witness_(witness), good_(good), fault_(fault) {}

    void run() {
        walk("/", 0);
        for (const AssetId& id : witness_.assets())
            read_asset(id);
        std::size_t count = 0;
        for (const auto& [text, name] : witness_.names()) {
            if (++count > kEntriesMax)
                break;
            read_name(text, name);
        }
        (void)vfs_.conflicts(1000);
        (void)vfs_.check_links(1000);
        (void)vfs_.mounts();
    }

private:
    void walk(const std::string& folder, unsigned depth) {
        auto listing = vfs_.open_listing(folder);
        if (!listing) {
            if (good_)
                fault_("C++ cannot list " + shown(folder) + ": " + listing.error().text());
            return;
        }
        for (auto entry = listing->next(); entry && *entry && entries_++ < kEntriesMax; entry = listing->next()) {
            const std::string path = (folder == "/" ? "" : folder) + "/" + (*entry)->name;
            if ((*entry)->kind == NodeKind::folder) {
                if (depth < 80)
                    walk(path, depth + 1);
                continue;
            }
            const auto stat = vfs_.stat(path);
            if (good_ && !stat)
                fault_("C++ lists " + shown(path) + " and cannot stat it: " + stat.error().text());
            (void)vfs_.read_link(path);
        }
    }

    void read_asset(const AssetId& id) {
        const auto file = vfs_.open("/assets/" + id.hex());
        if (!file) {
            if (good_)
                fault_("C++ cannot open a good asset: " + file.error().text());
            return;
        }
        if (file->asset_id() != id)
            fault_("C++ opens another asset than the path names");
        read_file(*file, "/assets/" + id.hex());
    }

    void read_name(const std::string& text, const Witness::Name& name) {
        const std::string path = "/" + text;
        (void)vfs_.explain(path);
        const auto file = vfs_.open(path);
        if (!file) {
            if (good_ && must_open(name))
                fault_("C++ cannot open the good name " + shown(text) + ": " + file.error().text());
            return;
        }
        if (good_ && !name.assets.contains(file->asset_id()))
            fault_("C++ gives an asset that " + shown(text) + " does not lead to");
        read_file(*file, path);
        if (references_++ < 20)
            for (std::size_t i = 0; i < std::min<std::size_t>(witness_.strings().size(), 60); ++i)
                if (const auto target = vfs_.open({witness_.strings()[i], {}, &*file}))
                    read_file(*target, path + " -> " + witness_.strings()[i]);
    }

    void read_file(const File& file, const std::string& path) {
        const auto bytes = file.read_all(kBytesMax);
        if (!bytes) {
            if (good_ && bytes.error().code() != ErrorCode::limit)
                fault_("C++ cannot read " + shown(path) + ": " + bytes.error().text());
        } else if (!witness_.vouches(file.asset_id(), *bytes)) {
            fault_("C++ gives other bytes than the manifest says: " + shown(path));
        }
        if (bytes && reads_++ < 200)
            read_in_parts(file, *bytes, path);
    }

    void read_in_parts(const File& file, const Bytes& whole, const std::string& path) {
        FileStream stream(file);
        std::vector<std::byte> part(1021);
        Bytes streamed;
        for (auto count = stream.read(part); count && *count > 0 && streamed.size() < 300'000;
             count = stream.read(part))
            streamed.insert(streamed.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(*count));
        if (streamed.size() > whole.size() || !std::equal(streamed.begin(), streamed.end(), whole.begin()))
            fault_("a stream of C++ differs from the whole of " + shown(path));
        if (whole.size() > 5) {
            const auto count = file.read_at(whole.size() - 5, std::span(part).first(9));
            if (count && (*count != 5 || !std::equal(part.begin(), part.begin() + 5, whole.end() - 5)))
                fault_("the end of " + shown(path) + " differs");
        }
        if (const auto view = file.view(); view && !std::ranges::equal(view->bytes(), whole))
            fault_("a view of " + shown(path) + " differs");
    }

    const Vfs& vfs_;
    const Witness& witness_;
    bool good_;
    const Fault& fault_;
    std::size_t entries_ = 0;
    std::size_t references_ = 0;
    std::size_t reads_ = 0;
};

// ---- C --------------------------------------------------------------------------------------------------------------

class CFace {
public:
    CFace(fardel_vfs* vfs, const Witness& witness, bool good, const Fault& fault)
        : vfs_(vfs), witness_(witness), good_(good), fault_(fault) {}

    void run() {
        walk("/", 0);
        for (const AssetId& id : witness_.assets())
            read("/assets/" + id.hex(), good_, [&](const Bytes& bytes) { return witness_.vouches(id, bytes); });
        std::size_t count = 0;
        for (const auto& [text, name] : witness_.names())
            if (++count <= kEntriesMax && text.find('\0') == std::string::npos)
                read("/" + text, good_ && must_open(name),
                     [&, &name_text = text](const Bytes& bytes) { return witness_.vouches(name_text, bytes); });
    }

private:
    void walk(const std::string& folder, unsigned depth) {
        fardel_error error = FARDEL_ERROR_INIT;
        fardel_listing* listing = nullptr;
        if (fardel_listing_open(vfs_, folder.c_str(), &listing, &error) != FARDEL_OK) {
            if (good_)
                fault_("C cannot list " + shown(folder) + ": " + error.text);
            return;
        }
        fardel_entry entry = FARDEL_ENTRY_INIT;
        while (entries_++ < kEntriesMax && fardel_listing_next(listing, &entry, &error) == FARDEL_OK &&
               entry.node != FARDEL_NODE_NONE) {
            const std::string path = (folder == "/" ? "" : folder) + "/" + entry.name;
            if (entry.node == FARDEL_NODE_FOLDER && depth < 80)
                walk(path, depth + 1);
            fardel_stat stat = FARDEL_STAT_INIT;
            (void)fardel_stat_path(vfs_, path.c_str(), &stat, &error);
            char link[200];
            size_t needed = 0;
            (void)fardel_read_link(vfs_, path.c_str(), link, sizeof link, &needed, &error);
        }
        fardel_listing_close(listing);
    }

    template <class Vouches>
    void read(const std::string& path, bool must, const Vouches& vouches) {
        fardel_error error = FARDEL_ERROR_INIT;
        fardel_file* file = nullptr;
        if (fardel_open(vfs_, path.c_str(), &file, &error) != FARDEL_OK) {
            if (must)
                fault_("C cannot open the good " + shown(path) + ": " + error.text);
            return;
        }
        const std::uint64_t size = fardel_file_size(file);
        if (size <= kBytesMax) {
            Bytes bytes(static_cast<std::size_t>(size));
            const fardel_code code = fardel_read_all(file, bytes.data(), bytes.size(), &error);
            if (code == FARDEL_OK && !vouches(bytes))
                fault_("C gives other bytes than the manifest says: " + shown(path));
            if (code != FARDEL_OK && must)
                fault_("C cannot read the good " + shown(path) + ": " + error.text);
            std::byte few[7];
            size_t count = 0;
            if (code == FARDEL_OK && fardel_read_at(file, size / 2, few, sizeof few, &count, &error) == FARDEL_OK &&
                !std::equal(few, few + count, bytes.begin() + static_cast<std::ptrdiff_t>(size / 2)))
                fault_("C gives other bytes in the middle of " + shown(path));
        }
        fardel_close(file);
    }

    fardel_vfs* vfs_;
    const Witness& witness_;
    bool good_;
    const Fault& fault_;
    std::size_t entries_ = 0;
};

void read_through_c(const BundleCase& bundle, const Witness& witness, bool good, const Fault& fault) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_vfs* vfs = nullptr;
    if (fardel_vfs_create(nullptr, &vfs, &error) != FARDEL_OK)
        return fault("fardel_vfs_create fails");
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED | FARDEL_MOUNT_IGNORE_DATES;
    const Bytes bytes = read_bytes(bundle.bundle());
    if (fardel_mount_memory(vfs, bytes.data(), bytes.size(), &options, nullptr, &error) == FARDEL_OK)
        CFace(vfs, witness, good, fault).run();
    else if (good)
        fault(std::string("C cannot mount a good bundle: ") + error.text);

    // Whoever the author's policy does not name is not mounted.
    fardel_mount_options strict = FARDEL_MOUNT_OPTIONS_INIT;
    const std::string policy = author_policy();
    strict.policy_text = policy.c_str();
    strict.place = "strict";
    strict.flags = FARDEL_MOUNT_IGNORE_DATES;
    if (fardel_mount_file(vfs, bundle.bundle().c_str(), &strict, nullptr, &error) == FARDEL_OK &&
        bundle.signed_by != SignedBy::author)
        fault("C mounts a bundle that its author has not signed");
    fardel_vfs_destroy(vfs);
}

// ---- Verifier, pure mode --------------------------------------------------------------------------------------------

bool verify_alone(const BundleCase& bundle, const Fault& fault) {
    const auto source = open_file_source(bundle.bundle());
    if (!source)
        return false;
    VerifyOptions options;
    options.jobs = 1;
    options.time = TrustTime::ignored();
    const auto report = verify_bundle(*source, options);
    if (!report) {
        fault("the verifier gives no report: " + report.error().text());
        return false;
    }
    for (const VerifyFinding& finding : report->findings)
        if (const std::string control = find_control(format_finding(finding)); !control.empty())
            fault("a finding has " + control);
    const auto policy = TrustPolicy::parse(author_policy());
    options.policy = &*policy;
    if (const auto trusted = verify_bundle(*source, options);
        trusted && trusted->good() && bundle.signed_by != SignedBy::author)
        fault("the verifier believes a bundle that its author has not signed");
    return report->good();
}

void read_in_pure_mode(const BundleCase& bundle, const Witness& witness, const Fault& fault) {
    const auto source = open_file_source(bundle.bundle());
    std::byte head[4096];
    if (!source || (*source)->size_bytes() < sizeof head || !(*source)->read_at(0, head))
        return;
    Vfs vfs;
    MountOptions options{.time = TrustTime::ignored(), .allow_unsigned = true};
    const bool mounted = static_cast<bool>(vfs.mount(bundle.bundle(), options));
    (void)vfs.mount(bundle.good.string(), options);
    auto policy = PurePolicy::parse("fardel-pure 1\nbundle " + blake3(head).hex() + " exact /\nunsigned allow\n");
    if (!policy)
        return fault("a policy that names the bundle is refused: " + policy.error().text());
    (void)vfs.enter_pure(*policy);
    if (mounted)
        CppFace(vfs, witness, false, fault).run();
}

}  // namespace

int read_through_libraries(const BundleCase& bundle, Witness& witness) {
    bool failed = false;
    const Fault fault = [&](const std::string& what) {
        failed = true;
        std::printf("%s\n", shown(what).c_str());
        std::fflush(stdout);
    };
    const bool good = verify_alone(bundle, fault);
    witness.set_good(good);
    {
        Vfs vfs;
        MountOptions options{.time = TrustTime::ignored(), .allow_unsigned = true};
        if (const auto mount = vfs.mount(bundle.bundle(), options))
            CppFace(vfs, witness, good, fault).run();
        else if (good)
            fault("C++ cannot mount a good bundle: " + mount.error().text());
        // With another bundle above it, the names of that one are its own.
        const auto other = vfs.mount(bundle.good.string(), options);
        if (!other)
            fault("the good bundle cannot be mounted above: " + other.error().text());
        Witness other_witness(read_bytes(bundle.good));
        other_witness.set_good(true);
        for (const auto& [text, name] : other_witness.names())
            if (must_open(name)) {
                const auto file = vfs.open("/" + text);
                // A damaged bundle that extends names is asked about those of others, and then none can be opened.
                if (!file) {
                    if (good)
                        fault("a name of the bundle above cannot be opened: " + shown(text) + ": " +
                              file.error().text());
                } else if (const auto bytes = file->read_all(kBytesMax); bytes && !other_witness.vouches(text, *bytes))
                    fault("a name of the bundle above has other bytes: " + shown(text));
            }
        (void)vfs.conflicts(1000);
        (void)vfs.check_links(1000);
    }
    {
        Vfs vfs;
        const auto policy = TrustPolicy::parse(author_policy());
        MountOptions options{.policy = &*policy, .time = TrustTime::ignored()};
        if (const auto mount = vfs.mount(bundle.bundle(), options)) {
            if (bundle.signed_by != SignedBy::author)
                fault("C++ mounts a bundle that its author has not signed");
            CppFace(vfs, witness, good, fault).run();
        }
    }
    read_in_pure_mode(bundle, witness, fault);
    read_through_c(bundle, witness, good, fault);
    read_through_physfs(bundle, witness, good, fault);
    return failed ? 1 : good ? kGood : 0;
}

}  // namespace fardel::sweep
