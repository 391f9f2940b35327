import { hash } from 'node:crypto';
import { latestPlausible } from '../../../ports/clock/clock.ts';

const SECRET_BYTES = 32;

/** The prefixes of tokens, one for each kind of credential. */
export const prefixes = {
  session: 'nv_ses_',
  pat: 'nv_pat_',
  key: 'nv_key_',
  device: 'nv_dev_',
  oauth: 'nv_oat_',
} as const;

/** The prefix of a token, or an empty text when it has none. */
export function prefixOf(token: string): string {
  return /^nv_[a-z]+_/.exec(token)?.[0] ?? '';
}

export interface Token {
  /** The token itself, which is handed out once. */
  readonly raw: string;
  readonly hash: Buffer;
}

/** Unpredictable. Tokens are looked up by hash, so the duration of a look-up reveals nothing about them. */
export function newToken(random: (count: number) => Buffer, prefix: string): Token {
  const raw = prefix + random(SECRET_BYTES).toString('base64url');
  return { raw, hash: hashOf(raw) };
}

export function hashOf(raw: string): Buffer {
  return hash('sha256', raw, 'buffer');
}

/** The token of an `Authorization` header (RFC 6750, section 2.1); its scheme has any case (RFC 9110, section 11.1). */
export function bearerOf(authorization: string | undefined): string | null {
  return /^bearer ([\w\-.~+/]+=*)$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** How long the previous refresh token is still accepted: two tabs, or a retry after a lost answer, may present it. */
export const GRACE_MS = 30_000;

/** Whether a replaced refresh token is still accepted; not one that a clock has replaced which was ahead. */
export function isInGrace(replacedAt: number, now: number): boolean {
  return now - replacedAt <= GRACE_MS && replacedAt <= latestPlausible(now);
}

/** A refresh token presented in a transaction, and the family of tokens that descend from one sign-in. */
export interface PresentedToken {
  /** Locks the family until the end of the transaction and extends its life; false when it no longer exists. */
  hold(): Promise<boolean>;
  /** Replaces the presented token by the next one; false unless the presented one was current. */
  replace(): Promise<boolean>;
  /** When the presented token was replaced; null while it is current, undefined when it is unknown. */
  replacedAt(): Promise<number | null | undefined>;
  /** The current token, sealed. */
  current(): Promise<Buffer | undefined>;
  end(): Promise<void>;
}

/**
 * Resolves to the family's current refresh token, sealed: `next` when the presented token was current, or its
 * replacement when it was replaced within the grace period. Any other token of the family was stolen or replayed: the
 * family ends, and the result is null.
 */
export async function rotate(presented: PresentedToken, next: Buffer, now: number): Promise<Buffer | null> {
  // Locked first, so that refreshes of one family run one after another.
  if (!(await presented.hold())) return null;
  if (await presented.replace()) return next;
  const replacedAt = await presented.replacedAt();
  if (replacedAt != null && isInGrace(replacedAt, now)) {
    const current = await presented.current();
    if (current !== undefined) return current;
  }
  await presented.end();
  return null;
}
