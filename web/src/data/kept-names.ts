// Caches of vaults kept on request. They are deleted when a session ends, however it ends.

/** The database of texts. */
export const KEPT_DATABASE = 'notevault-kept';
/** The cache of files, by the addresses that the worker answers. */
export const KEPT_FILES = 'notevault-files';
