import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Hashing } from '@notevault/sync/engine/ports.ts';

/** SHA-256 piece by piece: what the web view has takes a file only as a whole. */
export const hashing: Hashing = {
  begin() {
    const hash = sha256.create();
    return { add: (bytes) => void hash.update(bytes), end: () => bytesToHex(hash.digest()) };
  },
};
