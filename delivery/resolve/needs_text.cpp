// The text about what the bundles of a release need.
#include <fardel/delivery/needs_text.h>

#include "text_lines.h"

#include <fardel/format/printable.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kNeedsTitle = "fardel-requirements 1";

class NeedsParser {
public:
    explicit NeedsParser(TextLines lines) : lines_(std::move(lines)) {}

    Result<NeedsOfBundles> parse() {
        NeedsOfBundles all;
        std::optional<BundleId> last;
        while (const auto text = lines_.find("bundle")) {
            const auto id = BundleId::parse(*text);
            if (!id)
                return lines_.bad_line("expected \"bundle ID\"");
            if (last && !(*last < *id))
                return lines_.bad_line("bundles are not sorted by their ids, or one stands twice");
            if (all.size() == kReleaseNeedsBundlesMax)
                return Error(ErrorCode::limit, "requirements of a release: too many bundles");
            last = *id;
            FARDEL_TRY_ASSIGN(all[*id], parse_one());
        }
        FARDEL_TRY(lines_.finish());
        return all;
    }

private:
    Result<BundleNeeds> parse_one() {
        BundleNeeds one;
        while (const auto text = lines_.find("needs")) {
            const auto id = BundleId::parse(*text);
            if (!id)
                return lines_.bad_line("expected \"needs ID\"");
            FARDEL_TRY(count());
            one.needs.push_back(*id);
        }
        while (const auto text = lines_.find("requires")) {
            auto requirement = Requirement::parse(*text);
            if (!requirement)
                return lines_.bad_line(requirement.error().message());
            if (requirement->text() != *text)
                return lines_.bad_line("the requirement is not written as Fardel writes it: " +
                                       in_short_quotes(requirement->text()));
            if (!one.requirements.empty() && !(one.requirements.back().name < requirement->name))
                return lines_.bad_line("requirements are not sorted by their names, or one stands twice");
            FARDEL_TRY(count());
            one.requirements.push_back(*std::move(requirement));
        }
        return one;
    }

    Status count() {
        if (++count_ > kReleaseNeedsMax)
            return Error(ErrorCode::limit, "requirements of a release: more than " + std::to_string(kReleaseNeedsMax));
        return ok();
    }

    TextLines lines_;
    std::size_t count_ = 0;
};

}  // namespace

Result<NeedsOfBundles> parse_release_needs(std::string_view text) {
    FARDEL_TRY_ASSIGN(TextLines lines,
                      TextLines::open("requirements of a release", kNeedsTitle, text, kReleaseNeedsBytesMax));
    return NeedsParser(std::move(lines)).parse();
}

std::string format_release_needs(const NeedsOfBundles& needs) {
    std::vector<BundleId> ids;
    for (const auto& [id, one] : needs)
        ids.push_back(id);
    std::ranges::sort(ids);
    std::string text = std::string(kNeedsTitle) + "\n";
    for (const BundleId& id : ids) {
        const BundleNeeds& one = needs.at(id);
        text += "bundle " + id.hex() + "\n";
        for (const BundleId& needed : one.needs)
            text += "needs " + needed.hex() + "\n";
        for (const Requirement& requirement : one.requirements)
            text += "requires " + requirement.text() + "\n";
    }
    return text;
}

}  // namespace fardel
