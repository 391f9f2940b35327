import { timingSafeEqual } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { hashOf } from '../tokens/tokens.ts';
import * as store from './accounts.store.ts';
import type { AccountDeps } from './accounts.ts';

const PREFIX = 'nv_setup_';

/**
 * The token with which the first account can be made from elsewhere than the machine of the server; null once there is
 * an account. It is derived from the server's key, so every process and every start shows the same one, and the database
 * holds nothing from which it could be made without the master key.
 */
export async function setupToken(deps: AccountDeps): Promise<string | null> {
  const first = await deps.db.get(store.findFirstAccount, {});
  return first === undefined ? deriveToken(deps) : null;
}

/** Throws `setup_token_required` when none was sent, and `setup_token_invalid`. */
export async function checkSetupToken(deps: AccountDeps, sent: string | null): Promise<void> {
  if (sent === null) throw new NotevaultError('setup_token_required');
  if (!timingSafeEqual(hashOf(sent), hashOf(await deriveToken(deps)))) throw new NotevaultError('setup_token_invalid');
}

async function deriveToken({ keys }: AccountDeps): Promise<string> {
  const server = await keys.openServer();
  return PREFIX + server.mac('setup token', 'first account').toString('base64url');
}
