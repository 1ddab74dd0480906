// A text that parses as a project has values that obey the rules in project.h.
#include "require.h"

#include <fardel/format/bundle_version.h>
#include <fardel/format/name.h>
#include <fardel/packer/project.h>

#include <cstdint>

using namespace fardel;

int fuzz_project(const std::uint8_t* data, std::size_t size) {
    const auto project = parse_project({reinterpret_cast<const char*>(data), size}, "fardel.toml");
    if (!project) {
        const std::string& message = project.error().message();
        require(message.starts_with("fardel.toml:") && printable(message, 100'000) == message);
        return 0;
    }
    require(static_cast<bool>(verify_name(project->name)) &&
            static_cast<bool>(BundleVersion::parse(project->version.text())));
    require(!project->sources.empty() && project->sources.size() <= kProjectItemsMax);
    for (const ProjectRule& rule : project->rules) {
        require(static_cast<bool>(verify_glob(rule.match)));
        require(rule.name.empty() || (rule.strip.empty() && static_cast<bool>(verify_name(rule.name))));
    }
    for (const PlannedConsume& consume : project->consumes)
        require(static_cast<bool>(consume.pattern ? verify_glob(consume.text) : verify_name(consume.text)));
    for (const ProjectDependency& dependency : project->dependencies)
        require(dependency.file.empty() == dependency.bundle.has_value());
    return 0;
}
