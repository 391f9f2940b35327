import { SEGMENT_FORMAT } from '@notevault/search-index/index/segment-codec.ts';

/** Stored segments of another format are not read. ICU's dictionaries segment words, so its version is part of it. */
export const indexFormat = `${SEGMENT_FORMAT} icu ${process.versions.icu ?? 'none'}`;

export function vectorsPlace(note: string, version: number) {
  return { kind: 'search_vectors.data', row: note, version };
}
