// The judgement of an upload: everything that is wrong with a bundle, by the verifier and by the rules of a registry.
//
// A person who uploads wants the complete list at once, so nothing ends the judgement early except what makes the rest
// meaningless: a file that is no bundle, or larger than the rules allow.
#pragma once

#include "registry/author_shares.h"
#include "registry/catalogue.h"
#include "registry/released_ids.h"
#include "registry/upload_facts.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/channel.h>
#include <fardel/format/envelope.h>
#include <fardel/hosting/registry.h>
#include <fardel/hosting/registry_rules.h>
#include <fardel/verifier/verify_bundle.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// What an upload is compared with.
struct RegistryState {
    RegistryRules rules;
    ChannelRoot root;
    std::optional<ChannelRelease> release;
    Catalogue catalogue;
    ReleasedIds released;
    AuthorShares shares;
    // The bundles that were accepted from the owners of their names and are neither in the release nor recalled: those
    // that the next release takes, because the registry was killed before, and those that are set aside, with the
    // reason.
    std::vector<BundleId> unreleased;
    std::map<BundleId, RegistryRefusal> set_aside;
};

// Fills the members that follow from the others: those behind the catalogue.
void index_state(RegistryState& state);

// The verifier's warnings and notes about content. Those about signatures are left out, because they depend on the
// policy.
std::vector<RegistryRefusal> remarks_of(const VerifyReport& report);

struct UploadJudgement {
    std::shared_ptr<const Bundle> bundle;   // nullptr: it cannot be opened
    std::string name;                       // empty: it has none
    std::string version;                    // the same
    std::optional<Envelope> statement;      // the uploader's; nothing: there is none that counts
    std::vector<RegistryRefusal> refusals;  // empty: accepted
    std::vector<RegistryRefusal> remarks;   // what the verifier found beside
};

// `author` has signed the request. Reads every byte. Error: cancelled.
Result<UploadJudgement> judge_upload(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                     const RegistryState& state, UnixTime now, const VerifyWork& work);
// What judge_question leaves out: for an author's program, which knows the rules and the root of the state alone.
Result<UploadJudgement> judge_content(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                      const RegistryState& state, UnixTime now, const VerifyWork& work);
// The same without content, for a bundle that is not here: what follows from the tables that `facts` claims. It costs
// the server no more than a few signatures. Error: limit (too many signatures).
Result<UploadJudgement> judge_question(const UploadFacts& facts, const PublicKey& author, const RegistryState& state,
                                       UnixTime now);
// The same by the rules alone, for a bundle that was verified a moment ago, by a newer state.
UploadJudgement judge_by_rules(const std::shared_ptr<const Bundle>& bundle, const PublicKey& author,
                               const RegistryState& state, UnixTime now);

}  // namespace fardel
