// The disk of the retention model: what is on it as one small value, and the RetentionDisk that one actor sees.
//
// Bundles and packs are numbers, and sets of them are bits. Each call that others can notice is a step: the actor runs
// from its start until its next one, with the results that its calls had before.
#pragma once

#include "retention/retention_disk.h"

#include <fardel/format/hash.h>
#include <fardel/format/ids.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace fardel::tests {

// What is taken away, to see that the search finds what goes wrong without it.
enum class Broken : std::uint8_t {
    nothing,
    leases,        // collections see none
    phases,        // what is condemned is removed at once
    uses,          // claims succeed beside readers
    record_sync,   // names of records are not synced
    pack_bytes,    // the bytes of a pack are not synced before it gets its name
    record_bytes,  // nor those of a record
    comparison,    // records that changed meanwhile are replaced, too
};

inline constexpr int kCollectors = 2;  // the first actors
inline constexpr int kWriter = 2;
inline constexpr int kReader = 3;
inline constexpr int kSigner = 4;
inline constexpr int kRepacker = 5;
inline constexpr int kActors = 6;

inline constexpr int kBase = 1;   // a bundle that the others need; in pack 1
inline constexpr int kRead = 2;   // that the reader opens and the signer adds to; in pack 2
inline constexpr int kAdded = 3;  // that the writer adds; in pack 3, that nothing names, and pack 4
inline constexpr int kBundles = 4;
inline constexpr int kSharedPack = 3;
inline constexpr int kAddedPack = 4;
inline constexpr int kMovedPack = 5;  // that the repacker puts in the place of pack 2
inline constexpr int kSignedPack = 6;
inline constexpr int kPacks = 7;

// The times that there are; a mark or use of time 0 is none.
inline constexpr int kEarly = 1;
inline constexpr int kLate = 2;
inline constexpr int kLater = 3;  // after a power failure
inline UnixTime model_time(std::uint64_t time) { return {1000 * time}; }

BundleId model_bundle(int number);
Hash model_pack(int number);
inline std::uint16_t bit_of(int number) { return static_cast<std::uint16_t>(1u << number); }
inline int number_of(const BundleId& id) { return id.bytes[0]; }
inline int number_of(const Hash& id) { return id.bytes[0]; }
std::vector<BundleId> needs_in_model(const BundleId& bundle);

struct ModelLease {
    std::uint8_t is_there = 0;
    std::uint8_t is_locked = 0;
    std::uint8_t is_torn = 0;
    std::uint8_t renewed = 0;
    std::uint8_t bundles = 0;
    std::uint8_t packs = 0;
};
struct ModelMarks {  // since when
    std::array<std::uint8_t, kBundles> bundles{};
    std::array<std::uint8_t, kPacks> packs{};
};

// What is on the disk and who holds what. What a power failure may undo stands beside it.
struct ModelState {
    static constexpr std::uint16_t kThere = 1;  // in the packs of a record: there is one
    std::array<std::uint16_t, kBundles> records{};
    std::array<std::uint16_t, kBundles> older_records{};
    std::uint8_t unsynced_records = 0;       // that a power failure may replace by the older ones
    std::uint8_t unsynced_record_bytes = 0;  // that it may tear
    std::uint8_t packs = 0;
    std::uint8_t removed_packs = 0;        // that it may bring back
    std::uint8_t unsynced_packs = 0;       // whose names it may take away
    std::uint8_t unsynced_pack_bytes = 0;  // that it may tear
    ModelMarks marks;
    ModelMarks older_marks;
    std::uint8_t unsynced_marks = 0;
    std::array<ModelLease, kActors> leases{};
    std::array<std::uint8_t, kBundles> uses{};    // actors
    std::array<std::uint8_t, kBundles> claims{};  // the actor, plus 1
    std::array<std::uint8_t, kBundles> used{};    // when
    std::uint8_t lock = 0;                        // the actor that holds it, plus 1
    std::uint8_t now = kEarly;
    std::uint8_t was_signed = 0;  // whether the signer has published

    bool has_record(int bundle) const { return records[static_cast<std::size_t>(bundle)] != 0; }
    bool has_pack(int pack) const { return (packs & bit_of(pack)) != 0; }
};
static_assert(std::has_unique_object_representations_v<ModelState>, "states are compared by their bytes");

struct Violation {
    std::string what;
};
void fail_if(bool condition, std::string what);
struct Pause {};  // thrown at the next step

class ModelDisk final : public RetentionDisk {
public:
    using Results = std::vector<std::uint64_t>;
    // `results` are those of the actor's calls so far, and of one step more afterwards; with `to_end`, of all steps.
    ModelDisk(ModelState& state, Results& results, int actor, Broken broken, bool crashes, bool to_end = false)
        : state_(state), results_(results), number_(actor), broken_(broken), crashes_(crashes), to_end_(to_end) {}

    // Performs `act` on the disk, or returns what it returned in an earlier run. If it is a new step and the actor has
    // made one already in this run, the run ends.
    template <class Act>
    std::uint64_t step(Act act, bool is_step = true) {
        if (position_ < results_.size())
            return results_[position_++];
        if (is_step && stepped_ && !to_end_)
            pause();
        stepped_ |= is_step;
        const std::uint64_t value = act();
        results_.push_back(value);
        ++position_;
        return value;
    }
    ModelState& state() { return state_; }

    // What the file system does of a store; a step is a call that a power failure can follow.
    void add_pack(int pack);
    Status write_record(int bundle, std::uint16_t packs);
    std::uint16_t packs_of(int bundle);

    Result<std::unique_ptr<DiskHold>> lock() override;
    Result<std::vector<BundleId>> list_records() override;
    Result<std::optional<std::vector<Hash>>> find_packs_of(const BundleId& bundle) override;
    Status remove_record(const BundleId& bundle) override;
    Status sync_records() override;
    Result<std::vector<BundleId>> list_pinned(UnixTime) override { return std::vector<BundleId>(); }
    Result<std::vector<PackOnDisk>> list_packs() override;
    Result<bool> has_pack(const Hash& pack) override;
    Status remove_pack(const Hash& pack) override;
    Result<CondemnedList> read_condemned() override;
    Status replace_condemned(const CondemnedList& list) override;
    Result<std::unique_ptr<LeaseFile>> create_lease() override;
    Result<std::vector<FoundLease>> list_leases() override;
    Status remove_lease(const std::string& name) override;
    Result<std::unique_ptr<DiskHold>> open_use(const BundleId& bundle) override;
    Result<std::unique_ptr<DiskHold>> claim_use(const BundleId& bundle) override;
    Status forget_use(const BundleId&) override { return ok(); }

private:
    struct Hold;
    struct File;
    // For what a destructor does: no step, and nothing in a run that was ended.
    void end(const std::function<void()>& act);
    // What the actor holds is destroyed now, which must not change the disk.
    [[noreturn]] void pause() {
        stopping_ = true;
        throw Pause{};
    }
    bool holds_lock() const { return state_.lock == number_ + 1; }
    std::uint8_t own_bit() const { return static_cast<std::uint8_t>(1u << number_); }
    ModelLease& own_lease() { return state_.leases[static_cast<std::size_t>(number_)]; }
    void sync(const std::function<void()>& act);

    ModelState& state_;
    Results& results_;
    const int number_;
    const Broken broken_;
    const bool crashes_;  // whether the search has any
    const bool to_end_;
    std::size_t position_ = 0;
    bool stepped_ = false;
    bool stopping_ = false;
};

// Lets a process end: what it held is free.
void kill_in_model(ModelState& state, int actor);
// Each bundle has its packs and what it needs, and nothing that was published is lost.
void verify_closed(const ModelState& state, const std::string& when);
// Calls `visit` with each state that a power failure may leave.
void for_each_power_failure(const ModelState& state, const std::function<void(const ModelState&)>& visit);

}  // namespace fardel::tests
