#include "listing_state.h"

#include <utility>

namespace fardel {

Listing::Listing(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Listing::Listing(Listing&&) noexcept = default;
Listing& Listing::operator=(Listing&&) noexcept = default;
Listing::~Listing() = default;

Result<std::optional<ListingEntry>> Listing::next() {
    if (impl_->over)
        return std::optional<ListingEntry>();
    auto entry = impl_->walk.next();
    impl_->over = !entry || !entry->has_value();
    return entry;
}

}  // namespace fardel
