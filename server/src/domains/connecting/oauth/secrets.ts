import { generateKeyPairSync } from 'node:crypto';
import { Type } from 'typebox';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import * as store from './oauth.store.ts';
import type { OAuthDeps } from './oauth.ts';

const COOKIE_KEY_BYTES = 32;
const SECRETS_CONTEXT = { kind: 'oauth_secrets.sealed', row: '1', version: 0 };

/** Shared by all processes of a server, so that a flow may start at one and end at another, or after a restart. */
export interface OAuthSecrets {
  readonly cookieKeys: readonly string[];
  readonly jwks: { readonly keys: readonly object[] };
}

const secrets = new SealedJson(
  1,
  Type.Object({
    cookieKeys: Type.Array(Type.String()),
    jwks: Type.Object({ keys: Type.Array(Type.Object({})) }),
  }),
);

/** Returns the stored secrets, and creates them if there are none yet. */
export async function openSecrets({ db, keys, clock }: OAuthDeps): Promise<OAuthSecrets> {
  const server = await keys.openServer();
  const read = async () => {
    const row = await db.get(store.findSecrets, {});
    return row === undefined ? null : secrets.open(server, SECRETS_CONTEXT, row.sealed);
  };
  const stored = await read();
  if (stored !== null) return stored;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: clock.uuid(), alg: 'ES256', use: 'sig' };
  const made: OAuthSecrets = {
    cookieKeys: [clock.random(COOKIE_KEY_BYTES).toString('base64url')],
    jwks: { keys: [key] },
  };
  const sealed = secrets.seal(server, SECRETS_CONTEXT, made);
  await db.transact((handle) => handle.run(store.insertSecrets, { sealed }));
  // Two processes may be first at once; both use the stored secrets.
  const written = await read();
  if (written === null) throw new Error('the secrets just written cannot be read');
  return written;
}
