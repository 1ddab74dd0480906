// What a server restricts to some variants and to some authors' bundles, for the tests of the faces of pure mode.
#pragma once

#include "kit/bundles.h"
#include "test_bundle.h"

namespace fardel::tests {

enum class AdmittedBy : std::uint8_t { key, role };

struct RestrictedContent {
    explicit RestrictedContent(AdmittedBy by = AdmittedBy::key) {
        BundleMaker maker;
        maker.add_variants("wall", {"glass", "solid"}).add_variants("window", {"glass 2"}).add("gfx/hud", "base hud");
        maker.plan().names[0].variants[0].tags = {{"quality", "see-through"}};
        maker.plan().names[0].variants[1].tags = {{"quality", "sd"}};
        maker.plan().names[1].variants[0].tags = {{"quality", "see-through"}};
        base = maker.title("base").write();
        rules.unsigned_allowed = true;
        rules.bundles = {{.bundle = bundle_id_of(base), .mount_point = "", .name = "base"}};
        rules.variants = {{.axis = "quality", .tags = {"hd", "sd"}}};
        PureException exception{.bundles = "huds/*", .signer = {}, .paths = "gfx/**", .role = {}};
        if (by == AdmittedBy::key)
            exception.signer = admitted.key();
        else
            exception.role = PureRole{.role = SignerRole::author, .threshold = 1, .keys = {admitted.key()}};
        rules.exceptions = {std::move(exception)};
    }

    PurePolicy policy() const { return value_of(PurePolicy::make(rules)); }
    // Calls `mount` with each bundle, the trust policy that accepts its signer, and its priority.
    template <class Mount>
    void each(const Mount& mount) const {
        mount(base, TrustPolicy::make({}).value(), 0);
        mount(good, admitted.policy(), 1);
        mount(elsewhere, admitted.policy(), 2);
        mount(strange, stranger.policy(), 3);
    }

    Author admitted, stranger;
    Bytes base;
    // Of these only the first has the name and the signer of the exception.
    Bytes good = admitted.sign(hud("huds/mine", "admitted hud").add("gfx/good", "good").write());
    Bytes elsewhere = admitted.sign(hud("walls/mine", "hud of another name").add("gfx/elsewhere", "wall").write());
    Bytes strange = stranger.sign(hud("huds/theirs", "stranger's hud").add("gfx/strange", "strange").write());
    PureRules rules;

private:
    static BundleMaker hud(std::string_view title, std::string_view content) {
        BundleMaker maker;
        maker.add("gfx/hud", content).title(std::string(title));
        return maker;
    }
};

}  // namespace fardel::tests
