// Apart from the schemas, so that a browser need not load those for a limit.

/** Maximum size of an imported archive, in bytes. */
export const IMPORT_BYTES_MAX = 2 * 1024 ** 3;
/** Maximum number of entries in an archive. */
export const IMPORT_ENTRIES_MAX = 200_000;
