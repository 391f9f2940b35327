import type { DeviceTokensResponse } from '@notevault/protocol/devices.ts';

/** Where a transport's tokens come from. */
export interface TokenSource {
  /** The token to send; null for none. */
  token(): Promise<string | null>;
  /** Another token for one that was refused with 401. Throws `error`, or what is known better, where there is none. */
  refresh(refused: string | null, error: Error): Promise<string | null>;
}

/** A token that does not expire: an API key, a personal access token. */
export function fixedToken(token: string): TokenSource {
  return {
    token: async () => token,
    refresh: async (_refused, error) => {
      throw error;
    },
  };
}

/** No token, for what needs none. */
export const noToken: TokenSource = {
  token: async () => null,
  refresh: async (_refused, error) => {
    throw error;
  },
};

/** Tokens that a function makes; it is called again when one was refused. Calls at the same time share one. */
export function tokensFrom(next: () => Promise<string>): TokenSource {
  let current: Promise<string> | null = null;
  const fetched = () => {
    const token = next();
    token.catch(() => {
      if (current === token) current = null;
    });
    return token;
  };
  return {
    token: () => {
      current ??= fetched();
      return current;
    },
    async refresh(refused) {
      // One expired token fails all requests under way: the first of them fetches another for all.
      if (current === null || (await current) === refused) current = fetched();
      return current;
    },
  };
}

/** The tokens of a linked device. */
export type DeviceTokens = Pick<DeviceTokensResponse, 'access_token' | 'refresh_token'>;

/**
 * The tokens of a linked device, rotated when the access token expires. The new pair is saved before it is used: the old
 * one is worth nothing soon after.
 *
 * @param rotate sends the refresh token, as NotevaultClient.refreshDevice does.
 */
export function deviceTokens(
  stored: DeviceTokens,
  rotate: (refreshToken: string) => Promise<DeviceTokens>,
  save: (tokens: DeviceTokens) => Promise<void>,
): TokenSource {
  let pair = stored;
  const source = tokensFrom(async () => {
    pair = await rotate(pair.refresh_token);
    await save(pair);
    return pair.access_token;
  });
  let isFirst = true;
  return {
    token: async () => (isFirst ? stored.access_token : source.token()),
    async refresh(refused, error) {
      if (!isFirst) return source.refresh(refused, error);
      isFirst = false;
      return source.token();
    },
  };
}
