import { aliasKey } from '@notevault/note-text/links/resolve.ts';
import { folderOf } from '@notevault/note-text/paths.ts';
import type { Seq } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PathOwner } from '../../entries/entries.ts';
import { RevisionConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import * as store from '../notes.store.ts';
import type { FingerprintsChange, RowWrite } from './write-plan.ts';
import { lastVersionOf, type WriteTarget } from './write-target.ts';

/** An entry that is not a note has the path. */
export class PathTaken extends Error {
  readonly owner: PathOwner;
  constructor(owner: PathOwner) {
    super('the path is taken');
    this.owner = owner;
  }
}

/**
 * Resolves a new note's folders again: another note of the same transaction may have created them. Throws PathTaken,
 * RevisionConflict.
 */
export async function amongNewFolders(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  target: WriteTarget,
): Promise<WriteTarget> {
  const { resolved } = target;
  if (target.kind === 'live' || (resolved.nearest?.path ?? '') === folderOf(resolved.path)) return target;
  const now = await deps.entries.resolve(handle, vault, resolved.path, resolved.pathKey);
  if (now.blocked !== null) throw new PathTaken(now.blocked.owner);
  if (now.path !== resolved.path) throw new RevisionConflict();
  return { ...target, resolved: now };
}

/** Writes the rows of a note: entry, body, replaced version and aliases. Throws PathTaken, RevisionConflict. */
export async function writeRows(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: RowWrite,
  seq: Seq,
): Promise<void> {
  const { target, next, fingerprints } = plan;
  await writeEntry(deps, handle, vault, plan, seq);
  const body = { vault: vault.id, id: next.id, content: next.content, doc: next.doc };
  if (target.kind === 'new') {
    await handle.run(store.insertBody, { ...body, fingerprints: fingerprints?.now ?? null });
  } else {
    if (next.replaced !== null)
      await handle.run(store.insertVersion, { vault: vault.id, id: next.id, ...next.replaced });
    if (fingerprints === undefined) await handle.run(store.updateBody, body);
    else {
      const { was, now } = fingerprints;
      const update = { ...body, fingerprints: now, was };
      if ((await handle.run(store.updateBodyWithFingerprints, update)) === 0) throw new RevisionConflict();
    }
  }
  const had = target.kind === 'live' ? target.note.meta.aliases : [];
  if (had.join('\0') === next.meta.aliases.join('\0')) return;
  if (had.length > 0) await handle.run(store.deleteAliases, { vault: vault.id, id: next.id });
  const keys = new Map(next.meta.aliases.map((alias) => [aliasKey(alias), vault.key.blind('name', aliasKey(alias))]));
  await handle.runMany(store.insertAliases, { vault: vault.id, id: next.id }, [...keys.values()]);
}

/** Writes the note's row at its path. Throws PathTaken, RevisionConflict. */
async function writeEntry(
  { entries }: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { target, next }: RowWrite,
  seq: Seq,
): Promise<void> {
  const entered =
    target.kind === 'live'
      ? { ok: true as const, folder: target.note.parent_id }
      : await entries.enter(handle, vault, target.resolved, 'note');
  if (!entered.ok) throw entered.owner === null ? new RevisionConflict() : new PathTaken(entered.owner);
  const row = {
    vault_id: vault.id,
    id: next.id,
    seq,
    revision: next.revision,
    version: next.version,
    parent_id: entered.folder,
    path_key: target.resolved.pathKey,
    name_key: next.nameKey,
    blob_id: null,
    size_bytes: next.size,
    mtime: next.mtime,
    updated_at: next.now,
    meta: next.sealedMeta,
  };
  const written = await (target.kind === 'new'
    ? entries.insert(handle, { ...row, kind: 'note', created_at: next.createdAt }, target.tombstoneVersion)
    : target.kind === 'live'
      ? entries.update(handle, { ...row, was: target.note.revision })
      : entries.revive(handle, { ...row, was: target.note.revision }, lastVersionOf(target)));
  if (written) return;
  const owner = target.kind === 'live' ? null : await entries.ownerOf(handle, vault, target.resolved.path);
  // A note created there meanwhile is edited by the next attempt; any other entry keeps the path.
  throw owner === null || owner.kind === 'note' ? new RevisionConflict() : new PathTaken(owner);
}

/** Replaces a note's fingerprints, where nothing else of it changes. Throws RevisionConflict. */
export async function writeFingerprints(
  handle: WriteHandle,
  vault: OpenVault,
  id: string,
  { was, now }: FingerprintsChange,
) {
  const written = await handle.run(store.updateFingerprints, { vault: vault.id, id, fingerprints: now, was });
  if (written === 0) throw new RevisionConflict();
}
