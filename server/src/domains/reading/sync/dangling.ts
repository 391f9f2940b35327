import { NearNames } from '@notevault/note-text/names/near-names.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { DanglingLinks } from '@notevault/protocol/links.ts';
import { NIL_UUID, parseUuid } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { LinkPlace } from '../../content/links/links.ts';
import type { CacheSnapshot, OpenVault } from '../../content/vaults/vaults.ts';
import type { SyncDeps } from './sync.ts';

/** Names of notes that a reader may have meant. */
const NEAR = 3;

/** Returns a page of the links without a target, with notes of similar names. Throws `invalid_cursor`. */
export async function danglingPage(
  { links, notes }: Pick<SyncDeps, 'links' | 'notes'>,
  snapshot: CacheSnapshot,
  vault: OpenVault,
  cursor: string | null,
  limit: number,
): Promise<DanglingLinks> {
  const page = await links.danglingAfter(snapshot.handle, vault, placeOf(cursor), limit);
  const near = new Map<string, string[]>();
  if (page.links.length > 0) {
    const names = await namesOf(snapshot, notes);
    for (const { target } of page.links) if (!near.has(target)) near.set(target, names.find(fileStem(target), NEAR));
  }
  return {
    links: page.links.map(({ note, path, line, target }) => {
      return { note_id: note, path, line, target, near: near.get(target) ?? [] };
    }),
    next_cursor: page.next === null ? null : `${page.next.source}.${page.next.ord}`,
  };
}

async function namesOf(snapshot: CacheSnapshot, { cache }: SyncDeps['notes']): Promise<NearNames<string>> {
  const yieldIfDue = createYield();
  const names = new NearNames<string>();
  for (const { path } of (await snapshot.rowsWithDamage(cache)).byId.values()) {
    names.add(fileStem(path), path);
    await yieldIfDue();
  }
  return names;
}

function placeOf(cursor: string | null): LinkPlace {
  if (cursor === null) return { source: NIL_UUID, ord: -1 };
  const [, id, ord = ''] = /^([^.]{36})\.(\d{1,9})$/.exec(cursor) ?? [];
  const source = parseUuid(id);
  if (source === null) throw new NotevaultError('invalid_cursor');
  return { source, ord: Number(ord) };
}
