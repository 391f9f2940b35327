// Apart from the schemas, so that a browser need not load those for a limit.

/** Most bytes of an archive that is imported. */
export const IMPORT_BYTES_MAX = 2 * 1024 ** 3;
/** Most entries of one. */
export const IMPORT_ENTRIES_MAX = 200_000;
