import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import { latestPlausible } from '../../../../ports/clock/clock.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../../ports/keyring/sealed-json.ts';
import { openedOr } from '../../../foundation/keys/keys.ts';

/** How long a person has at the provider. */
export const STATE_MS = 10 * 60 * 1000;
const CONTEXT = { kind: 'oidc.state', row: '', version: 0 };

const stored = new SealedJson(
  1,
  Type.Object({
    /** To sign in, to join an identity to the account of a session, or to prove who uses the session. */
    purpose: Type.Enum(['sign_in', 'join', 'step_up']),
    /** How the provider was asked to make sure of the person. */
    assurance: Type.Enum(['any', 'fresh', 'login']),
    state: Type.String(),
    nonce: Type.String(),
    verifier: Type.String(),
    startedAt: Type.Number(),
    /** Where the browser goes afterwards: an address of this server. */
    returnTo: Type.String(),
    /** Whether the session is to end with the browser. */
    isBrief: Type.Optional(Type.Boolean()),
    /** The session for which the person is at the provider; absent for a sign-in. */
    session: Type.Optional(Type.Object({ userId: Type.Unsafe<UserId>(Type.String()), credentialId: Type.String() })),
  }),
);

/** A visit to the provider, which only the cookie of the browser knows until it ends. */
export type State = ReturnType<typeof stored.decode>;

export function sealState(server: SealingKey, state: State): string {
  return stored.seal(server, CONTEXT, state).toString('base64url');
}

/** Throws `sign_in_over` unless the cookie began the visit that ends with `returned`, within ten minutes. */
export function openState(server: SealingKey, cookie: string, returned: string | null, now: number): State {
  const state = openedOr('sign_in_over', () => stored.open(server, CONTEXT, Buffer.from(cookie, 'base64url')));
  const isOver = state.startedAt + STATE_MS <= now || state.startedAt > latestPlausible(now);
  if (isOver || state.state !== returned) throw new NotevaultError('sign_in_over');
  return state;
}
