import { MB } from '@notevault/protocol/values/byte-units.ts';

/** Maximum bytes of texts that are read for one answer. */
const TEXT_BYTES_MAX = 8 * MB;

/** The first of the notes, whose texts together are within the limit: links of further ones have no context. */
export function withinLimit<Source extends { readonly sizeBytes: number }>(sources: readonly Source[]): Source[] {
  let bytes = 0;
  return sources.filter(({ sizeBytes }) => {
    bytes += sizeBytes;
    return bytes <= TEXT_BYTES_MAX;
  });
}
