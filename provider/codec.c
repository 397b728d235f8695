/* What decoders and encoders share (codec.h). */
#include "codec.h"

bm_codec_keymgmt
bm_codec_find_keymgmt(const OSSL_DISPATCH *table)
{
    bm_codec_keymgmt found = {NULL, NULL, NULL, NULL};

    for (; table->function_id != 0; table++) {
        switch (table->function_id) {
        case OSSL_FUNC_KEYMGMT_NEW:
            found.new_key = OSSL_FUNC_keymgmt_new(table);
            break;
        case OSSL_FUNC_KEYMGMT_FREE:
            found.free_key = OSSL_FUNC_keymgmt_free(table);
            break;
        case OSSL_FUNC_KEYMGMT_IMPORT:
            found.import_key = OSSL_FUNC_keymgmt_import(table);
            break;
        case OSSL_FUNC_KEYMGMT_EXPORT:
            found.export_key = OSSL_FUNC_keymgmt_export(table);
            break;
        }
    }
    return found;
}

bool
bm_codec_serves(int held, int selection)
{
    static const int levels[] = {
        OSSL_KEYMGMT_SELECT_PRIVATE_KEY,
        OSSL_KEYMGMT_SELECT_PUBLIC_KEY,
        OSSL_KEYMGMT_SELECT_ALL_PARAMETERS,
    };

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if ((selection & levels[i]) != 0)
            return (held & levels[i]) != 0;
    return selection == 0;
}
