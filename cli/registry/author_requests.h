// What an author asks a registry, with a key: to take bundles, and to recall one.
#pragma once

#include "console/console.h"
#include "console/signing_key.h"

#include <fardel/base/result.h>

#include <span>
#include <string>

namespace fardel {

struct AuthorRequest {
    std::string url;
    SigningKey key;
    bool only_asks = false;  // what would become of an upload, which is not sent
    bool json = false;
};

// Uploads the files one after the other, and prints what the registry says about each: everything that is wrong with
// it. What the registry would refuse, or has, is not sent. A refusal ends the verb with Exit::refusal at its end.
// Errors: those of RegistryClient, of the signer and of the files.
Result<Exit> upload_to_registry(const AuthorRequest& request, std::span<const std::string> files, Console& console);
Result<Exit> recall_at_registry(const AuthorRequest& request, const std::string& bundle, const std::string& reason,
                                Console& console);

}  // namespace fardel
