#include <fardel/hosting/publish_delta.h>

#include <fardel/base/file.h>
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/format/file_source.h>
#include <fardel/hosting/make_delta.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr int kListAttemptsMax = 8;
constexpr std::string_view kSpoolName = "delta";

// A staged file that never gets a name.
class SpoolFile final : public StagedFile {
public:
    explicit SpoolFile(Descriptor file) : file_(std::move(file)) {}
    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
        return write_whole_at(file_, offset, bytes, std::string(kSpoolName));
    }
    Status resize(std::uint64_t size_bytes) override { return resize_file(file_, size_bytes, std::string(kSpoolName)); }
    Status commit() override { return ok(); }
    Descriptor take() && { return std::move(file_); }

private:
    Descriptor file_;
};

Result<ListedDelta> listed(const ByteSource& delta) {
    std::vector<std::byte> bytes(kDeltaHeadBytes);
    if (delta.size_bytes() < bytes.size())
        return Error(ErrorCode::malformed, "delta: too short");
    FARDEL_TRY(delta.read_at(0, bytes));
    FARDEL_TRY_ASSIGN(const DeltaHead head, decode_delta_head(bytes));
    if (head.delta_bytes() != delta.size_bytes())
        return Error(ErrorCode::malformed, "delta: of another size than its head says");
    return ListedDelta{.old_bundle = head.old_bundle,
                       .old_layout = head.old_layout,
                       .delta_bytes = head.delta_bytes(),
                       .front_bytes = head.front_bytes()};
}

// Replaces the list at the path by what `change` makes of it, unless that returns false.
template <class Change>
Status change_list(TreeTarget& tree, const std::string& path, const Change& change) {
    // The list is not signed: an old or a wrong one costs a client a delta that it does not find or cannot use.
    for (int attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(const auto head, tree.find_head(path));
        DeltaList list;
        if (head) {
            FARDEL_TRY_ASSIGN(list, decode_delta_list(head->bytes));
        }
        if (!change(list))
            return ok();
        if (list.size() > kListedDeltasMax)
            return Error(ErrorCode::limit, "256 deltas lead to this bundle already");
        Status replaced = tree.replace_head(path, encode_delta_list(list), head ? head->version : "");
        if (replaced || replaced.error().code() != ErrorCode::conflict || attempt == kListAttemptsMax)
            return replaced;
    }
}

Status add_to_list(TreeTarget& tree, const std::string& path, const ListedDelta& added) {
    return change_list(tree, path, [&](DeltaList& list) {
        const auto place = std::ranges::lower_bound(list, added.old_bundle, {}, &ListedDelta::old_bundle);
        if (place != list.end() && *place == added)
            return false;
        if (place != list.end() && place->old_bundle == added.old_bundle)
            *place = added;
        else
            list.insert(place, added);
        return true;
    });
}

}  // namespace

Result<DeltaPublication> publish_delta(std::shared_ptr<const Bundle> old, const Bundle& target, TreeTarget& tree,
                                       const DeltaWork& work) {
    DeltaPublication publication{.old_bundle = old->id(), .path = delta_path_of(target.id(), old->id())};
    auto published = tree.open(publication.path);
    if (!published && published.error().code() != ErrorCode::missing)
        return std::move(published).error();
    std::optional<ListedDelta> entry;
    if (published) {
        publication.was_there = true;
        auto found = listed(**published);
        if (!found)
            return std::move(found).error().with_context(publication.path +
                                                         " in the tree is of no use; remove it and publish again");
        entry = *found;
    } else {
        FARDEL_TRY_ASSIGN(Descriptor file, create_unnamed_file(kSpoolName));
        SpoolFile spool(std::move(file));
        FARDEL_TRY_ASSIGN(const DeltaSummary summary, make_delta(std::move(old), target, spool, work));
        const auto source = make_file_source(std::move(spool).take(), summary.delta_bytes, std::string(kSpoolName));
        // Clients would never choose it.
        if (summary.delta_bytes >= target.source()->size_bytes()) {
            publication.path.clear();
            return publication;
        }
        FARDEL_TRY_ASSIGN(entry, listed(*source));
        FARDEL_TRY(tree.put(publication.path, *source, {.progress = {}, .stop = work.stop}));
    }
    publication.delta_bytes = entry->delta_bytes;
    // After the file, so that no list names what is not there.
    FARDEL_TRY(add_to_list(tree, delta_list_path_of(target.id()), *entry));
    return publication;
}

Status withdraw_delta(const BundleId& old, const BundleId& target, TreeTarget& tree) {
    FARDEL_TRY(change_list(tree, delta_list_path_of(target), [&](DeltaList& list) {
        return std::erase_if(list, [&](const ListedDelta& one) { return one.old_bundle == old; }) != 0;
    }));
    FARDEL_TRY_ASSIGN(const bool removed, tree.remove(delta_path_of(target, old)));
    static_cast<void>(removed);
    return ok();
}

}  // namespace fardel
