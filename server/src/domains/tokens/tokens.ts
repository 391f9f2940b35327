import { createHash } from 'node:crypto';

const SECRET_BYTES = 32;

/** What the tokens of each kind of credential begin with: it says who knows them. */
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
  /** Given out once. */
  readonly raw: string;
  /** What is stored. */
  readonly hash: Buffer;
}

/** A token nobody can guess. It is looked up by its hash, so how long a look-up takes says nothing about any token. */
export function newToken(random: (count: number) => Buffer, prefix: string): Token {
  const raw = prefix + random(SECRET_BYTES).toString('base64url');
  return { raw, hash: hashOf(raw) };
}

export function hashOf(raw: string): Buffer {
  return createHash('sha256').update(raw).digest();
}

/**
 * The token of an `Authorization` header, or null. RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110,
 * section 11.1).
 */
export function bearerOf(authorization: string | undefined): string | null {
  return /^bearer ([\w\-.~+/]+=*)$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Two tabs, or a retry after a lost answer, may present one refresh token twice: the one before is accepted for so long. */
export const GRACE_MS = 30_000;

/** A refresh token that is presented, inside a transaction, and the family of those that descend from one sign-in. */
export interface PresentedToken {
  /** Holds the family until the end of the transaction and prolongs it; false when it is gone. */
  hold(): Promise<boolean>;
  /** Puts the next token in the presented one's place; false unless the presented one was current. */
  replace(): Promise<boolean>;
  /** When the presented token was replaced; null while it is current, undefined when it is not known any more. */
  replacedAt(): Promise<number | null | undefined>;
  /** The current token, sealed. */
  current(): Promise<Buffer | undefined>;
  /** Ends the family. */
  end(): Promise<void>;
}

/**
 * Resolves to the family's current refresh token, sealed: the `next` one when the presented one was current, the one
 * that took its place when that was within the grace. Any other token of the family was stolen or replayed: the family
 * ends and the answer is null.
 */
export async function rotate(presented: PresentedToken, next: Buffer, now: number): Promise<Buffer | null> {
  // First of all, so that refreshes of one family come one after another.
  if (!(await presented.hold())) return null;
  if (await presented.replace()) return next;
  const replacedAt = await presented.replacedAt();
  if (replacedAt != null && now - replacedAt <= GRACE_MS) {
    const current = await presented.current();
    if (current !== undefined) return current;
  }
  await presented.end();
  return null;
}
