// BundleLeases: one bundle under several reference counts, so that threads that open its files do not all write to one
// cache line.
//
// Each count has a cache line of its own; threads spread over them by thread_stripe(). A lease keeps the bundle alive.
// Immutable; any thread.
#pragma once

#include "thread_stripe.h"

#include <fardel/format/bundle.h>

#include <array>
#include <cstddef>
#include <memory>

namespace fardel {

class BundleLeases {
public:
    explicit BundleLeases(const std::shared_ptr<const Bundle>& bundle) {
        struct alignas(64) Holder {
            std::shared_ptr<const Bundle> bundle;
        };
        for (auto& lease : leases_)
            lease = std::shared_ptr<const Bundle>(std::make_shared<Holder>(Holder{bundle}), bundle.get());
    }

    const std::shared_ptr<const Bundle>& of_this_thread() const noexcept { return leases_[thread_stripe() % kLeases]; }

private:
    static constexpr std::size_t kLeases = 16;
    std::array<std::shared_ptr<const Bundle>, kLeases> leases_;
};

}  // namespace fardel
