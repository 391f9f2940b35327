import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { StoredEntry, WriteContext } from '../../entries/entries.ts';
import { RevisionConflict, retryOnConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { openNote } from '../notes.mapper.ts';
import * as store from '../notes.store.ts';
import { sealed } from '../sealed-note.ts';
import type { MergeStep } from '../writes/build-note-row.ts';
import { draftMergeOnPool } from '../writes/offload/task-transfer.ts';
import { findBase, planText, writeOne } from '../writes/upsert.ts';
import { type ExistingTarget, findWriteTarget, type WritePlan } from '../writes/write-target.ts';
import { listVersions } from './versions.store.ts';

/** Versions made one after the other: the one before them, and the last of them. */
export interface VersionSpan {
  readonly before: number;
  readonly after: number;
}

export type RevertRefusal = 'history_thinned' | 'changed_by_others';

/** Versions of a note cannot be reverted. */
class NotReverted extends Error {
  override readonly name = 'NotReverted';
  readonly reason: RevertRefusal;
  constructor(reason: RevertRefusal) {
    super('versions of a note cannot be reverted');
    this.reason = reason;
  }
}

export interface Reverted {
  readonly before: string;
  readonly after: string;
  /** Whether changes that were made since are merged. */
  readonly merged: boolean;
}

/** Maximum stored versions that are searched for other authors. */
const VERSIONS_MAX = 1000;

/**
 * Takes what some versions of a live note changed out of its text, and keeps what others changed since; as one version.
 * Resolves to the reason where that is not possible. Throws `note_not_found`, `note_too_large`, `note_unreadable`.
 *
 * @param spans the newest first.
 */
export function revertVersions(
  deps: NoteDeps,
  context: WriteContext<void>,
  id: NoteId,
  spans: readonly VersionSpan[],
  dryRun: boolean,
): Promise<Reverted | RevertRefusal> {
  const { vault } = context;
  return retryOnConflict(async () => {
    const [row] = await deps.entries.rowsById(deps.db, vault.id, 'note', [id]);
    if (row === undefined) throw new NotevaultError('note_not_found');
    const { path } = sealed.openMeta(vault, id, row.revision, row.meta);
    const input = { path, pathKey: row.path_key, mtime: deps.clock.now() / 1000 };
    let reverted: Reverted | undefined;
    const plan = async (): Promise<WritePlan> => {
      const target = await findWriteTarget(deps, context, input, undefined);
      // The note is not at its path any more.
      if (target.kind !== 'live' || target.id !== id) throw new RevisionConflict();
      const planned = await planRevert(deps, context, target, input, spans);
      const { content, version } = target.note;
      const after = planned.kind === 'unchanged' ? content : planned.next.text;
      reverted = { before: content, after, merged: spans[0]?.after !== version || spans.length > 1 };
      return planned;
    };
    const write = () => writeOne(deps, context, plan, () => undefined);
    try {
      await (dryRun ? plan() : deps.entries.lock.run(vault.id, row.path_key.toString('hex'), write));
    } catch (error) {
      if (error instanceof NotReverted) return error.reason;
      throw error;
    }
    if (reverted === undefined) throw new TypeError('a revert was not planned');
    return reverted;
  });
}

async function planRevert(
  deps: NoteDeps,
  context: WriteContext<void>,
  target: ExistingTarget,
  input: { readonly mtime: number },
  spans: readonly VersionSpan[],
): Promise<WritePlan> {
  const { note } = target;
  const steps = await Promise.all(spans.map((span) => stepOf(deps, context.vault, target, span)));
  const [only] = steps;
  if (only !== undefined && steps.length === 1 && only.base.version === note.version) {
    if (only.text === note.content) return { kind: 'unchanged', note };
    return planText(deps, context, target, input, only.text, 'restore');
  }
  const draft = await draftMergeOnPool(deps, context, target, input, { steps, reason: 'restore', keepsTargets: true });
  if (draft === 'unknown') throw new NotReverted('history_thinned');
  if (draft === 'too_large') throw new NotevaultError('note_too_large');
  if (draft === 'unchanged') return { kind: 'unchanged', note };
  // A later value of the same place would give way to the earlier one.
  if ((draft.gaveWay ?? []).length > 0) throw new NotReverted('changed_by_others');
  return { kind: 'write', target, next: draft };
}

const NO_BYTES = Buffer.alloc(0);

/** Throws NotReverted for a version that is not stored any more. */
async function stepOf(
  deps: NoteDeps,
  vault: OpenVault,
  { note }: ExistingTarget,
  { before, after }: VersionSpan,
): Promise<MergeStep> {
  const present = { version: note.version, content: NO_BYTES, snapshot: NO_BYTES };
  const base = after === note.version ? present : await findBase(deps, vault, note, after);
  const earlier = await findBase(deps, vault, note, before);
  if (base === undefined || earlier === undefined) throw new NotReverted('history_thinned');
  const text = sealed.openContent(vault, note.id, before, earlier.content);
  return { base, text, earlier: { version: before, snapshot: earlier.snapshot } };
}

/**
 * Returns the ids of the people who wrote a live note’s versions after one, as far as they are stored; undefined for
 * versions that name nobody. Rewritten links are nobody’s words.
 */
export async function authorsSince(
  { db }: Pick<NoteDeps, 'db'>,
  vault: OpenVault,
  { id, revision, version, meta }: StoredEntry,
  since: number,
): Promise<ReadonlySet<string | undefined>> {
  if (version === null || version <= since) return new Set();
  const stored = { vault: vault.id, id: id as NoteId, before: version, limit: VERSIONS_MAX };
  const rows = (await db.all(listVersions, stored)).filter((row) => row.version > since);
  const metas = [
    sealed.openMeta(vault, id, revision, meta),
    ...rows.map((row) => sealed.openVersion(vault, id, row.version, row.meta)),
  ];
  return new Set(metas.filter(({ reason }) => reason !== 'link_rewrite').map(({ actor }) => actor.userId));
}

/** Returns the text of a version of a note, also of one in the trash; null when it is not stored or damaged. */
export async function textOfVersion(
  { db }: Pick<NoteDeps, 'db'>,
  vault: OpenVault,
  id: NoteId,
  version: number,
): Promise<string | null> {
  try {
    const row = await db.get(store.findNoteState, { vault: vault.id, id });
    if (row === undefined) return null;
    if (row.version === version) return openNote(vault, row).content;
    const kept = await db.get(store.findVersion, { vault_id: vault.id, note_id: id, version });
    return kept === undefined ? null : sealed.openContent(vault, id, version, kept.content);
  } catch (error) {
    if (error instanceof NotevaultError && error.code === 'note_unreadable') return null;
    throw error;
  }
}
