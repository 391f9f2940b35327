import type { UserId } from '@notevault/protocol/ids.ts';

/** Who calls, by which credential. */
export interface Principal {
  readonly kind: 'session' | 'key' | 'oauth' | 'device';
  readonly userId: UserId;
  /** The credential's own id (a session, a key, a grant). */
  readonly credentialId: string;
  /** What people call the credential; kept beside the versions it makes. */
  readonly name: string;
}
