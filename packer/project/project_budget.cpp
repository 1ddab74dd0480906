#include "project_tables.h"

#include <fardel/base/size_text.h>
#include <fardel/format/name.h>

namespace fardel {
namespace {

std::optional<std::uint64_t> find_budget_bytes(const TomlValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value.value))
        return find_size(*text);
    const auto* const number = std::get_if<std::int64_t>(&value.value);
    return number != nullptr && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

void read_budget(const KeyValue& value, ProjectBudget::Of of, std::string glob, std::vector<ProjectBudget>& budgets) {
    if (const auto bytes = find_budget_bytes(value.entry.value))
        budgets.push_back(
            {.of = of, .glob = std::move(glob), .bytes_max = *bytes, .at = value.mistakes.position(value.entry.at)});
    else
        value.mistake(in_short_quotes(value.entry.key) + " is no number of bytes; write " + std::string(value.example));
}

template <ProjectBudget::Of of>
void read_one(const KeyValue& value, std::vector<ProjectBudget>& budgets) {
    read_budget(value, of, "", budgets);
}

template <ProjectBudget::Of of>
void read_globs(const KeyValue& value, std::vector<ProjectBudget>& budgets) {
    const auto* const table = value.expect<TomlTable>();
    if (!table)
        return;
    if (table->size() > kProjectItemsMax)
        return value.mistakes.add(value.entry.at,
                                  in_short_quotes(value.entry.key) + " has " + std::to_string(table->size()) +
                                      " keys; at most " + std::to_string(kProjectItemsMax),
                                  ErrorCode::limit);
    for (const TomlEntry& entry : *table) {
        if (const Status good = verify_glob(entry.key); !good)
            value.mistakes.add(entry.at, in_short_quotes(entry.key), good.error());
        const std::string example = "\"" + printable(entry.key, 80) + "\" = \"500M\"";
        read_budget({entry, example, value.mistakes}, of, entry.key, budgets);
    }
}

using Budgets = std::vector<ProjectBudget>;

constexpr Key<Budgets> kBudgetKeys[] = {
    {"total", read_one<ProjectBudget::Of::total>, "total = \"2G\""},
    {"bundle", read_one<ProjectBudget::Of::bundle>, "bundle = \"500M\""},
    {"names", read_globs<ProjectBudget::Of::names>, "[budget.names] above \"textures/**\" = \"500M\""},
    {"types", read_globs<ProjectBudget::Of::types>, "[budget.types] above \"image/*\" = \"500M\""},
};

}  // namespace

void read_budgets(const KeyValue& value, std::vector<ProjectBudget>& budgets) {
    if (const auto* const table = KeyValue{value.entry, "[budget] above its keys", value.mistakes}.expect<TomlTable>())
        read_table<Budgets>(*table, "in [budget]", kBudgetKeys, budgets, value.mistakes);
}

}  // namespace fardel
