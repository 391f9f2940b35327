import type { ProfileBody } from '@notevault/protocol/accounts.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { cleanName } from '@notevault/protocol/values/clean-text.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import * as store from './accounts.store.ts';
import type { UserRow } from './accounts.tables.ts';
import type { AccountDeps } from './accounts.ts';

const DISPLAY_NAME_MAX = 80;
const LOCALE_MAX = 35;
const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** An account as its owner sees it. */
export type User = ReturnType<typeof userOf>;

/** Throws `unauthorized` when the account no longer exists. */
export async function me({ db, keys }: AccountDeps, userId: UserId): Promise<User> {
  const server = await keys.openServer();
  return userOf(present(await db.get(store.findUser, { id: userId })), server);
}

export async function updateMe(deps: AccountDeps, userId: UserId, change: ProfileBody): Promise<User> {
  const server = await deps.keys.openServer();
  const displayName = change.display_name === undefined ? undefined : cleanDisplayName(change.display_name);
  const locale = change.locale === undefined ? undefined : cleanLocale(change.locale);
  const row = await deps.db.transact(async (handle) => {
    // Locked before it is read, so that two concurrent updates of different fields are both kept.
    await handle.get(store.lockUser, { id: userId });
    const old = present(await handle.get(store.findUser, { id: userId }));
    const optsOut = change.analytics_opt_out ?? old.analytics_opt_out !== 0;
    if (optsOut && old.analytics_opt_out === 0) {
      await requestErasure(handle, deps, { userId, analyticsId: analyticsIdOf(old, server) });
    }
    return handle.get(store.updateProfile, {
      id: userId,
      displayName: displayName === undefined ? old.display_name : displayName,
      locale: locale === undefined ? old.locale : locale,
      analyticsOptOut: Number(optsOut),
    });
  });
  return userOf(present(row), server);
}

export function userOf(row: UserRow, server: SealingKey) {
  const optedOut = row.analytics_opt_out !== 0;
  return {
    id: row.id,
    email: row.email,
    displayName: row.display_name,
    role: row.role,
    locale: row.locale,
    /** A pseudonym; null when they have opted out. */
    analyticsId: optedOut ? null : analyticsIdOf(row, server),
    analyticsOptOut: optedOut,
    tier: row.plan,
  };
}

export function analyticsIdOf({ email }: Pick<UserRow, 'email'>, server: SealingKey): string {
  return server.mac('analytics', email).toString('hex');
}

export function present(row: UserRow | undefined): UserRow {
  if (row === undefined) throw new NotevaultError('unauthorized');
  return row;
}

/** The name, trimmed; null if blank. Throws `validation`. */
export function cleanDisplayName(text: string | null): string | null {
  return cleanName(text ?? '', 'display_name', DISPLAY_NAME_MAX) || null;
}

/** The locale in canonical casing (RFC 5646, section 2.1.1); null if blank. Throws `validation`. */
export function cleanLocale(text: string | null): string | null {
  if (text === null || text === '') return null;
  if (text.length > LOCALE_MAX || !LOCALE.test(text))
    throw invalid({ locale: ['must be a language tag such as en-GB'] });
  const [language = '', ...rest] = text.toLowerCase().split('-');
  return [language, ...rest.map(subtagCase)].join('-');
}

function subtagCase(subtag: string): string {
  if (subtag.length === 2) return subtag.toUpperCase();
  return /^[a-z]{4}$/.test(subtag) ? subtag.charAt(0).toUpperCase() + subtag.slice(1) : subtag;
}

const BATCH = 100;

/**
 * Sends the requests to erase people from the analytics tool that wait; resolves to the number accepted. Rejects with
 * the sink's error for the first that was not, which is sent again the next time.
 */
export async function sendErasures({ db, analytics }: AccountDeps): Promise<number> {
  if (analytics === null) return 0;
  for (let sent = 0; ; ) {
    const rows = await db.all(store.findErasures, { limit: BATCH });
    for (const erasure of rows) {
      await analytics.erase(erasure.analytics_id);
      await db.transact((handle) => handle.run(store.deleteErasure, erasure));
      sent += 1;
    }
    if (rows.length < BATCH) return sent;
  }
}

/** Stores the erase request in the transaction that makes it necessary; does nothing if no analytics are sent. */
export async function requestErasure(
  handle: WriteHandle,
  { analytics, clock }: AccountDeps,
  { userId, analyticsId }: { userId: UserId; analyticsId: string },
): Promise<void> {
  if (analytics !== null) await handle.run(store.putErasure, { userId, analyticsId, now: clock.now() });
}
