import { aliasKey } from '@notevault/note-text/links/resolve.ts';
import { folderOf } from '@notevault/note-text/paths.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PathOwner } from '../../entries/entries.ts';
import { RevisionConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { CommitDeps } from '../notes.deps.ts';
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

/** The folders of new notes as they are inside a transaction of several notes, of which one may have created them. */
export class NewFolders {
  readonly #deps: CommitDeps;
  readonly #handle: WriteHandle;
  readonly #vault: OpenVault;
  /** Folders that were found: under the vault's lock they stay. */
  readonly #found = new Map<string, NonNullable<WriteTarget['resolved']['nearest']>>();

  constructor(deps: CommitDeps, handle: WriteHandle, vault: OpenVault) {
    this.#deps = deps;
    this.#handle = handle;
    this.#vault = vault;
  }

  /** Resolves a new note's folders again, unless they existed before. Throws PathTaken, RevisionConflict. */
  async targetOf(target: WriteTarget): Promise<WriteTarget> {
    const { resolved } = target;
    const folder = folderOf(resolved.path);
    if (target.kind === 'live' || (resolved.nearest?.path ?? '') === folder) return target;
    const nearest = this.#found.get(folder);
    if (nearest !== undefined) return { ...target, resolved: { ...resolved, nearest } };
    const now = await this.#deps.entries.resolve(this.#handle, this.#vault, resolved.path, resolved.pathKey);
    if (now.blocked !== null) throw new PathTaken(now.blocked.owner);
    if (now.path !== resolved.path) throw new RevisionConflict();
    if (now.nearest?.path === folder) this.#found.set(folder, now.nearest);
    return { ...target, resolved: now };
  }
}

/**
 * Writes the rows of a note: entry, body, replaced version and aliases. All but the aliases are sent before this
 * returns, so that they cost one round trip. Throws PathTaken, RevisionConflict.
 */
export async function writeRows(
  deps: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: RowWrite,
  seq: Seq,
): Promise<void> {
  const { target, next } = plan;
  await Promise.all([writeEntry(deps, handle, vault, plan, seq), writeBody(handle, vault, plan, seq)]);
  const had = target.kind === 'live' ? target.note.meta.aliases : [];
  if (had.join('\0') === next.meta.aliases.join('\0')) return;
  if (had.length > 0) await handle.run(store.deleteAliases, { vault: vault.id, id: next.id });
  const keys = new Map(next.meta.aliases.map((alias) => [aliasKey(alias), vault.key.blind('name', aliasKey(alias))]));
  await handle.runMany(store.insertAliases, { vault: vault.id, id: next.id }, [...keys.values()]);
}

/** Writes the note's body and the version that it replaces. Throws RevisionConflict. */
async function writeBody(
  handle: WriteHandle,
  vault: OpenVault,
  { target, next, fingerprints }: RowWrite,
  seq: Seq,
): Promise<void> {
  const body = { vault: vault.id, id: next.id, content: next.content, doc: next.doc };
  if (target.kind === 'new') {
    await handle.run(store.insertBody, { ...body, seq, fingerprints: fingerprints?.now ?? null });
    return;
  }
  const replacing =
    next.replaced === null
      ? null
      : handle.run(store.insertReplaced, { vault: vault.id, id: next.id, seq, ...next.replaced });
  const updating =
    fingerprints === undefined
      ? handle.run(store.updateBody, body)
      : handle.run(store.updateBodyWithFingerprints, {
          ...body,
          fingerprints: fingerprints.now,
          was: fingerprints.was,
        });
  const [updated] = await Promise.all([updating, replacing]);
  if (fingerprints !== undefined && updated === 0) throw new RevisionConflict();
}

/** Writes the note's row at its path. Throws PathTaken, RevisionConflict. */
async function writeEntry(
  { entries }: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { target, next }: RowWrite,
  seq: Seq,
): Promise<void> {
  const entering = target.kind === 'live' ? null : entries.enter(handle, vault, target.resolved, 'note');
  const row = {
    vault_id: vault.id,
    id: next.id,
    seq,
    revision: next.revision,
    version: next.version,
    parent_id: target.kind === 'live' ? target.note.parent_id : (entering?.folder ?? null),
    path_key: target.resolved.pathKey,
    name_key: next.nameKey,
    blob_id: null,
    size_bytes: next.size,
    mtime: next.mtime,
    updated_at: next.now,
    meta: next.sealedMeta,
  };
  const writing =
    target.kind === 'new'
      ? entries.insert(handle, { ...row, kind: 'note', created_at: next.createdAt }, target.tombstoneVersion)
      : target.kind === 'live'
        ? entries.update(handle, { ...row, was: target.note.revision })
        : entries.revive(handle, { ...row, was: target.note.revision }, lastVersionOf(target));
  const [entered, written] = await Promise.all([entering?.entered, writing]);
  if (entered?.ok === false) throw entered.owner === null ? new RevisionConflict() : new PathTaken(entered.owner);
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
