// Files of `fardel pure`: policy, messages and report, and the bundles of a client or server.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_judgement.h>
#include <fardel/vfs/pure_mounts.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

// Errors: those of the file, limit (longer than `bytes_max`), and of the form.
Result<std::vector<std::byte>> read_file(const std::string& path, std::size_t bytes_max);
Result<PureOffer> read_pure_offer(const std::string& path);
Result<PureAnswer> read_pure_answer(const std::string& path);
Result<PureReport> read_pure_report(const std::string& path);

using OpenBundles = std::vector<std::shared_ptr<const Bundle>>;

// The bundles of a server, in this order. Errors: those of open_bundle.
Result<OpenBundles> open_bundles(const std::vector<std::string>& files);

// The bundles of a client. Problems name files by their names alone, or by the ids of the bundles: a report goes to the
// server, which must not learn paths of the client's disk. Those of the policy are mounted where the policy says,
// others at the root.
struct PureClient {
    OpenBundles bundles;
    std::vector<PureMount> mounts;      // highest precedence first
    std::vector<PureProblem> problems;  // one per file that could not be opened
    std::vector<Error> unopened;        // the same for the player: with paths, which the server must not learn
};
// `trust_path`: the policy whose signatures count; empty: none count. A file that cannot be opened becomes a problem.
// Errors: those of the trust policy.
Result<PureClient> mount_for_pure(const std::vector<std::string>& files, const PurePolicy& policy,
                                  const std::string& trust_path);

// The paths of all files below a folder, relative to it and sorted. Errors: those of the folder, limit (more than a
// million).
Result<std::vector<std::string>> list_loose_paths(const std::string& folder);

}  // namespace fardel
