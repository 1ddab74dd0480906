// Registry: takes bundles from their authors, judges and countersigns them, and makes them part of a channel; recalls
// them; and writes pages about them. docs/registry.md is its manual.
//
// Its folder is a static tree that any file server shows: bundles, a channel, pages and `registry.rules`. The bundle
// files, the channel's texts and `registry.names` are its memory. What authors send is hostile.
// The keys are used through Signers, which may be other programs. One change at a time, also between programs that use
// one folder; any thread. A kill at any step leaves the state before, or one from which the next open() goes on.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>
#include <fardel/hosting/registry_rules.h>
#include <fardel/verifier/finding.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kRegistryListFile = "registry.json";  // all names, below the folder

struct RegistrySigners {
    std::unique_ptr<Signer> registry;  // countersigns bundles
    std::unique_ptr<Signer> release;
    std::unique_ptr<Signer> head;
};

struct RegistryOptions {
    std::string folder;
    RegistrySigners signers;
    std::uint64_t head_life_s = 7u * 24 * 3600;
    Clock now;
    // Called with a sentence when the registry can no longer do something, once; any thread.
    std::function<void(const std::string&)> report = {};
};

// One thing that is wrong, or a remark. Safe to print.
struct RegistryRefusal {
    std::string reason;  // a stable word: of docs/registry.md, or a rule of the verifier
    std::string where;   // in the bundle; empty: the whole
    std::string text;
};

// acceptable: the answer to a question, about what was asked; everything else is known when the bundle is here.
enum class RegistryOutcome : std::uint8_t { accepted, was_there, recalled, refused, acceptable };

struct RegistryAnswer {
    RegistryOutcome outcome = RegistryOutcome::refused;
    BundleId bundle;
    std::string name;
    std::string version;
    std::uint64_t release_version = 0;  // of the channel, that has it; 0: none
    std::uint64_t root_version = 0;     // of the channel, whose rules decide
    std::vector<RegistryRefusal> refusals;
    std::vector<RegistryRefusal> remarks;
};

struct VerifyWork {
    std::function<void(const VerifyProgress&)> progress;
    std::stop_token stop;
};

// The answer as JSON, ASCII alone.
std::string format_registry_answer(const RegistryAnswer& answer);

struct UploadFacts;  // registry/upload_facts.h

class Registry {
public:
    // Reads the folder, finishes what a kill has left, renews the head and writes the pages. Errors: missing (no
    // registry, no channel in it), untrusted (a signer's key is not one that the channel's root names for its role),
    // those of the rules, the channel, the signers and the disk.
    static Result<std::unique_ptr<Registry>> open(RegistryOptions options);
    ~Registry();

    // The key that signed a request. Errors: those of verify_registry_request.
    Result<PublicKey> verify_upload(std::string_view header, const BundleId& bundle) const;
    Result<PublicKey> verify_question(std::string_view header, const BundleId& bundle) const;
    Result<PublicKey> verify_recall(std::string_view header, const BundleId& bundle, const std::string& reason) const;

    // Judges the file, and if nothing is wrong, makes it part of the channel before it returns. Errors, after which the
    // same may be tried again: busy (another program changes the registry), untrusted (the keys were replaced in a new
    // root), cancelled, unreachable and others of signers, those of the disk.
    Result<RegistryAnswer> accept(const std::shared_ptr<const ByteSource>& file, const PublicKey& author,
                                  const std::stop_token& stop);

    // What would become of such an upload, as far as that needs no content. Changes nothing and waits for nobody: a
    // state from before a change that is under way may answer it. Errors: those of judging and of the disk.
    Result<RegistryAnswer> answer_question(const UploadFacts& facts, const PublicKey& author);

    // Recalls a bundle: for its author, or, without one, for the operator. Errors: as accept().
    Result<RegistryAnswer> recall(const BundleId& bundle, const std::string& reason, const PublicKey* author);

    // What the operator should mend about the dates of the channel's texts, which a wrong clock has made; until then
    // nothing may be signed. Nothing if they are as they should be.
    std::optional<std::string> describe_dates() const;

    // Makes a new head if half of the life of the current one is over. Errors: as accept().
    Status renew_head();

    // In the text format of Prometheus.
    std::string format_metrics() const;

private:
    struct Impl;
    explicit Registry(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
