import { createHash } from 'node:crypto';
import type { Hashing } from '@notevault/sync/engine/ports.ts';

export const nodeHashing: Hashing = {
  begin() {
    const hash = createHash('sha256');
    return { add: (bytes) => void hash.update(bytes), end: () => hash.digest('hex') };
  },
};
