/* A stranger's program in C: writes a bundle through the library for tools, verifies it, and prints the version. */
#include <fardel/tools/fardel_tools.h>
#include <fardel/vfs/fardel.h>

#include <stdio.h>

int main(int count, char** arguments) {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_plan* plan = NULL;
    fardel_planned_asset asset = FARDEL_PLANNED_ASSET_INIT;
    fardel_verified_bundle verified = FARDEL_VERIFIED_BUNDLE_INIT;
    if (count != 2)
        return 2;
    asset.bytes = "hello";
    asset.size_bytes = 5;
    if (fardel_plan_create(&plan, &error) != FARDEL_OK ||
        fardel_plan_add_asset(plan, &asset, NULL, &error) != FARDEL_OK ||
        fardel_plan_add_name(plan, "hello.txt", 0, NULL, 0, &error) != FARDEL_OK ||
        fardel_plan_write(plan, arguments[1], NULL, &error) != FARDEL_OK ||
        fardel_verify_file(arguments[1], NULL, &verified, &error) != FARDEL_OK || verified.errors != 0) {
        fprintf(stderr, "%s: %s\n", fardel_code_name(error.code), error.text);
        return 1;
    }
    fardel_plan_destroy(plan);
    puts(fardel_version_text());
    return 0;
}
