// What a server answers for a registry: recalls by authors, and what became of uploads. Any thread.
#pragma once

#include "serve/request_slots.h"
#include "serve/server_answer.h"

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/registry.h>

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace fardel {

// JSON: 201 or 200, and 422 for a refusal.
ServerAnswer registry_answer(const RegistryAnswer& answer);
// For an upload that is still being judged: 202, and where its author asks for the decision.
ServerAnswer judging_answer(const BundleId& bundle);
// For a request without a good signature: 401.
ServerAnswer refuse_registry_request(const Error& error);
// For what may be tried again, since the registry could not decide: 503, 507 or 500.
ServerAnswer refuse_registry_error(const Error& error);

// Parses "/registry/recalls/<64 digits>".
std::optional<BundleId> find_recall_target(std::string_view target);
// POST with the reason as its body. `registry` and `slots` outlive the receiver.
std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin_recall(Registry& registry, RequestSlots& slots,
                                                                       const BundleId& bundle,
                                                                       const ReceivedRequest& request);

}  // namespace fardel
