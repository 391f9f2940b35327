import { timingSafeEqual } from 'node:crypto';
import { type Clock, latestPlausible } from '../../../../ports/clock/clock.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import { hashOf } from '../../../foundation/tokens/tokens.ts';
import type { UsedChallengeRow } from './passkeys.tables.ts';

/** How long a person has to answer a challenge. */
export const CHALLENGE_MS = 10 * 60 * 1000;

/** The ceremony for which a challenge was made; of a session the one that it belongs to. */
export type Ceremony = 'sign-in' | `registration in ${string}` | `step-up in ${string}`;

const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const HEAD_BYTES = RANDOM_BYTES + TIME_BYTES;

/**
 * Makes a challenge. It contains its expiry and is signed for its ceremony, so that nothing is stored until a valid
 * answer uses it up: anybody may ask for one.
 */
export function newChallenge(server: SealingKey, clock: Clock, ceremony: Ceremony): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(HEAD_BYTES);
  clock.random(RANDOM_BYTES).copy(head);
  head.writeUIntBE(clock.now() + CHALLENGE_MS, RANDOM_BYTES, TIME_BYTES);
  return new Uint8Array(Buffer.concat([head, signatureOf(server, ceremony, head)]));
}

/** Returns the row that marks a challenge as used; null for one of another ceremony, or one that has expired. */
export function checkChallenge(
  server: SealingKey,
  clock: Clock,
  ceremony: Ceremony,
  sent: string,
): UsedChallengeRow | null {
  const bytes = Buffer.from(sent, 'base64url');
  const [head, is] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(HEAD_BYTES)];
  if (head.length < HEAD_BYTES) return null;
  const must = signatureOf(server, ceremony, head);
  if (is.length !== must.length || !timingSafeEqual(is, must)) return null;
  const expires_at = head.readUIntBE(RANDOM_BYTES, TIME_BYTES);
  const now = clock.now();
  if (expires_at <= now || expires_at > latestPlausible(now, CHALLENGE_MS)) return null;
  return { hash: hashOf(bytes.toString('base64url')), expires_at };
}

function signatureOf(server: SealingKey, ceremony: Ceremony, head: Buffer): Buffer {
  return server.mac('passkey challenge', `${ceremony} ${head.toString('hex')}`);
}
