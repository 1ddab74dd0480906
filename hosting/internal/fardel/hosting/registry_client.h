// What an author's program asks a registry: to take a bundle, and to recall one. The server is hostile: what it says is
// bounded, and is text for the author; it learns nothing that it could use elsewhere.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>
#include <fardel/hosting/registry_rules.h>
#include <fardel/hosting/tree_address.h>
#include <fardel/hosting/tree_target.h>

#include <memory>
#include <string>

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
