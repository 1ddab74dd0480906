#include "serve/delta_maker.h"

#include <fardel/base/extension.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/thread_priority.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/staged_file.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kSightingsMax = 1024;  // above that, they are left out
constexpr std::size_t kSightingsOfClientMax = 32;
constexpr std::size_t kPredecessors = 2;  // of which a client probably has one
constexpr std::size_t kKnownBundlesMax = 16'384;
constexpr std::string_view kDemandName = ".fardel-deltas";
constexpr std::size_t kDemandBytesMax = kDemandedPairsMax * 200;

// The bundles of a tree by their names. Looks at a bundle when it is first asked for.
class KnownBundles {
public:
    explicit KnownBundles(const std::string& tree) : tree_(tree) {}

    // Looks for bundles that are new in the tree.
    void read_folder() {
        const std::string folder = tree_ + "/bundles";
        static_cast<void>(visit_folder(folder, [&](const std::string& name, const FileStatus& status) {
            const auto id = BundleId::parse(strip_extension(name));
            if (!id || extension_of(name) != "fardel" || bundles_.contains(*id) || bundles_.size() >= kKnownBundlesMax)
                return Result<bool>(false);
            Known known;
            known.published_ns = status.modified_ns;
            if (const auto source = open_file_source(folder + "/" + name))
                if (const auto bundle = Bundle::open(*source, {}))
                    if (const auto text = (*bundle)->find_bundle_text("name"); text && *text)
                        known.name = std::string(**text);
            bundles_.emplace(*id, std::move(known));
            return Result<bool>(false);
        }));
    }

    // Those of the same name that were published before it, the latest first.
    std::vector<BundleId> predecessors(const BundleId& bundle) {
        std::vector<BundleId> found;
        const auto self = bundles_.find(bundle);
        if (self == bundles_.end() || self->second.name.empty())
            return found;
        for (const auto& [id, one] : bundles_)
            if (id != bundle && one.name == self->second.name && one.published_ns <= self->second.published_ns)
                found.push_back(id);
        std::ranges::sort(found, std::ranges::greater(),
                          [&](const BundleId& id) { return bundles_.at(id).published_ns; });
        return found;
    }

private:
    struct Known {
        std::string name;
        std::int64_t published_ns = 0;  // since 1970
    };

    const std::string& tree_;
    std::map<BundleId, Known> bundles_;
};

}  // namespace

// What the thread does.
class BackgroundDeltas::Work {
public:
    Work(BackgroundDeltas& maker, std::stop_token stop)
        : maker_(maker), stop_(std::move(stop)), target_(make_folder_target(maker.tree_)), known_(maker.tree_) {
        const FilePath path = FilePath::of_root(maker_.tree_) / kDemandName;
        const auto file = open_regular_file(path, path, {.links = Links::refused});
        const auto text =
            file ? read_text(file->descriptor, kDemandBytesMax, path) : Result<std::string>(std::string());
        demand_ = DeltaDemand::parse(text ? *text : "");
    }

    void run() {
        lower_thread_priority();
        while (!stop_.stop_requested()) {
            const std::deque<Sighting> sightings = wait();
            if (!sightings.empty())
                known_.read_folder();
            for (const Sighting& sighting : sightings)
                count(sighting);
            if (const auto pair = demand_.find_next())
                make(*pair);
        }
    }

private:
    // Waits for sightings, unless there is something to make.
    std::deque<Sighting> wait() {
        std::unique_lock lock(maker_.mutex_);
        if (!demand_.find_next())
            maker_.changed_.wait(lock, stop_, [&] { return !maker_.sightings_.empty(); });
        maker_.waiting_.clear();
        return std::exchange(maker_.sightings_, {});
    }

    void count(const Sighting& sighting) {
        const std::vector<BundleId> predecessors = known_.predecessors(sighting.wanted);
        for (const BundleId& old : std::span(predecessors).first(std::min(predecessors.size(), kPredecessors)))
            demand_.count({.old_bundle = old, .new_bundle = sighting.wanted}, sighting.client);
    }

    void make(const DeltaPair& pair) {
        const auto made = publish(pair);
        if (!made && (stop_.stop_requested() || made.error().code() == ErrorCode::no_space))
            return;
        demand_.settle(pair, made ? *made : 0);
        while (const auto surplus = demand_.find_surplus(maker_.limits_.budget_bytes)) {
            if (!withdraw_delta(surplus->old_bundle, surplus->new_bundle, *target_))
                break;
            demand_.drop(*surplus);
        }
        save();
    }

    // Returns the bytes of the delta; 0: there is one that somebody else has published, or it would not be smaller.
    Result<std::uint64_t> publish(const DeltaPair& pair) {
        FARDEL_TRY_ASSIGN(auto old, open_small(pair.old_bundle));
        FARDEL_TRY_ASSIGN(const auto wanted, open_small(pair.new_bundle));
        std::stop_source out_of_time;
        const std::stop_callback stopped(stop_, [&] { out_of_time.request_stop(); });
        const auto deadline = std::chrono::steady_clock::now() + maker_.limits_.longest;
        FARDEL_TRY_ASSIGN(const DeltaPublication published,
                          publish_delta(std::move(old), *wanted, *target_,
                                        {.effort = maker_.limits_.effort,
                                         .progress =
                                             [&](std::uint64_t, std::uint64_t) {
                                                 if (std::chrono::steady_clock::now() > deadline)
                                                     out_of_time.request_stop();
                                             },
                                         .stop = out_of_time.get_token()}));
        return published.was_there || published.path.empty() ? 0 : published.delta_bytes;
    }

    Result<std::shared_ptr<const Bundle>> open_small(const BundleId& id) const {
        FARDEL_TRY_ASSIGN(auto source, target_->open(tree_path_of(id)));
        if (source->size_bytes() > maker_.limits_.bundle_bytes_max)
            return Error(ErrorCode::limit, "the bundle is too large");
        FARDEL_TRY_ASSIGN(auto bundle, Bundle::open(std::move(source), {}));
        return bundle->id() == id ? Result<std::shared_ptr<const Bundle>>(std::move(bundle))
                                  : Error(ErrorCode::conflict, "another bundle");
    }

    // What cannot be written is only not known after a restart.
    void save() const {
        const std::string text = demand_.format();
        const auto file = stage_file(FilePath::of_root(maker_.tree_) / kDemandName);
        if (file && (*file)->write_at(0, std::as_bytes(std::span(text))))
            static_cast<void>((*file)->commit());
    }

    BackgroundDeltas& maker_;
    const std::stop_token stop_;
    const std::unique_ptr<TreeTarget> target_;
    KnownBundles known_;
    DeltaDemand demand_;
};

BackgroundDeltas::BackgroundDeltas(std::string tree, const BackgroundDeltaLimits& limits)
    : tree_(std::move(tree)), limits_(limits) {}
BackgroundDeltas::~BackgroundDeltas() { thread_.stop(); }

Status BackgroundDeltas::start() {
    if (!thread_.try_start([this](const std::stop_token& stop) { Work(*this, stop).run(); }))
        return Error(ErrorCode::limit, "the server does not start: the system gives no threads");
    return ok();
}

void BackgroundDeltas::add(Sighting sighting) {
    {
        const std::scoped_lock lock(mutex_);
        if (sightings_.size() >= kSightingsMax)
            return;
        if (!sighting.client.empty() && ++waiting_[sighting.client] > kSightingsOfClientMax)
            return;
        sightings_.push_back(std::move(sighting));
    }
    changed_.notify_one();
}

// A client has no request for a delta: it would let anybody spend minutes of this processor. The list says nothing
// about what the client holds, so the bundles before are assumed.
void BackgroundDeltas::note_list(const BundleId& wanted, std::string_view client) {
    add({.wanted = wanted, .client = std::string(client)});
}

}  // namespace fardel
