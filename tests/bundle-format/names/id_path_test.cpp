#include "kit/test.h"

#include <fardel/format/id_path.h>

namespace fardel::tests::id_path_test {

const std::string kId(64, 'a');

TEST_CASE("id path: two folders, what has 64 lower-case digits in them, and what is below that") {  // A15
    for (const auto folder : {IdPath::Folder::assets, IdPath::Folder::bundles}) {
        const std::string word = folder == IdPath::Folder::assets ? "assets" : "bundles";
        const auto alone = find_id_path(word);
        REQUIRE(alone);
        CHECK(alone->folder == folder);
        CHECK_FALSE(alone->id);

        const std::string path = word + "/" + kId;
        const auto with_id = find_id_path(path);
        REQUIRE(with_id);
        CHECK(with_id->folder == folder);
        CHECK(with_id->id->hex() == kId);
        CHECK(with_id->below.empty());

        const std::string longer = path + "/maps/a";
        const auto below = find_id_path(longer);
        REQUIRE(below);
        CHECK(below->id->hex() == kId);
        CHECK(below->below == "maps/a");
    }
}

TEST_CASE("id path: every other path belongs to names, also below the two words") {  // A18
    for (const std::string& path : {std::string(),
                                    std::string("assetsx"),
                                    std::string("asset"),
                                    std::string("assets/"),
                                    std::string("assets/minecraft/textures/stone.png"),
                                    std::string("bundles/b.txt"),
                                    std::string("Assets"),
                                    "Assets/" + kId,
                                    "BUNDLES/" + kId,
                                    "assets/" + kId.substr(1),
                                    "assets/" + kId + "a",
                                    "assets/" + kId.substr(1) + "g",
                                    "assets/" + std::string(64, 'A'),
                                    "assets/0x" + kId,
                                    "assets/" + kId + ".png",
                                    "assets/x/" + kId,
                                    "x/assets/" + kId,
                                    "/assets/" + kId,
                                    "assets/" + kId + "/",
                                    "bundles/" + kId + "/a/"}) {
        CAPTURE(path);
        CHECK_FALSE(find_id_path(path));
        CHECK(verify_no_id_path(path));
    }
}

TEST_CASE("id path: it cannot be a published name, and the reason says which") {
    CHECK(verify_no_id_path("assets").error().text().find("\"assets\" or \"bundles\"") != std::string::npos);
    CHECK(verify_no_id_path("assets/" + kId).error().text().find("\"assets/\" and 64") != std::string::npos);
    CHECK(verify_no_id_path("bundles/" + kId + "/x").error().text().find("\"bundles/\" and 64") != std::string::npos);
}

}  // namespace fardel::tests::id_path_test
