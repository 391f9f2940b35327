import { aliasKey, attachmentNameKey, type Candidate, noteNameKey } from '@notevault/note-text/links/resolve.ts';
import type { YieldIfDue } from '../../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { ItemKind, MovingEntry } from '../../entries/entries.ts';
import type { NoteMeta } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { candidatesFor, type Extensions, type NameKey, nameKeys } from '../link-resolver.ts';

/** A move, with everything that planning its links needs. */
export interface Move {
  readonly extensions: Extensions;
  readonly handle: ReadHandle;
  readonly vault: OpenVault;
  readonly index: MoveIndex;
  readonly yieldIfDue: YieldIfDue;
}

/** A note or attachment that changes its path; attachments have no aliases. */
export interface MovedItem extends Pick<MovingEntry, 'id' | 'from' | 'to'> {
  readonly kind: ItemKind;
  readonly aliases: readonly string[];
}

/** Lookup tables of the moving items. */
export interface MoveIndex {
  readonly moveOf: ReadonlyMap<string, MovedItem>;
  /** The moving items by id, under their new paths. */
  readonly candidates: ReadonlyMap<string, Candidate>;
  readonly keyOf: NameKey;
  /** Candidates by the hex of their blind keys after the move. */
  readonly moved: ReadonlyMap<string, readonly Candidate[]>;
  /** Blind keys of the moving items before and after the move. An edge to one is looked up under one of the former. */
  readonly keys: readonly Buffer[];
  /** The same keys, in hex. */
  readonly names: ReadonlySet<string>;
}

export async function indexMoves(
  vault: OpenVault,
  moving: readonly MovingEntry[],
  yieldIfDue: YieldIfDue,
): Promise<MoveIndex> {
  const moved = new Map<string, Candidate[]>();
  const candidates = new Map<string, Candidate>();
  const keys = new Set<Buffer>();
  const keyOf = nameKeys(vault);
  const moveOf = new Map<string, MovedItem>();
  for (const { kind, id, from, to, meta } of moving) {
    await yieldIfDue();
    const aliases = kind === 'note' ? (meta as NoteMeta).aliases : [];
    const move = { kind, id, from, to, aliases };
    moveOf.set(id, move);
    const candidate: Candidate = { kind, id, path: to, aliases };
    candidates.set(id, candidate);
    for (const name of namesAt(move, move.from)) keys.add(keyOf(name));
    for (const name of new Set(namesAt(move, to))) {
      const key = keyOf(name);
      keys.add(key);
      const list = moved.get(key.toString('hex'));
      if (list === undefined) moved.set(key.toString('hex'), [candidate]);
      else list.push(candidate);
    }
  }
  const names = new Set([...keys].map((key) => key.toString('hex')));
  return { moveOf, candidates, keyOf, moved, keys: [...keys], names };
}

function namesAt({ kind, aliases }: MovedItem, path: string): string[] {
  return kind === 'note' ? [noteNameKey(path), ...aliases.map(aliasKey)] : [attachmentNameKey(path)];
}

export type CandidatesAfterMove = ReturnType<typeof candidatesAfterMove>;

/** Candidates as they will be after the move, moved items under their new names and paths; read by key as needed. */
export function candidatesAfterMove({ handle, vault, index }: Move) {
  const found = new Map<string, Candidate[]>();
  return {
    /** Reads the candidates under keys that were not read yet. */
    async fetch(keys: readonly Buffer[]): Promise<void> {
      const missing = keys.filter((key) => !found.has(key.toString('hex')));
      if (missing.length === 0) return;
      const { at } = await candidatesFor(handle, vault, missing, index.candidates);
      for (const key of missing) {
        const name = key.toString('hex');
        const staying = at([key]).filter(({ id }) => !index.moveOf.has(id));
        found.set(name, [...staying, ...(index.moved.get(name) ?? [])]);
      }
    },
    at: (keys: readonly Buffer[]) => keys.flatMap((key) => found.get(key.toString('hex')) ?? []),
  };
}
