import type { DeviceTokensResponse } from '@notevault/protocol/devices.ts';

/** Provides a transport with tokens. */
export interface TokenSource {
  /** Returns the token to send; null for none. */
  token(): Promise<string | null>;
  /** Returns another token for one that was refused with 401. Without one, throws `error` or a more specific error. */
  refresh(refused: string | null, error: Error): Promise<string | null>;
}

/** Returns a source of one token that does not expire: an API key or a personal access token. */
export function fixedToken(token: string): TokenSource {
  return {
    token: async () => token,
    refresh: async (_refused, error) => {
      throw error;
    },
  };
}

/** A source without a token, for requests that need none. */
export const noToken: TokenSource = {
  token: async () => null,
  refresh: async (_refused, error) => {
    throw error;
  },
};

/**
 * Returns a source of tokens that a function makes; it is called again when a token was refused. Concurrent calls share
 * one.
 */
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
      // One expired token fails all requests under way; the first of them fetches a new one for all.
      if (current === null || (await current) === refused) current = fetched();
      return current;
    },
  };
}

/** The tokens of a linked device. */
export type DeviceTokens = Pick<DeviceTokensResponse, 'access_token' | 'refresh_token'>;

/**
 * Returns the tokens of a linked device, rotated when the access token expires. The new pair is saved before it is
 * used, because the old one soon becomes invalid.
 *
 * @param rotate sends the refresh token, like NotevaultClient.refreshDevice.
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
