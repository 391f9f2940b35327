import { NotevaultError } from '@notevault/protocol/errors.ts';
import { type BatchResult, type Note, UpsertNote } from '@notevault/protocol/notes.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { Compile } from 'typebox/schema';
import { createYield } from '../../../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../../../ports/database/database.ts';
import type { WriteContext } from '../../../entries/entries.ts';
import { spellingOf } from '../../../entries/request-paths.ts';
import type { NoteDeps } from '../../notes.deps.ts';
import { mergedOf, notePathOf } from '../../notes.mapper.ts';
import { planUpsert } from '../upsert.ts';
import type { FailedPlans } from '../vault-writer.ts';
import type { CommittedNote, NoteInput, WritePlan } from '../write-target.ts';
import { BatchReads } from './batch-reads.ts';

const NOTES_MAX = 100;
/** Notes that are prepared together; their stored texts are in memory at once. */
const PREPARED_TOGETHER = 32;
/** Maximum bytes that a batch holds in memory for its transaction, and of its answer: 100 notes can be 10 MB each. */
const RESULT_BYTES_MAX = 256 * MB;
const RESPONSE_BYTES_MAX = 64 * MB;

const TOO_LARGE = { content: ['exceeds maximum size of 10MB'] };
const DUPLICATE = { path: ['duplicate path in batch'] };
const DAMAGED = { content: ['the stored note is damaged and takes no writes'] };
const TOO_MUCH = { content: ['too much in one batch: send this note in another one'] };

/** One item of a batch: a note to write, or its result if that is already known. */
type BatchItem = { readonly path: string } & (
  | { readonly note: NoteInput }
  | { readonly note: null; readonly result: BatchResult }
);

/**
 * Upserts up to a hundred notes in one transaction, each independently of the others. Throws `invalid_notes`,
 * `too_many_notes`, and for the whole batch `limit_exceeded`.
 */
export async function upsertBatch(deps: NoteDeps, context: WriteContext<BatchResult[]>, sent: unknown) {
  const items = readItems(deps, context, sent);
  const results = items.map((item) => (item.note === null ? item.result : null));
  const notes = new Map(items.flatMap(({ note }, index) => (note === null ? [] : [[index, note] as const])));
  const plans = new Map<number, WritePlan>();
  const sizes = new Budgets();
  const ids = new Map<NoteId, number>();
  const reads = new BatchReads(deps, context);
  const yieldIfDue = createYield();

  async function plan(index: number, note: NoteInput): Promise<WritePlan> {
    const planned = await planUpsert(deps, context, note, 'batch', reads);
    if (planned.kind === 'unchanged') return planned;
    const { target, next } = planned;
    const other = target.kind === 'live' ? index : (ids.get(next.id) ?? index);
    // The same result as for two single upserts: the second names the id of a live note at another path.
    if (other !== index) throw new NotevaultError('conflict', { server_path: notes.get(other)?.path });
    ids.set(next.id, index);
    sizes.reserve(index, [next.content, next.doc, next.replaced?.content ?? null]);
    return planned;
  }

  function reject(index: number, error: unknown): void {
    if (!(error instanceof NotevaultError)) throw error;
    results[index] = sizes.fit(rejectionOf(items[index]?.path ?? '', error));
  }

  async function planAll(unplanned: readonly (readonly [number, NoteInput])[]): Promise<void> {
    for (let from = 0; from < unplanned.length; from += PREPARED_TOGETHER) {
      const slice = unplanned.slice(from, from + PREPARED_TOGETHER);
      await reads.prepare(slice.map(([, note]) => note));
      for (const [index, note] of slice) {
        await yieldIfDue();
        await plan(index, note).then(
          (planned) => plans.set(index, planned),
          (error) => reject(index, error),
        );
      }
    }
  }

  async function prepare(failed: FailedPlans): Promise<WritePlan[]> {
    if (failed.size === 0) await planAll([...notes]);
    const again: [number, NoteInput][] = [];
    for (const [index, note] of notes) {
      const planned = plans.get(index);
      const error = planned && failed.get(planned);
      if (error === undefined) continue;
      plans.delete(index);
      if (error === null) again.push([index, note]);
      else reject(index, error);
    }
    await planAll(again);
    return [...plans.values()];
  }

  async function apply(_handle: WriteHandle, done: ReadonlyMap<WritePlan, CommittedNote>): Promise<BatchResult[]> {
    return items.map(({ path }, index) => {
      const planned = plans.get(index);
      const committed = planned && done.get(planned);
      const result = committed === undefined ? results[index] : okResult(path, committed);
      if (result == null) throw new TypeError('an item was neither written nor refused');
      return result;
    });
  }

  const keys = [...notes.values()].map(({ pathKey }) => pathKey.toString('hex'));
  return deps.entries.lock.runAll(context.vault.id, keys, () => deps.writer.enqueue(context, { prepare, apply }));
}

/** Checks the items as far as possible without reading the vault. */
function readItems(deps: NoteDeps, { vault }: WriteContext, sent: unknown): BatchItem[] {
  if (!Array.isArray(sent)) throw new NotevaultError('invalid_notes');
  if (sent.length > NOTES_MAX) throw new NotevaultError('too_many_notes', { max: NOTES_MAX });
  if (!sent.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))) {
    throw new NotevaultError('invalid_notes');
  }
  const spell = spellingOf();
  const seen = new Set<string>();
  return sent.map((fields: Record<string, unknown>) => {
    const path = typeof fields.path === 'string' ? fields.path : '';
    const faults = faultsOf(fields);
    if (faults !== null) return { path, note: null, result: failed(path, faults) };
    const input = fields as UpsertNote;
    try {
      const stored = spell(notePathOf(input.path));
      const pathKey = deps.entries.pathKey(vault, stored);
      const key = pathKey.toString('hex');
      if (seen.has(key)) return { path, note: null, result: failed(path, DUPLICATE) };
      seen.add(key);
      return { path, note: { ...input, path: stored, pathKey } };
    } catch (error) {
      if (error instanceof NotevaultError) return { path, note: null, result: rejectionOf(input.path, error) };
      throw error;
    }
  });
}

function okResult(path: string, { note, gaveWay }: CommittedNote): BatchResult {
  const { meta } = note;
  return {
    status: 'ok',
    path,
    id: note.id,
    content_hash: meta.hash,
    version: note.version,
    parse_status: meta.parseStatus,
    ...(meta.parseFault === null ? {} : { parse_reason: meta.parseFault }),
    ...(meta.path === path ? {} : { server_path: meta.path }),
    ...mergedOf(gaveWay),
  };
}

function failed(path: string, errors: Record<string, readonly string[]>): BatchResult {
  return { status: 'error', path, errors: { ...errors } as Record<string, string[]> };
}

/** Maps the error of a single upsert to the result of an item. */
function rejectionOf(path: string, error: NotevaultError): BatchResult {
  switch (error.code) {
    case 'version_conflict':
    case 'conflict': {
      const { server_note, server_path, reason } = error.details as Partial<BatchResult>;
      const more = {
        ...(server_path === undefined ? {} : { server_path }),
        ...(reason === undefined ? {} : { reason }),
      };
      return { status: 'conflict', conflict: true, path, server_note: server_note ?? null, ...more };
    }
    case 'note_too_large':
      return failed(path, TOO_LARGE);
    case 'note_unreadable':
      return failed(path, DAMAGED);
    case 'validation':
      return failed(path, error.details.errors as Record<string, string[]>);
    default:
      throw error;
  }
}

/** Limits the memory of a batch, regardless of the size of its notes. */
class Budgets {
  readonly #buffered = new Map<number, number>();
  #total = 0;
  #response = 0;

  /** Throws for an item that exceeds the limit. */
  reserve(index: number, parts: readonly (Buffer | null)[]): void {
    const size = parts.reduce((sum, part) => sum + (part?.length ?? 0), 0);
    // An item that is prepared again replaces its earlier size.
    this.#total += size - (this.#buffered.get(index) ?? 0);
    this.#buffered.set(index, size);
    if (this.#total <= RESULT_BYTES_MAX) return;
    this.#total -= size;
    this.#buffered.delete(index);
    throw new NotevaultError('validation', { errors: TOO_MUCH });
  }

  /** A conflict includes its note while there is room in the answer; otherwise the client reads the note itself. */
  fit(result: BatchResult): BatchResult {
    const note: Note | null | undefined = result.server_note;
    if (note == null) return result;
    this.#response += Buffer.byteLength(note.content, 'utf8');
    if (this.#response <= RESPONSE_BYTES_MAX) return result;
    const { server_note: _, ...rest } = result;
    return { ...rest, server_path: note.path };
  }
}

const upsertNote = Compile(UpsertNote);

/** Returns the validation messages of an upsert by field; null when it is valid. */
function faultsOf(fields: unknown): Record<string, string[]> | null {
  // Listing the faults of a valid note takes a hundred times as long as finding that it has none.
  if (upsertNote.Check(fields)) return null;
  const [, faults] = upsertNote.Errors(fields);
  const messages: Record<string, string[]> = {};
  for (const { instancePath, keyword, params, message } of faults) {
    if (keyword === 'required') {
      for (const field of (params as { requiredProperties: string[] }).requiredProperties) {
        messages[field] = ['is required'];
      }
    } else {
      const field = instancePath.split('/').slice(1).join('.');
      messages[field] = [...(messages[field] ?? []), message];
    }
  }
  return messages;
}
