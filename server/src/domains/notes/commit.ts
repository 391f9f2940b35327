import { aliasKey } from '@notevault/note-text/resolve.ts';
import type { Seq } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import { type Basis, conflictWithHolder } from './basis.ts';
import { nameKeysOf } from './delete.ts';
import type { Note } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
import type { Prepared } from './prepare.ts';
import { toNote } from './view.ts';

/** What a write was prepared from has changed: prepare it again. */
export class Stale extends Error {
  override readonly name = 'Stale';
}

/** A path was taken meanwhile; found out inside the transaction, described outside it. */
class Taken extends Error {
  readonly holder: Parameters<typeof conflictWithHolder>[2];
  constructor(holder: Taken['holder']) {
    super('the path is taken');
    this.holder = holder;
  }
}

/**
 * Writes what was prepared, in one transaction: the row if it still bears the stamp it was prepared from, the version
 * written over, the name, the aliases and the edges. Throws Stale, `conflict`, `limit_exceeded`.
 */
export async function commitNote(
  parts: NoteParts,
  writing: Writing<Note>,
  basis: Basis,
  next: Prepared,
): Promise<Note> {
  const { db, vaults } = parts;
  const { vault } = writing;
  const fresh = basis.kind !== 'live';
  try {
    return await db.transact(async (handle) => {
      const seq = await vaults.advance(handle, vault, { seqs: 1, notes: fresh ? 1 : 0 });
      await writeRows(parts, handle, writing, basis, next, seq);
      const links = await parts.hooks.written(handle, vault, {
        ...{ id: next.id, path: next.path, version: next.version, seq, fresh, links: next.derived.links },
        movedKeys: movedKeysOf(vault, basis, next),
      });
      const note = toNote(noteOf(next, seq), links);
      await writing.finish?.(handle, note);
      return note;
    });
  } catch (error) {
    if (error instanceof Taken) throw await conflictWithHolder(parts, vault, error.holder, next.path);
    throw error;
  }
}

async function writeRows(
  { tree }: NoteParts,
  handle: WriteHandle,
  { vault }: Writing,
  basis: Basis,
  next: Prepared,
  seq: Seq,
): Promise<void> {
  let folder = basis.kind === 'live' ? basis.note.folder_id : null;
  if (basis.kind !== 'live') {
    const claimed = await tree.claim(handle, vault, basis.spot, 'note', next.id);
    if (!claimed.ok) throw claimed.holder === null ? new Stale() : new Taken(claimed.holder);
    folder = claimed.folder;
  }
  const row = {
    ...{ vault_id: vault.id, id: next.id, seq, stamp: next.stamp, version: next.version },
    ...{
      folder_id: folder,
      path_key: basis.spot.pathKey,
      name_key: next.nameKey,
      size_bytes: next.size,
      mtime: next.mtime,
    },
    ...{ created_at: next.createdAt, updated_at: next.now, meta: next.sealedMeta },
  };
  const body = { vault: vault.id, id: next.id, content: next.content, doc: next.doc };
  if (basis.kind === 'new') {
    if ((await handle.run(store.insertNote, row)) === 0) throw new Stale();
    await handle.run(store.insertBody, body);
  } else {
    if ((await handle.run(store.updateNote, { ...row, was: basis.note.stamp })) === 0) throw new Stale();
    if (next.kept !== null) await handle.run(store.insertVersion, { vault: vault.id, id: next.id, ...next.kept });
    await handle.run(store.updateBody, body);
  }
  const had = basis.kind === 'live' ? basis.note.meta.aliases : [];
  if (had.join('\0') === next.meta.aliases.join('\0')) return;
  if (had.length > 0) await handle.run(store.deleteAliases, { vault: vault.id, id: next.id });
  const keys = new Map(next.meta.aliases.map((alias) => [aliasKey(alias), vault.key.blind('name', aliasKey(alias))]));
  await handle.runIn(store.insertAliases, { vault: vault.id, id: next.id }, [...keys.values()]);
}

/** The name keys under which the note is found now and was not before, or the other way round. */
function movedKeysOf(vault: Writing['vault'], basis: Basis, next: Prepared): Buffer[] {
  const now = nameKeysOf(vault, next.meta);
  if (basis.kind !== 'live') return now;
  const before = nameKeysOf(vault, basis.note.meta);
  const hex = (keys: Buffer[]) => new Set(keys.map((key) => key.toString('hex')));
  const [had, has] = [hex(before), hex(now)];
  return [
    ...before.filter((key) => !has.has(key.toString('hex'))),
    ...now.filter((key) => !had.has(key.toString('hex'))),
  ];
}

function noteOf(next: Prepared, seq: Seq) {
  return {
    ...{ id: next.id, seq, version: next.version, mtime: next.mtime, meta: next.meta, content: next.text },
    ...{ size_bytes: next.size, created_at: next.createdAt, updated_at: next.now },
  };
}
