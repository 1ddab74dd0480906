// Reads the tables of a project file that have files of their own. These are functions of keys (project_reader.h).
#pragma once

#include "project_reader.h"

namespace fardel {

// [metadata] of the bundle.
void read_bundle_metadata(const KeyValue& value, std::vector<PlannedMetadata>& metadata);

// [own_cache]: what a build leaves of the project's own folder of derived data.
void read_own_cache(const KeyValue& value, Project& project);
// [[cache]]: caches of derived data besides the project's own.
void read_caches(const KeyValue& value, Project& project);

// Making files from other files: [processor.NAME], [[job]], `process` in [[rule]].
void read_processors(const KeyValue& value, Project& project);
void read_jobs(const KeyValue& value, Project& project);
void read_rule_processors(const KeyValue& value, ProjectRule& rule);
// Also used for scanners that are programs.
void read_processor_command(const KeyValue& value, Processor& processor);
void read_processor_timeout(const KeyValue& value, Processor& processor);
// Reports names of processors in `table`, which is the whole file, for which there is no [processor.NAME].
void check_processor_names(const TomlTable& table, const Project& project, Mistakes& mistakes);

// Reports axes of [split] that no rule or processor has.
void check_split_axes(const TomlTable& table, const Project& project, Mistakes& mistakes);

// [budget], also of a target.
void read_budgets(const KeyValue& value, std::vector<ProjectBudget>& budgets);

// [target.NAME].
void read_targets(const KeyValue& value, Project& project);
// `targets` of what counts for some of them.
void read_target_names(const KeyValue& value, std::vector<std::string>& names);
template <class Item>
void read_item_targets(const KeyValue& value, Item& item) {
    read_target_names(value, item.targets);
}
// Reports names of targets in `table`, which is the whole file, for which there is no [target.NAME]; axes of targets
// that no rule or processor has; and targets that would be written to one file.
void check_targets(const TomlTable& table, Project& project, Mistakes& mistakes);

// [link], [split], [[scanner]].
void read_link_table(const KeyValue& value, Project& project);
void read_split(const KeyValue& value, Project& project);
void read_scanners(const KeyValue& value, Project& project);

}  // namespace fardel
