import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Hashing } from '@notevault/sync/engine/ports.ts';

/**
 * SHA-256. What comes in one piece is hashed by the web view, beside the page; the rest piece by piece, which that cannot,
 * and so is all where a page that is not secure has no such thing.
 */
export const hashing: Hashing = {
  begin() {
    const hash = sha256.create();
    let sole: Uint8Array<ArrayBuffer> | null = null;
    let isFirst = true;
    return {
      add(bytes) {
        if (isFirst && bytes.buffer instanceof ArrayBuffer) sole = bytes as Uint8Array<ArrayBuffer>;
        else {
          if (sole !== null) hash.update(sole);
          sole = null;
          hash.update(bytes);
        }
        isFirst = false;
      },
      async end() {
        const { subtle } = crypto as { readonly subtle?: SubtleCrypto };
        if (sole !== null && subtle !== undefined)
          return bytesToHex(new Uint8Array(await subtle.digest('SHA-256', sole)));
        if (sole !== null) hash.update(sole);
        return bytesToHex(hash.digest());
      },
    };
  },
};
