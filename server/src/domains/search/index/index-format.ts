import { SEGMENT_FORMAT } from '@notevault/search-index/index/segment-codec.ts';

/**
 * The format of stored segments; those of another format are not read. ICU's version is part of it, because its dictionaries
 * segment scripts without spaces.
 */
export const indexFormat = `${SEGMENT_FORMAT} icu ${process.versions.icu ?? 'none'}`;
