import { applyEdits } from '@notevault/note-text/diff/diff.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { BatchReads } from './batch/batch-reads.ts';
import { planText } from './upsert.ts';
import { findWriteTarget, type NoteInput, type WritePlan } from './write-target.ts';

/** Places of a note that get another text. */
export interface PlacedChange {
  readonly id: NoteId;
  /** The hash of the text in which the places are. */
  readonly hash: string;
  /** Start and end of each, ascending, in UTF-16 units. */
  readonly places: Uint32Array;
  readonly replacement: string;
}

/**
 * Writes a few notes with other texts at some places, each as a version of its own, in one transaction. Resolves to those
 * that were not written, because they are gone, moved or read otherwise by now. Throws `note_too_large`,
 * `note_unreadable`.
 */
export async function replacePlaces(
  deps: NoteDeps,
  { vault, actor, device }: Omit<WriteContext, 'inTransaction'>,
  changes: readonly PlacedChange[],
): Promise<ReadonlySet<NoteId>> {
  const { db, entries, clock, writer } = deps;
  const context: WriteContext<ReadonlySet<NoteId>> = { vault, actor, device };
  const changeOf = new Map(changes.map((change) => [change.id as string, change]));
  const rows = await entries.rowsById(db, vault.id, 'note', [...changeOf.keys()]);
  const inputs = rows.map(({ id, revision, meta, path_key: pathKey }) => {
    const input: NoteInput = {
      path: sealed.openMeta(vault, id, revision, meta).path,
      pathKey,
      mtime: clock.now() / 1000,
    };
    return { id: id as NoteId, input };
  });
  const yieldIfDue = createYield();
  let written = new Set<NoteId>();

  async function prepare(): Promise<WritePlan[]> {
    written = new Set();
    const plans: WritePlan[] = [];
    const reads = new BatchReads(deps, context);
    await reads.prepare(inputs.map(({ input }) => input));
    for (const { id, input } of inputs) {
      await yieldIfDue();
      const target = await findWriteTarget(deps, context, input, undefined, reads).catch(nullIfElsewhere);
      const change = changeOf.get(id);
      if (change === undefined || target?.kind !== 'live' || target.id !== id) continue;
      if (target.note.meta.hash !== change.hash) continue;
      const reason = actor.client === undefined ? 'batch' : 'agent';
      plans.push(await planText(deps, context, target, input, withChange(target.note.content, change), reason));
      written.add(id);
    }
    return plans;
  }

  const keys = inputs.map(({ input }) => input.pathKey.toString('hex'));
  const apply = async () => new Set(changes.map(({ id }) => id).filter((id) => !written.has(id)));
  return entries.lock.runAll(vault.id, keys, () => writer.enqueue(context, { prepare, apply }));
}

/** The note is not at its path any more, where another may be. */
function nullIfElsewhere(error: unknown): null {
  if (error instanceof NotevaultError && error.code === 'conflict') return null;
  throw error;
}

function withChange(content: string, { places, replacement }: PlacedChange): string {
  const edits = Array.from({ length: places.length / 2 }, (_, index) => {
    const [at = 0, end = 0] = [places[2 * index], places[2 * index + 1]];
    return { at, remove: end - at, insert: replacement };
  });
  return applyEdits(content, edits);
}
