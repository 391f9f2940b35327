import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { hashOf } from '../tokens/tokens.ts';
import * as store from './accounts.store.ts';
import type { AccountDeps } from './accounts.ts';

const PREFIX = 'nv_setup_';

export interface SetupToken {
  /**
   * The token with which the first account can be made from elsewhere than the machine of the server; null once there
   * is an account.
   */
  setupToken(): Promise<string | null>;
}

/**
 * The token is derived from the server's key, so every process and every start shows the same one, and the database
 * holds nothing from which it could be made without the master key.
 */
export function createSetupToken(deps: Pick<AccountDeps, 'db' | 'keys'>): SetupToken {
  return {
    async setupToken() {
      const first = await deps.db.get(store.findFirstAccount, {});
      return first === undefined ? deriveToken(deps) : null;
    },
  };
}

/** Throws `setup_token_required` when none was sent, and `setup_token_invalid`. */
export async function checkSetupToken(deps: Pick<AccountDeps, 'keys'>, sent: string | null): Promise<void> {
  if (sent === null) throw new NotevaultError('setup_token_required');
  if (!timingSafeEqual(hashOf(sent), hashOf(await deriveToken(deps)))) throw new NotevaultError('setup_token_invalid');
}

async function deriveToken({ keys }: Pick<AccountDeps, 'keys'>): Promise<string> {
  const server = await keys.openServer();
  return PREFIX + server.mac('setup token', 'first account').toString('base64url');
}
