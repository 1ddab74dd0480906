// An update from a tree that has a file beside the new bundle.
#pragma once

#include "delivery/served_bundle.h"

#include "kit/bundles.h"

#include <map>
#include <string>
#include <utility>

namespace fardel::tests {

// All bytes of a source; none fails the test.
inline std::string text_of_source(const std::shared_ptr<const ByteSource>& source) {
    REQUIRE(source);
    Bytes bytes(static_cast<std::size_t>(source->size_bytes()));
    REQUIRE(source->read_at(0, bytes));
    return text_of(bytes);
}

// A store that has the old bundle fetches the target. `more`: files of the tree by path.
inline FetchSummary fetch_update(const Bytes& old, const Bytes& target, const std::map<std::string, std::string>& more,
                                 TreeServer::Fault fault = nullptr) {
    const ScratchFolder scratch;
    const TreeServer server({target}, std::move(fault), more);
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(old)));
    FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(target), fetching_from({server.url()})));
    CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    return fetched;
}

}  // namespace fardel::tests
