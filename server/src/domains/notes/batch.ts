import { foldPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { PlacedNote } from './basis.ts';
import { type Committed, type Plan, writeNotes } from './commit.ts';
import { type BatchResult, faultsOf, type Note, type UpsertNote } from './notes.schema.ts';
import type { NoteParts, Writing } from './parts.ts';
import type { Turns } from './turns.ts';
import { planUpsert } from './upsert.ts';
import { notePathOf } from './view.ts';

const NOTES_MAX = 100;
const MB = 1024 * 1024;
/** What may wait in memory for the one transaction, and what may go out in one answer: a hundred notes can be 10 MB each. */
const HELD_BYTES_MAX = 256 * MB;
const ANSWERED_BYTES_MAX = 64 * MB;

const TOO_LARGE = { content: ['exceeds maximum size of 10MB'] };
const DUPLICATE = { path: ['duplicate path in batch'] };
const DAMAGED = { content: ['the stored note is damaged and takes no writes'] };
const TOO_MUCH = { content: ['too much in one batch: send this note in another one'] };

/** One item of a batch: a note to write, or its result already. */
type Item = { readonly path: string } & (
  | { readonly note: PlacedNote }
  | { readonly note: null; readonly result: BatchResult }
);

/**
 * Upserts up to a hundred notes in one transaction, each standing alone (contract section 4, "Batch upsert"). Throws
 * `invalid_notes`, `too_many_notes`, and for the whole batch `limit_exceeded`.
 */
export function upsertBatch(
  parts: NoteParts,
  turns: Turns,
  writing: Writing<BatchResult[]>,
  sent: unknown,
): Promise<BatchResult[]> {
  const items = readItems(parts, writing, sent);
  const results = items.map((item) => (item.note === null ? item.result : null));
  const written = items.flatMap((item, index) => (item.note === null ? [] : [{ note: item.note, index }]));
  const sizes = new Budgets();
  const ids = new Map<NoteId, number>();
  const at = (index: number) => {
    const found = written[index];
    if (found === undefined) throw new RangeError('no such item');
    return found;
  };

  async function plan(index: number): Promise<Plan> {
    const planned = await planUpsert(parts, writing, at(index).note, 'batch');
    if (planned.kind === 'same') return planned;
    const { basis, next } = planned;
    const other = basis.kind === 'live' ? index : (ids.get(next.id) ?? index);
    // As if they came one after the other: the second asks for the id of a live note at another path.
    if (other !== index) throw new NotevaultError('conflict', { server_path: at(other).note.path });
    ids.set(next.id, index);
    sizes.hold(index, [next.content, next.doc, next.kept?.content ?? null]);
    return planned;
  }

  const keys = written.map(({ note }) => note.pathKey.toString('hex'));
  return turns.takeAll(writing.vault.id, keys, () =>
    writeNotes(parts, writing, written.length, {
      plan,
      refuse(index, error) {
        const { note, index: place } = at(index);
        results[place] = sizes.fit(refusal(items[place]?.path ?? note.path, error));
      },
      async answer(_handle, done) {
        const all = [...results];
        for (const [index, committed] of done) {
          const place = at(index).index;
          all[place] = okResult(items[place]?.path ?? '', committed);
        }
        return all.map((result) => {
          if (result === null) throw new TypeError('an item was neither written nor refused');
          return result;
        });
      },
    }),
  );
}

/** Everything that can be said of the items without looking at the vault. */
function readItems(parts: NoteParts, { vault }: Writing, sent: unknown): Item[] {
  if (!Array.isArray(sent)) throw new NotevaultError('invalid_notes');
  if (sent.length > NOTES_MAX) throw new NotevaultError('too_many_notes', { max: NOTES_MAX });
  if (!sent.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item))) {
    throw new NotevaultError('invalid_notes');
  }
  const spell = spelling();
  const seen = new Set<string>();
  return sent.map((fields: Record<string, unknown>) => {
    const path = typeof fields.path === 'string' ? fields.path : '';
    const faults = faultsOf(fields);
    if (faults !== null) return { path, note: null, result: failed(path, faults) };
    const input = fields as UpsertNote;
    try {
      const stored = spell(notePathOf(input.path));
      const pathKey = parts.tree.pathKey(vault, stored);
      const key = pathKey.toString('hex');
      if (seen.has(key)) return { path, note: null, result: failed(path, DUPLICATE) };
      seen.add(key);
      return { path, note: { ...input, path: stored, pathKey } };
    } catch (error) {
      if (error instanceof NotevaultError) return { path, note: null, result: refusal(input.path, error) };
      throw error;
    }
  });
}

/** Folders that do not exist yet get one spelling in a batch: the first one. */
function spelling(): (path: string) => string {
  const spelled = new Map<string, string>();
  return (path) => {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let folder = '';
    for (const name of names) {
      const asSent = folder + name;
      const key = foldPath(asSent);
      const known = spelled.get(key) ?? asSent;
      spelled.set(key, known);
      folder = `${known}/`;
    }
    return folder + file;
  };
}

function okResult(path: string, { note }: Committed): BatchResult {
  const { meta } = note;
  return {
    status: 'ok',
    path,
    id: note.id,
    content_hash: meta.hash,
    version: note.version,
    parse_status: meta.status,
    ...(meta.fault === null ? {} : { parse_reason: meta.fault }),
    ...(meta.path === path ? {} : { server_path: meta.path }),
  };
}

function failed(path: string, errors: Record<string, readonly string[]>): BatchResult {
  return { status: 'error', path, errors: { ...errors } as Record<string, string[]> };
}

/** How the error of a single upsert is told of an item. */
function refusal(path: string, error: NotevaultError): BatchResult {
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

/** Keeps a batch from growing past what memory should hold, whatever its notes weigh. */
class Budgets {
  readonly #held = new Map<number, number>();
  #answered = 0;

  /** Throws for an item that would be too much. */
  hold(index: number, parts: readonly (Buffer | null)[]): void {
    this.#held.set(
      index,
      parts.reduce((sum, part) => sum + (part?.length ?? 0), 0),
    );
    const total = [...this.#held.values()].reduce((sum, size) => sum + size, 0);
    if (total <= HELD_BYTES_MAX) return;
    this.#held.delete(index);
    throw new NotevaultError('validation', { errors: TOO_MUCH });
  }

  /** A conflict keeps its note while the answer has room; without it the client reads the note by itself. */
  fit(result: BatchResult): BatchResult {
    const note: Note | null | undefined = result.server_note;
    if (note == null) return result;
    this.#answered += Buffer.byteLength(note.content, 'utf8');
    if (this.#answered <= ANSWERED_BYTES_MAX) return result;
    const { server_note: _, ...rest } = result;
    return { ...rest, server_path: note.path };
  }
}
