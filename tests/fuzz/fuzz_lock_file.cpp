// Lock files, and texts about what the bundles of a release need: what is read is the one text of its value.
// Requirements: a text that is read has one form, which means the same.
#include "require.h"

#include <fardel/delivery/lock_file.h>
#include <fardel/delivery/needs_text.h>
#include <fardel/format/name.h>

#include <cstdint>

using namespace fardel;

namespace {

template <class Parsed>
void require_clear(const Parsed& parsed) {
    require(printable(parsed.error().message(), 4000) == parsed.error().message());
}

void check_requirement(std::string_view text) {
    const auto requirement = Requirement::parse(text);
    if (!requirement)
        return require_clear(requirement);
    const auto again = Requirement::parse(requirement->text());
    require(again && *again == *requirement);
    const auto stated = Requirement::of_metadata(requirement->metadata_key(), requirement->metadata_value());
    require(stated && *stated == *requirement);
    for (const VersionBound& bound : requirement->bounds) {
        require(compare_versions(bound.version, bound.version) == 0);
        static_cast<void>(requirement->accepts(bound.version));
    }
}

}  // namespace

int fuzz_lock_file(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto lock = parse_lock_file(text))
        require(format_lock_file(*lock) == text);
    else
        require_clear(lock);
    if (const auto needs = parse_release_needs(text))
        require(format_release_needs(*needs) == text);
    else
        require_clear(needs);
    check_requirement(text);
    return 0;
}
