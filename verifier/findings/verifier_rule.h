// VerifierRule: each kind of finding, with its severity and error code. Every line here has one in docs/verifier.md.
#pragma once

#include <fardel/verifier/finding.h>

#include <cstddef>
#include <cstdint>

namespace fardel {

// X(name, severity, code). The id of a rule is its name with '-' in place of '_'.
#define FARDEL_VERIFIER_RULES(X)                       \
    /* heads and sections */                           \
    X(not_a_bundle, error, malformed)                  \
    X(file_cut_off, error, corrupt)                    \
    X(file_unreadable, error, io)                      \
    X(head_refused, error, malformed)                  \
    X(layout_head_refused, error, malformed)           \
    X(layout_of_another_bundle, error, corrupt)        \
    X(minor_version_newer, note, unsupported)          \
    X(optional_flags_unknown, note, unsupported)       \
    X(section_misplaced, error, malformed)             \
    X(section_overlap, error, malformed)               \
    X(section_gap, error, malformed)                   \
    X(gap_not_zero, error, malformed)                  \
    /* trailer and trust */                            \
    X(trailer_refused, error, malformed)               \
    X(unsigned_bundle, note, untrusted)                \
    X(signature_wrong, error, untrusted)               \
    X(envelope_unknown, note, unsupported)             \
    X(statement_refused, error, malformed)             \
    X(statement_of_another_bundle, error, untrusted)   \
    X(statement_untrue, error, malformed)              \
    X(layout_not_signed, error, untrusted)             \
    X(layout_local, note, untrusted)                   \
    X(trust_refused, error, untrusted)                 \
    X(trust_tainted, warning, untrusted)               \
    X(trust_finding, warning, untrusted)               \
    X(name_not_allowed, error, denied)                 \
    X(content_not_allowed, error, denied)              \
    X(license_required, note, untrusted)               \
    X(license_missing, error, missing)                 \
    X(license_ended, error, expired)                   \
    X(license_refused, error, untrusted)               \
    X(license_of_another_bundle, note, missing)        \
    /* tables and their pages */                       \
    X(tables_too_large, error, limit)                  \
    X(page_damaged, error, corrupt)                    \
    X(tree_page_damaged, error, corrupt)               \
    X(page_unreadable, error, io)                      \
    X(record_malformed, error, malformed)              \
    /* strings */                                      \
    X(string_cut_off, error, malformed)                \
    X(string_not_utf8, error, malformed)               \
    X(strings_not_sorted, error, malformed)            \
    X(string_unused, error, malformed)                 \
    X(string_reference, error, malformed)              \
    /* assets */                                       \
    X(assets_not_sorted, error, malformed)             \
    X(asset_id_of_nothing, error, corrupt)             \
    X(content_type_malformed, warning, malformed)      \
    X(piece_run, error, malformed)                     \
    X(bucket_wrong, error, malformed)                  \
    X(bucket_crowded, error, limit)                    \
    /* names and variants */                           \
    X(name_malformed, error, malformed)                \
    X(names_not_sorted, error, malformed)              \
    X(names_fold_equal, error, malformed)              \
    X(name_is_folder, error, malformed)                \
    X(name_is_alias, error, malformed)                 \
    X(name_hash_crowded, error, limit)                 \
    X(name_misplaced, error, conflict)                 \
    X(name_target, error, malformed)                   \
    X(variant_run, error, malformed)                   \
    X(variant_of_another_name, error, malformed)       \
    X(variant_target, error, malformed)                \
    X(variants_alike, warning, conflict)               \
    X(variant_needless, error, malformed)              \
    X(tag_run, error, malformed)                       \
    X(tags_not_sorted, error, malformed)               \
    X(tag_malformed, warning, malformed)               \
    /* references, consumes, dependencies, metadata */ \
    X(reference_run, error, malformed)                 \
    X(references_not_sorted, error, malformed)         \
    X(reference_target, error, malformed)              \
    X(reference_name_malformed, error, malformed)      \
    X(foreign_assets_not_sorted, error, malformed)     \
    X(foreign_asset_dependency, error, malformed)      \
    X(foreign_asset_own, warning, conflict)            \
    X(foreign_asset_unused, warning, malformed)        \
    X(consume_malformed, error, malformed)             \
    X(consumes_not_sorted, error, malformed)           \
    X(consume_own, error, malformed)                   \
    X(dependency_twice, error, malformed)              \
    X(metadata_not_sorted, error, malformed)           \
    X(metadata_subject, error, malformed)              \
    X(metadata_run, error, malformed)                  \
    X(metadata_crowded, error, limit)                  \
    X(metadata_kind, error, malformed)                 \
    X(content_expired, warning, expired)               \
    X(requirement_malformed, error, malformed)         \
    /* layout */                                       \
    X(placement_count, error, malformed)               \
    X(placement_outside, error, malformed)             \
    X(placement_overlap, error, malformed)             \
    X(placement_of_nothing, error, malformed)          \
    X(block_not_filled, error, malformed)              \
    X(block_size, error, malformed)                    \
    X(block_misplaced, error, malformed)               \
    X(blocks_end, error, malformed)                    \
    X(codec_not_listed, error, malformed)              \
    X(codec_not_used, error, malformed)                \
    /* content */                                      \
    X(block_unreadable, error, io)                     \
    X(block_damaged, error, corrupt)                   \
    X(block_undecodable, error, malformed)             \
    X(piece_wrong, error, corrupt)                     \
    X(asset_wrong, error, corrupt)                     \
    /* sets */                                         \
    X(set_bundle_unusable, error, unresolved)          \
    X(set_bundle_twice, warning, conflict)             \
    X(dependency_missing, error, missing)              \
    X(dependency_absent, note, unresolved)             \
    X(requirement_unmet, error, unresolved)            \
    X(foreign_asset_missing, error, missing)           \
    X(consume_unresolved, error, unresolved)           \
    X(consume_optional_unresolved, note, unresolved)   \
    X(name_of_another_rule, warning, denied)           \
    X(set_name_twice, warning, conflict)               \
    X(set_names_fold_equal, warning, conflict)         \
    X(set_name_is_folder, warning, conflict)           \
    /* provenance */                                   \
    X(provenance_refused, error, malformed)            \
    X(provenance_unsigned, note, untrusted)            \
    X(provenance_signature_wrong, error, untrusted)    \
    X(provenance_untrusted, error, untrusted)          \
    X(provenance_of_another_bundle, error, conflict)   \
    X(provenance_of_another_file, warning, conflict)   \
    X(provenance_input_differs, error, conflict)       \
    X(provenance_job_differs, error, conflict)         \
    X(provenance_bundle_differs, error, conflict)      \
    /* stores, channels, pure policies */              \
    X(store_damaged, error, corrupt)                   \
    X(store_incomplete, note, missing)                 \
    X(channel_wrong, error, untrusted)                 \
    X(channel_bundle_wrong, error, missing)            \
    X(channel_remark, warning, expired)                \
    X(pure_refused, error, denied)

enum class VerifierRule : std::uint8_t {
#define FARDEL_RULE(name, severity, code) name,
    FARDEL_VERIFIER_RULES(FARDEL_RULE)
#undef FARDEL_RULE
};

inline constexpr std::size_t kVerifierRules = 0
#define FARDEL_RULE(name, severity, code) +1
    FARDEL_VERIFIER_RULES(FARDEL_RULE)
#undef FARDEL_RULE
    ;

const VerifierRuleFacts& facts_of(VerifierRule rule) noexcept;

}  // namespace fardel
