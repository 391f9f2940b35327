import type { ApiKey as ApiKeyBody } from '@notevault/protocol/api-keys.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { ApiKey } from './api-keys.ts';

/** Maps a key to the wire, without its secret. */
export function keyView(key: ApiKey): ApiKeyBody {
  return {
    id: key.id,
    name: key.name,
    created_at: isoTime(key.createdAt),
    last_used: isoTimeOrNull(key.lastUsed),
  };
}
