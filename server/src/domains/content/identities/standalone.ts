import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { StandaloneMethod, StandaloneMethods } from '../accounts/accounts.ts';
import * as oidc from './oidc/oidc.store.ts';

/** A way to sign in by itself. */
interface Method {
  /** Returns whether an account can use it. */
  isOf(handle: ReadHandle, userId: UserId): Promise<boolean>;
  /** Returns whether the server offers it to requests with a `Host` header. */
  isOffered(host: string | null): boolean;
}

/** Every standalone method, in the order in which people are asked for one. */
const METHODS: Readonly<Record<StandaloneMethod, Method>> = {
  passkey: { isOf: async () => false, isOffered: () => false },
  oidc: {
    isOf: async (handle, userId) => (await handle.get(oidc.findIdentityOf, { userId })) !== undefined,
    isOffered: () => false,
  },
};

const entries = Object.entries(METHODS) as [StandaloneMethod, Method][];

export const standalone: StandaloneMethods = {
  async of(handle, userId) {
    const found: StandaloneMethod[] = [];
    for (const [name, method] of entries) if (await method.isOf(handle, userId)) found.push(name);
    return found;
  },
  offered: (host) => entries.filter(([, method]) => method.isOffered(host)).map(([name]) => name),
};
