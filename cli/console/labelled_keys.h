// Public keys under labels, as trust policies and channels name them.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/trust_policy.h>

#include <string>
#include <utility>
#include <vector>

namespace fardel {

// Reads key files and gives each key one label, after the name of its file; two keys never get the same label, and a
// key that is known keeps its label.
class KeyReader {
public:
    explicit KeyReader(std::vector<PolicyKey> known = {}) : all_(std::move(known)) {}

    // Each key once. Errors: those of read_public_key_file.
    Result<std::vector<PolicyKey>> read(const std::vector<std::string>& paths);
    // Also those that were known before.
    const std::vector<PolicyKey>& all() const noexcept { return all_; }

private:
    PolicyKey labelled(const PublicKey& key, const std::string& wanted);

    std::vector<PolicyKey> all_;
};

}  // namespace fardel
