import { invalid } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { type Static, Type } from 'typebox';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { SealingKey } from '../../../ports/keyring/keyring.ts';
import { type Immutable, SealedJson } from '../../../ports/keyring/sealed-json.ts';
import * as store from './vaults.store.ts';

const DESCRIPTION_MAX = 4000;
const SLUG_MAX = 80;
/** Few slugs are in use; each further look-up checks as many again. */
const SLUGS_PER_QUERY = 16;

const VAULT_META = Type.Object({
  name: Type.String(),
  slug: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
});
/** Name, slug and description of a vault, sealed under its own key. */
export type VaultMeta = Immutable<Static<typeof VAULT_META>>;

const vaultMeta = new SealedJson(1, VAULT_META);

export function sealMeta(key: SealingKey, id: VaultId, version: number, { name, slug, description }: VaultMeta) {
  return vaultMeta.seal(key, contextOf(id, version), { name, slug, description });
}

export function openMeta(key: SealingKey, row: { id: VaultId; meta: Buffer; meta_version: number }): VaultMeta {
  return vaultMeta.open(key, contextOf(row.id, row.meta_version), row.meta);
}

const contextOf = (id: VaultId, version: number) => ({ kind: 'vaults.meta', row: id, version });

export const clientBlindOf = (userKey: SealingKey, clientId: string) => userKey.blind('vaults.client_id', clientId);
export const slugBlindOf = (userKey: SealingKey, slug: string) => userKey.blind('vaults.slug', slug);

/** The description, trimmed; null if blank. Throws `validation`. */
export function cleanDescription(text: string | null): string | null {
  const description = (text ?? '').toWellFormed().trim();
  if ([...description].length > DESCRIPTION_MAX) {
    throw invalid({ description: [`must have at most ${DESCRIPTION_MAX} characters`] });
  }
  return description === '' ? null : description;
}

/** The words of the name in lower case, joined by `-`; `vault` for a name without letters and digits. */
export function slugOf(name: string): string {
  const words =
    name
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const slug = [...words.join('-')].slice(0, SLUG_MAX).join('').replace(/-$/, '');
  return slug === '' ? 'vault' : slug;
}

/**
 * The first of `name`, `name-2`, `name-3`… that no other active vault of the user has. Must be called under the lock on
 * the user's row, so that it stays free until the vault is written.
 */
export async function freeSlug(
  handle: ReadHandle,
  userKey: SealingKey,
  { userId, vaultId, name }: { userId: UserId; vaultId: VaultId; name: string },
): Promise<string> {
  const base = slugOf(name);
  for (let first = 1; ; first += SLUGS_PER_QUERY) {
    const slugs = Array.from({ length: SLUGS_PER_QUERY }, (_, index) => suffixed(base, first + index));
    const blinds = slugs.map((slug) => slugBlindOf(userKey, slug));
    const rows = await handle.allMany(store.findSlugs, { userId, except: vaultId }, blinds);
    const taken = new Set(rows.map((row) => row.slug_blind.toString('hex')));
    const free = slugs.find((_, index) => !taken.has(blinds[index]?.toString('hex') ?? ''));
    if (free !== undefined) return free;
  }
}

function suffixed(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`;
}
