// The scanners of single formats: which names a file of that format contains.
//
// docs/reference-scanners.md documents what each one reads. Pure; hostile text and bytes. `asset`: the first byte of
// the asset if the locations of spellings are requested; otherwise nullptr.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

// Quake III arena scripts: the levels that a menu offers, and their pictures. Errors: malformed, limit.
Result<ScanFindings> scan_arena(std::string_view text, const char* asset);
// The lists of bots (scripts/bots.txt, *.bot), which name models and characters. Errors: malformed, limit.
Result<ScanFindings> scan_bots(std::string_view text, const char* asset);
// The characters, weights and chats in botfiles/. Error: limit.
Result<ScanFindings> scan_bot_file(std::string_view text, const char* asset);
// Compiled maps (IBSP 46 and 47): shaders of faces, fogs, and what entities name. Errors: malformed, limit,
// unsupported (another version).
Result<ScanFindings> scan_bsp(std::span<const std::byte> bytes);
// glTF 2.0, as JSON or in its binary container: the URIs of buffers and images that lie outside the file. No tree is
// built of the JSON. Errors: malformed, limit, unsupported (another version of the container).
Result<ScanFindings> scan_gltf(std::string_view json, const char* asset);
Result<ScanFindings> scan_glb(std::span<const std::byte> bytes);
// Sources of maps (.map): the shader of each face and patch, and what entities name. Errors: malformed, limit.
Result<ScanFindings> scan_map_source(std::string_view text, const char* asset);
// MD3 models: the shaders of each surface. Errors: malformed, limit, unsupported (another version).
Result<ScanFindings> scan_md3(std::span<const std::byte> bytes);
// Team Arena's menu scripts: pictures, models, sounds, films and further scripts. Errors: malformed, limit.
Result<ScanFindings> scan_menu(std::string_view text, const char* asset);
// A text that menus include: its braces need not match. Errors: malformed, limit.
Result<ScanFindings> scan_menu_part(std::string_view text, const char* asset);
// "MP_BACKGROUND1": the form of a word that a menu does not define and that an included file defines. No file of a game
// is named so.
bool is_menu_macro(std::string_view word);
// Wavefront OBJ and its material libraries (MTL): libraries, textures, further objects. Error: limit.
Result<ScanFindings> scan_obj(std::string_view text, const char* asset);
Result<ScanFindings> scan_mtl(std::string_view text, const char* asset);
// Quake III shader scripts: what each shader's stages, sky and tools name, and which shaders the file defines.
// `image_words`: further keywords before images (GameProfile). Errors: malformed, limit.
Result<ScanFindings> scan_quake3_shader(std::string_view text, const char* asset,
                                        std::span<const std::string> image_words);
// Quake III skins: the shader of each surface of a model. Errors: malformed, limit.
Result<ScanFindings> scan_skin(std::string_view text, const char* asset);

}  // namespace fardel
