#include "project_files.h"

#include "project_reader.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <set>
#include <utility>

namespace fardel {
namespace {

using TomlList = std::vector<TomlValue>;

void set_file(TomlTable& table, std::uint32_t file);

void set_file(TomlValue& value, std::uint32_t file) {
    value.at.file = file;
    if (auto* const list = std::get_if<TomlList>(&value.value))
        for (TomlValue& item : *list)
            set_file(item, file);
    else if (auto* const table = std::get_if<TomlTable>(&value.value))
        set_file(*table, file);
}

void set_file(TomlTable& table, std::uint32_t file) {
    for (TomlEntry& entry : table) {
        entry.at.file = file;
        set_file(entry.value, file);
    }
}

// ---- Joining --------------------------------------------------------------------------------------------------------

// Adds what is not there yet: two files may exclude the same files, or name the same root.
void join_lists(TomlList& list, TomlList more) {
    std::set<std::string> texts;
    for (const TomlValue& item : list)
        if (const auto* const text = std::get_if<std::string>(&item.value))
            texts.insert(*text);
    for (TomlValue& item : more)
        if (const auto* const text = std::get_if<std::string>(&item.value); !text || !texts.contains(*text))
            list.push_back(std::move(item));
}

// A table of tables with names, of which each is in one file.
bool has_named_tables(std::string_view key) { return key == "processor" || key == "target"; }

class FileJoiner {
public:
    explicit FileJoiner(std::vector<std::string>& files) : files_(files) {}

    Result<TomlTable> read(const std::string& path) {
        const auto canonical = canonical_path(path);
        const std::string& id = canonical ? *canonical : path;
        if (const auto open = std::ranges::find(open_, id, &OpenFile::id); open != open_.end())
            return Error(ErrorCode::conflict, describe_cycle(open, path));
        if (std::ranges::find(read_, id) != read_.end())
            return TomlTable();  // two files include it, and what it says counts once
        if (files_.size() == kProjectFilesMax || open_.size() == kIncludeDepthMax)
            return Error(ErrorCode::limit, "a project has at most " + std::to_string(kProjectFilesMax) +
                                               " files, which include each other at most " +
                                               std::to_string(kIncludeDepthMax) + " deep");
        const auto file = static_cast<std::uint32_t>(files_.size());
        files_.push_back(path);
        read_.push_back(id);
        FARDEL_TRY_ASSIGN(const std::string text, read_project_text(path));
        texts_ += std::to_string(text.size()) + ':' + text;
        FARDEL_TRY_ASSIGN(TomlTable own, parse_toml(text, path));
        set_file(own, file);
        open_.push_back({.id = id, .path = path});
        TomlTable joined;
        FARDEL_TRY(read_includes(own, file, joined));
        open_.pop_back();
        FARDEL_TRY(join(joined, std::move(own), {}));
        return joined;
    }

    std::string take_texts() { return std::move(texts_); }

private:
    struct OpenFile {
        std::string id;
        std::string path;
    };

    std::string position(TomlPosition at) const { return format_position(files_[at.file], at); }

    std::string describe_cycle(std::vector<OpenFile>::const_iterator first, const std::string& path) const {
        std::string files;
        for (auto at = first; at != open_.end(); ++at)
            files += printable(at->path) + " → ";
        return "these files include each other: " + files + printable(path) + "; remove one 'include'";
    }

    // Reads what `table`, of the file with this number, includes.
    Status read_includes(const TomlTable& table, std::uint32_t file, TomlTable& joined) {
        const TomlEntry* const include = find_entry(table, "include");
        if (include == nullptr)
            return ok();
        const std::string path = files_[file];
        Mistakes mistakes(files_);
        std::vector<std::string> included;
        KeyValue{*include, "include = [\"common.toml\"]", mistakes}.read(included);
        FARDEL_TRY(mistakes.status());
        const auto& items = std::get<TomlList>(include->value.value);
        for (std::size_t i = 0; i < included.size(); ++i) {
            Result<TomlTable> more = read(joined_path(folder_part(path), included[i]));
            if (!more)
                return std::move(more).error().with_context(position(items[i].at));
            FARDEL_TRY(join(joined, *std::move(more), {}));
        }
        return ok();
    }

    // What `table` says comes behind what is there: single values replace, lists and tables are joined.
    Status join(TomlTable& there, TomlTable table, std::string_view key) {
        for (TomlEntry& entry : table) {
            const auto same = std::ranges::find(there, entry.key, &TomlEntry::key);
            if (same == there.end()) {
                there.push_back(std::move(entry));
                continue;
            }
            if (has_named_tables(key))
                return Error(ErrorCode::conflict, position(entry.at) + ": there is a [" + std::string(key) + "." +
                                                      printable(entry.key, 80) + "] already, at " + position(same->at) +
                                                      "; give one another name");
            auto* const tables = std::get_if<TomlTable>(&same->value.value);
            auto* const more_tables = std::get_if<TomlTable>(&entry.value.value);
            auto* const list = std::get_if<TomlList>(&same->value.value);
            auto* const more_list = std::get_if<TomlList>(&entry.value.value);
            if (tables && more_tables)
                FARDEL_TRY(join(*tables, std::move(*more_tables), key.empty() ? std::string_view(entry.key) : "-"));
            else if (list && more_list)
                join_lists(*list, std::move(*more_list));
            else
                *same = std::move(entry);
        }
        return ok();
    }

    std::vector<std::string>& files_;
    std::vector<std::string> read_;  // canonical paths
    std::vector<OpenFile> open_;     // each includes the next one
    std::string texts_;
};

}  // namespace

Result<ProjectFiles> read_project_files(const std::string& path, std::vector<std::string>& files) {
    files.clear();
    FileJoiner joiner(files);
    FARDEL_TRY_ASSIGN(TomlTable table, joiner.read(path));
    return ProjectFiles{.table = std::move(table), .texts = joiner.take_texts()};
}

}  // namespace fardel
