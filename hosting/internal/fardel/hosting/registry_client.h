// What an author's program asks a registry: to take a bundle, and to recall one. The server is hostile: what it says is
// bounded, and is text for the author; it learns nothing that it could use elsewhere.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>
#include <fardel/hosting/registry.h>
#include <fardel/hosting/registry_rules.h>
#include <fardel/hosting/tree_address.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct RegistryReply {
    long status = 0;   // 201: accepted; 200: it was there, or is recalled; 422: refused; others: no decision (202: yet)
    std::string text;  // with these three, the JSON of docs/registry.md; untrusted
};

class RegistryClient {
public:
    // Asks for the rules. Errors: malformed (the URL, or the rules), missing (it is no registry), denied (the server
    // says that it is another registry), those of the first request.
    static Result<std::unique_ptr<RegistryClient>> open(const std::string& url, const TreeConnection& connection);
    ~RegistryClient();

    const RegistryRules& rules() const noexcept;

    // Asks what would become of the bundle, which costs a short request: 200 (acceptable, or was there), 422, or no
    // decision. Nothing: this registry answers no questions, or this one would not be short. Errors: those of the
    // signer, of reading the bundle's tables and of the request.
    Result<std::optional<RegistryReply>> ask(const Bundle& bundle, Signer& signer, const Clock& now);
    // What the registry will refuse because of the content: judged here, by its rules and by the root of its channel,
    // which is not believed and need not be: it is that of who refuses. `root_version`: of the answer to a question;
    // 0: none is known. Reads every byte. Errors: cancelled, those of the request.
    struct Judged {
        std::vector<RegistryRefusal> refusals;
        std::vector<RegistryRefusal> remarks;
    };
    Result<Judged> judge(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                         std::uint64_t root_version, UnixTime now, const VerifyWork& work) const;

    // Sends the file, and waits for the decision, up to 12 hours; goes on where an earlier attempt broke off. `now`:
    // the time when a request is signed. Errors: those of the signer and of the requests.
    Result<RegistryReply> upload(const ByteSource& file, const BundleId& bundle, Signer& signer, const Clock& now,
                                 const PublishWork& work);
    Result<RegistryReply> recall(const BundleId& bundle, const std::string& reason, Signer& signer, const Clock& now);

private:
    struct Impl;
    explicit RegistryClient(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
