#include <fardel/base/path_text.h>

#include "kit/test.h"

namespace fardel::tests::path_text_test {

using enum PathRules;

TEST_CASE("path text: a path is absolute if it begins with a root, a drive or a share") {
    for (const char* const path : {"/", "/a", "//a"})
        CHECK(is_absolute_path(path, posix));
    for (const char* const path : {"", "a", "a/b", "./a", "C:/a", "\\a"})
        CHECK_FALSE(is_absolute_path(path, posix));
    for (const char* const path : {"/", "\\a", "C:\\a", "c:/a", "C:a", "\\\\server\\share\\a", "\\\\?\\C:\\a", "//a"})
        CHECK(is_absolute_path(path, windows));
    for (const char* const path : {"", "a", "a\\b", ".\\a", "1:/a", "ab:/c", ":"})
        CHECK_FALSE(is_absolute_path(path, windows));
}

TEST_CASE("path text: the folder and the name of a file are what stands around the last separator") {
    CHECK(folder_of_path("a/b/c", posix) == "a/b");
    CHECK(folder_of_path("/a", posix) == "/");
    CHECK(folder_of_path("/", posix) == "/");
    CHECK(folder_of_path("a", posix) == ".");
    CHECK(folder_of_path("a/", posix) == "a");
    CHECK(folder_of_path("a//b", posix) == "a");
    CHECK(folder_of_path("a\\b", posix) == ".");
    CHECK(folder_part("a", posix).empty());
    CHECK(folder_part("a/b", posix) == "a");
    CHECK(folder_of_path("a\\b/c", windows) == "a\\b");
    CHECK(folder_of_path("a/b\\c", windows) == "a/b");
    CHECK(folder_of_path("C:\\a", windows) == "C:\\");
    CHECK(folder_of_path("C:/", windows) == "C:/");
    CHECK(folder_of_path("C:a", windows) == "C:");
    CHECK(folder_of_path("//server/share/a", windows) == "//server/share/");
    CHECK(folder_of_path("//server/share", windows) == "//server/share");

    CHECK(file_name_of_path("a/b.c", posix) == "b.c");
    CHECK(file_name_of_path("b", posix) == "b");
    CHECK(file_name_of_path("a/", posix).empty());
    CHECK(file_name_of_path("a\\b", posix) == "a\\b");
    CHECK(file_name_of_path("a\\b", windows) == "b");
    CHECK(file_name_of_path("C:b", windows) == "b");
    CHECK(file_name_of_path("//server/share", windows).empty());
}

TEST_CASE("path text: the stem is the name without its last extension") {
    CHECK(stem_of_path("a.b/c.d.e", posix) == "c.d");
    CHECK(stem_of_path("a.b/c", posix) == "c");
    CHECK(stem_of_path(".c", posix) == ".c");
    CHECK(stem_of_path("..", posix) == "..");
    CHECK(stem_of_path("a/", posix).empty());
}

TEST_CASE("path text: paths are joined with one separator, and an absolute one stays") {
    CHECK(joined_path("a", "b", posix) == "a/b");
    CHECK(joined_path("a/", "b", posix) == "a/b");
    CHECK(joined_path("", "b", posix) == "b");
    CHECK(joined_path("a", "/b", posix) == "/b");
    CHECK(joined_path("/", "b", posix) == "/b");
    CHECK(joined_path("a\\", "b", windows) == "a\\b");
    CHECK(joined_path("C:/a", "D:/b", windows) == "D:/b");
    CHECK(joined_path("C:/a", "b\\c", windows) == "C:/a/b\\c");
}

TEST_CASE("path text: separators at the end go, but not those of the root") {
    CHECK(without_end_slashes("a//", posix) == "a");
    CHECK(without_end_slashes("a", posix) == "a");
    CHECK(without_end_slashes("//", posix) == "/");
    CHECK(without_end_slashes("", posix).empty());
    CHECK(without_end_slashes("C:\\", windows) == "C:\\");
    CHECK(without_end_slashes("C:\\a\\/", windows) == "C:\\a");
}

TEST_CASE("path text: a person's backslashes become slashes on Windows alone") {
    CHECK(with_slashes("a\\b", posix) == "a\\b");
    CHECK(with_slashes("C:\\a/b\\", windows) == "C:/a/b/");
}

TEST_CASE("path text: the normal form has no steps that lead nowhere") {
    CHECK(normal_path("", posix) == ".");
    CHECK(normal_path("./a//b/./c/", posix) == "a/b/c");
    CHECK(normal_path("a/../b", posix) == "b");
    CHECK(normal_path("a/..", posix) == ".");
    CHECK(normal_path("../../a", posix) == "../../a");
    CHECK(normal_path("a/../../b", posix) == "../b");
    CHECK(normal_path("/../a", posix) == "/a");
    CHECK(normal_path("/", posix) == "/");
    CHECK(normal_path("a\\..\\b", posix) == "a\\..\\b");
    CHECK(normal_path("a\\..\\b", windows) == "b");
    CHECK(normal_path("C:\\a\\.\\b\\", windows) == "C:/a/b");
    CHECK(normal_path("C:\\..", windows) == "C:/");
    CHECK(normal_path("\\\\server\\share\\..\\a", windows) == "//server/share/a");
}

TEST_CASE("path text: a path is below a folder if all parts of the folder begin it") {
    CHECK(is_at_or_below_path("/a", "/a"));
    CHECK(is_at_or_below_path("/a", "/a/b"));
    CHECK(is_at_or_below_path("/", "/a"));
    CHECK_FALSE(is_at_or_below_path("/a", "/ab"));
    CHECK_FALSE(is_at_or_below_path("/a/b", "/a"));
}

TEST_CASE("path text: a relative path leads from the folder to the file") {
    CHECK(relative_path("a/b", "a", posix) == "b");
    CHECK(relative_path("a", "a/b", posix) == "..");
    CHECK(relative_path("a/b/c", "a/d", posix) == "../b/c");
    CHECK(relative_path("a", "a", posix) == ".");
    CHECK(relative_path("a", ".", posix) == "a");
    CHECK(relative_path("../a", ".", posix) == "../a");
    CHECK(relative_path("a", "../b", posix) == "a");
    CHECK(relative_path("/a/b", "/a/c", posix) == "../b");
    CHECK(relative_path("/a", "b", posix) == "/a");
    CHECK(relative_path("C:\\a\\b", "C:/a", windows) == "b");
    CHECK(relative_path("D:\\a", "C:/a", windows) == "D:/a");
}

}  // namespace fardel::tests::path_text_test
