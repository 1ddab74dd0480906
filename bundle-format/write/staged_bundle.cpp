#include <fardel/base/fits.h>
#include <fardel/format/bundle_writer.h>

#include <fardel/format/envelope.h>
#include <fardel/format/limits.h>
#include <fardel/format/staged_file.h>

#include <string>
#include <utility>

namespace fardel {

Statement statement_about(const BundleWriteSummary& summary) {
    Statement statement;
    statement.bundle = summary.bundle;
    statement.name = summary.name;
    statement.version = summary.version;
    statement.layouts = {summary.layout};
    statement.manifest_bytes = summary.manifest_bytes;
    statement.raw_bytes = summary.raw_bytes;
    statement.stored_bytes = summary.stored_bytes;
    return statement;
}

StagedBundle::StagedBundle(BundleWriteSummary summary, std::unique_ptr<StagedFile> file)
    : summary_(std::move(summary)), file_(std::move(file)) {}
StagedBundle::StagedBundle(StagedBundle&&) noexcept = default;
StagedBundle& StagedBundle::operator=(StagedBundle&&) noexcept = default;
StagedBundle::~StagedBundle() = default;

Status StagedBundle::append(const Envelope& envelope) {
    if (!file_)
        return Error(ErrorCode::io, "the bundle is committed already, or its file is broken");
    if (envelopes_ >= limits::kEnvelopesMax || !fits(signatures_, envelope.signatures.size(), limits::kSignaturesMax))
        return Error(ErrorCode::limit, "a bundle has at most " + std::to_string(limits::kEnvelopesMax) +
                                           " envelopes and " + std::to_string(limits::kSignaturesMax) + " signatures");
    FARDEL_TRY_ASSIGN(const std::vector<std::byte> bytes, encode_envelope(envelope));
    if (!fits(trailer_bytes_, bytes.size(), limits::kTrailerBytesMax))
        return Error(ErrorCode::limit,
                     "the signatures of a bundle have at most " + std::to_string(limits::kTrailerBytesMax) + " bytes");

    if (Status status = file_->write_at(summary_.file_bytes, bytes); !status) {
        if (!file_->resize(summary_.file_bytes))
            file_.reset();  // a partly written envelope must never become visible
        return status;
    }
    ++envelopes_;
    signatures_ += envelope.signatures.size();
    trailer_bytes_ += bytes.size();
    summary_.file_bytes += bytes.size();
    return ok();
}

Status StagedBundle::commit() {
    if (!file_)
        return Error(ErrorCode::io, "the bundle is committed already, or its file is broken");
    return std::exchange(file_, nullptr)->commit();
}

}  // namespace fardel
