import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { StandaloneMethod, StandaloneMethods } from '../accounts/accounts.ts';
import type { Oidc } from './oidc/oidc.ts';
import * as passkeys from './passkeys/passkeys.store.ts';
import { relyingPartyOf } from './passkeys/relying-party.ts';

/** A way to sign in by itself. */
interface Method {
  /** Returns whether an account can use it. */
  isOf(handle: ReadHandle, userId: UserId): Promise<boolean>;
  /** Returns whether the server offers it to requests with a `Host` header. */
  isOffered(host: string | null): boolean;
}

export function standaloneMethods(oidc: Oidc, publicUrl: string): StandaloneMethods {
  const party = relyingPartyOf(publicUrl);
  /** In the order in which people are asked for one. */
  const methods: Readonly<Record<StandaloneMethod, Method>> = {
    passkey: {
      isOf: async (handle, userId) =>
        party !== null && (await handle.get(passkeys.findUsable, { userId, host: party.host })) !== undefined,
      isOffered: (host) => party !== null && host?.toLowerCase() === new URL(publicUrl).host,
    },
    // At another host, it is begun at the public one.
    oidc: { isOf: oidc.isOf, isOffered: () => oidc.name !== null },
  };
  const entries = Object.entries(methods) as [StandaloneMethod, Method][];
  return {
    async of(handle, userId) {
      const found: StandaloneMethod[] = [];
      for (const [name, method] of entries) if (await method.isOf(handle, userId)) found.push(name);
      return found;
    },
    providerName: oidc.name,
    offered: (host) => entries.filter(([, method]) => method.isOffered(host)).map(([name]) => name),
  };
}
