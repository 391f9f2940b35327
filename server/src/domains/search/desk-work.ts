import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnalyzedNote, analyzeInSteps } from '@notevault/search-index/analysis/analyzer.ts';
import { type NotePassages, passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import { FrozenSegment } from '@notevault/search-index/index/frozen-segment.ts';
import { decodeSegment, encodeSegment } from '@notevault/search-index/index/segment-codec.ts';
import { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { parseQuery } from '@notevault/search-index/query/query-parser.ts';
import { type SearchHit, searchIndex } from '@notevault/search-index/ranking/hybrid.ts';
import { idfOf } from '@notevault/search-index/ranking/idf.ts';
import { type Snippet, SnippetMaker } from '@notevault/search-index/snippets/snippet.ts';
import { unpackVectors } from '@notevault/search-index/vectors/note-vectors.ts';
import { VaultVectors } from '@notevault/search-index/vectors/vault-vectors.ts';
import type { SealingKey, SharedKey } from '../../engines/keyring/keyring.ts';
import type { NoteMeta, SealedNote } from '../notes/notes.ts';
import type {
  Desk,
  Found,
  FoundNote,
  Frozen,
  IndexState,
  KeptSegments,
  Piece,
  SealedText,
  SealedVectors,
} from './desk.ts';
import { vectorsPlace } from './index-format.ts';

/** What the desk is given to work with: it knows no key and no table itself. */
export interface DeskParts {
  openKey(shared: SharedKey): SealingKey;
  /** Throws when the note is damaged. */
  openMeta(key: SealingKey, note: SealedNote): NoteMeta;
  openContent(key: SealingKey, note: SealedText): string;
  uuid(): string;
  /** Bytes that all indexes may take together; the one in use may take more. */
  readonly maxBytes: number;
}

/** What is not asked over the talk, but told with every answer. */
export interface Measured {
  /** Memory that all indexes take. */
  bytes(): number;
}

/** One vault's index in memory. */
interface Held {
  index: VaultIndex;
  readonly epoch: number;
  readonly floor: number;
  readonly unreadable: Set<string>;
  /** Names of frozen segments; those of the vault's rows, and fresh ones. */
  readonly names: Map<FrozenSegment, { id: string; parts: number; kept: boolean }>;
  unkept: number;
  tidying: Promise<void> | null;
  /** Questions that put notes into it at the moment. */
  feeding: number;
  vectors: VaultVectors | null;
  bytes: number;
}

/** A short section is shown with what follows it. */
const leastPiece = 600;
const partBytes = 1 << 20;
/** What is not frozen costs several times as much memory. */
const freshBytes = 8 << 20;
const sliceMs = 10;
const segmentsPlace = (vault: string, seq: number) => ({ kind: 'search_indexes.segments', row: vault, version: seq });
const partPlace = (segment: string, part: number) => ({ kind: 'search_segments.data', row: segment, version: part });

export function createDesk(parts: DeskParts): Desk & Measured {
  /** By vault; the order is that of last use. */
  const held = new Map<string, Held>();
  const loading = new Map<string, Map<string, Uint8Array[]>>();
  const encoded = new Map<string, Uint8Array>();

  function use(vault: string): Held | undefined {
    const found = held.get(vault);
    if (found === undefined) return undefined;
    held.delete(vault);
    held.set(vault, found);
    return found;
  }

  function used(vault: string): Held {
    const found = use(vault);
    if (found === undefined) throw new RangeError('the index is not in memory');
    return found;
  }

  function bytes(): number {
    return held.values().reduce((total, { bytes }) => total + bytes, 0);
  }

  /** Drops what was not used for longest, until the rest fits. */
  function measure(own: Held): void {
    own.bytes = own.index.bytes + (own.vectors?.bytes ?? 0);
    let sum = bytes();
    for (const [vault, each] of held) {
      if (sum <= parts.maxBytes) return;
      if (each === own || each.tidying !== null || each.feeding > 0) continue;
      held.delete(vault);
      sum -= each.bytes;
    }
  }

  /** Takes notes in, each as a whole, and does other things between steps. */
  function* take(own: Held, key: SealingKey, notes: readonly SealedNote[]): Generator<void, void> {
    for (const note of notes) {
      if (note.seq <= own.index.seq) continue;
      const analysed = note.deleted ? null : yield* analysedOf(key, note);
      put(own, note, analysed);
      yield;
    }
  }

  function put(own: Held, note: SealedNote, analysed: AnalyzedNote | null): void {
    own.unkept += 1;
    own.unreadable.delete(note.id);
    if (analysed !== null) {
      own.index.put(analysed);
      own.vectors?.noteWritten(note.id, analysed.info);
    } else {
      own.index.remove(note.id);
      own.vectors?.remove(note.id);
      if (!note.deleted) own.unreadable.add(note.id);
    }
  }

  /** One damaged note must not keep the others from being found: it is counted instead. */
  function* analysedOf(key: SealingKey, note: SealedNote): Generator<void, AnalyzedNote | null> {
    try {
      const meta = parts.openMeta(key, note);
      return yield* analyzeInSteps({
        ...meta,
        id: note.id,
        seq: note.seq,
        version: note.version,
        content: parts.openContent(key, note),
      });
    } catch {
      return null;
    }
  }

  /** Freezes and merges beside whatever else is asked; one run at a time. */
  function tidy(own: Held): Promise<void> {
    own.index.startSegment();
    own.tidying ??= run(own.index.compact()).finally(() => {
      own.tidying = null;
      own.bytes = own.index.bytes + (own.vectors?.bytes ?? 0);
    });
    return own.tidying;
  }

  return {
    bytes,
    state({ vault, epoch }) {
      const found = use(vault);
      return found === undefined || found.epoch !== epoch ? null : stateOf(found);
    },
    load({ vault, key, segment, part, data }) {
      const segments = loading.get(vault) ?? new Map<string, Uint8Array[]>();
      loading.set(vault, segments);
      const pieces = segments.get(segment) ?? [];
      pieces[part] = parts.openKey(key).open(partPlace(segment, part), data);
      segments.set(segment, pieces);
    },
    start({ vault, key, epoch, floor, kept }) {
      const pieces = loading.get(vault);
      loading.delete(vault);
      const own: Held = {
        ...{ index: new VaultIndex(), epoch, floor, unreadable: new Set<string>(), names: new Map() },
        ...{ unkept: 0, tidying: null, feeding: 0, vectors: null, bytes: 0 },
      };
      if (kept !== null) {
        const json = parts.openKey(key).open(segmentsPlace(vault, kept.seq), kept.segments);
        const { segments, unreadable } = JSON.parse(json.toString('utf8')) as KeptSegments;
        const frozen = segments.map(({ id }) => new FrozenSegment(decodeSegment(Buffer.concat(pieces?.get(id) ?? []))));
        own.index = VaultIndex.fromSegments(frozen, kept.seq);
        frozen.forEach((segment, at) => {
          const name = segments[at];
          if (name !== undefined) own.names.set(segment, { ...name, kept: true });
        });
        for (const id of unreadable) own.unreadable.add(id);
      }
      held.set(vault, own);
      measure(own);
      return stateOf(own);
    },
    async feed({ vault, key, notes, upTo }) {
      const own = used(vault);
      own.feeding += 1;
      await run(take(own, parts.openKey(key), notes)).finally(() => {
        own.feeding -= 1;
      });
      own.index.seq = Math.max(own.index.seq, upTo);
      if (own.index.activeBytes > freshBytes) void tidy(own);
      measure(own);
      return stateOf(own);
    },
    search({ vault, epoch, seq, query, model, ...wish }): Found | null {
      const own = use(vault);
      if (own === undefined || own.epoch !== epoch || own.index.seq < seq) return null;
      const vectors = own.vectors?.model === model ? own.vectors : null;
      const { hits, words } = searchIndex(own.index, vectors, parseQuery(query), wish);
      return { words, hits: hits.flatMap((hit) => foundNote(own.index, hit)) };
    },
    rarity: ({ vault, words }) => {
      const index = use(vault)?.index;
      return words.map((word) => (index === undefined ? 1 : idfOf(index, word)));
    },
    vectorState({ vault, epoch, model }) {
      const own = use(vault);
      if (own === undefined || own.epoch !== epoch) return null;
      return { vseq: own.vectors?.model === model ? own.vectors.vseq : 0 };
    },
    feedVectors({ vault, key, model, rows, upTo }) {
      const own = use(vault);
      if (own === undefined) return;
      if (own.vectors?.model !== model) own.vectors = new VaultVectors(model);
      const opened = parts.openKey(key);
      for (const row of rows) if (row.vseq > own.vectors.vseq) putVectors(own.vectors, opened, row);
      own.vectors.vseq = Math.max(own.vectors.vseq, upTo);
      measure(own);
    },
    async passages({ key, notes }) {
      const opened = parts.openKey(key);
      const prepared: (NotePassages | null)[] = [];
      await run(passagesOf(parts, opened, notes, prepared));
      return prepared;
    },
    excerpts({ key, words, pieces }) {
      const opened = parts.openKey(key);
      const excerpts = new SnippetMaker(words);
      return pieces.map((piece) => excerptOfPiece(parts, opened, excerpts, piece));
    },
    async freeze({ vault, key }): Promise<Frozen> {
      const own = used(vault);
      await own.tidying;
      const { seq } = own.index;
      // What comes from here on is not in the segments, nor counted as kept.
      own.unkept = 0;
      await tidy(own);
      const segments = own.index.frozenSegments.map((segment) => {
        const known = own.names.get(segment);
        if (known !== undefined) return { id: known.id, parts: known.parts, fresh: !known.kept };
        const bytes = encodeSegment(segment.arrays);
        const name = { id: parts.uuid(), parts: Math.max(1, Math.ceil(bytes.length / partBytes)), kept: false };
        own.names.set(segment, name);
        encoded.set(name.id, bytes);
        return { id: name.id, parts: name.parts, fresh: true };
      });
      for (const segment of own.names.keys())
        if (!own.index.frozenSegments.includes(segment)) own.names.delete(segment);
      const kept: KeptSegments = {
        segments: segments.map(({ id, parts: count }) => ({ id, parts: count })),
        unreadable: [...own.unreadable],
      };
      const sealed = parts.openKey(key).seal(segmentsPlace(vault, seq), Buffer.from(JSON.stringify(kept), 'utf8'));
      return { seq, segments, sealed };
    },
    part({ vault, key, segment, part }) {
      const name = [...used(vault).names].find(([, { id }]) => id === segment);
      if (name === undefined) throw new RangeError('there is no such segment');
      const bytes = encoded.get(segment) ?? encodeSegment(name[0].arrays);
      encoded.set(segment, bytes);
      return parts
        .openKey(key)
        .seal(partPlace(segment, part), bytes.subarray(part * partBytes, (part + 1) * partBytes));
    },
    kept({ vault }) {
      encoded.clear();
      for (const name of held.get(vault)?.names.values() ?? []) name.kept = true;
    },
    drop({ vault }) {
      held.delete(vault);
      loading.delete(vault);
    },
  };
}

function stateOf({ index, floor, unreadable, unkept, bytes }: Held): IndexState {
  return { seq: index.seq, floor, notes: index.noteCount, unreadable: unreadable.size, unkept, bytes };
}

function foundNote(index: VaultIndex, hit: SearchHit): FoundNote[] {
  const { id, score, matches, location } = hit;
  const found = index.find(id);
  if (found === undefined) return [];
  const { seq, path, title } = found.segment.info(found.note);
  return [{ id, seq, score, matches, path, title, ...location }];
}

/** A note whose vectors are damaged is found by its words only. */
function putVectors(vectors: VaultVectors, key: SealingKey, { id, version, data }: SealedVectors): void {
  vectors.remove(id);
  if (data === null) return;
  try {
    vectors.put(id, version, unpackVectors(key.open(vectorsPlace(id, version), data)));
  } catch {
    vectors.remove(id);
  }
}

/** Adds what of each note is to be embedded; null for one that cannot be read. */
function* passagesOf(
  parts: DeskParts,
  key: SealingKey,
  notes: readonly SealedNote[],
  prepared: (NotePassages | null)[],
): Generator<void, void> {
  for (const note of notes) {
    try {
      prepared.push(passagesOfNote(parts.openMeta(key, note).title, parts.openContent(key, note)));
    } catch {
      prepared.push(null);
    }
    yield;
  }
}

function excerptOfPiece(parts: DeskParts, key: SealingKey, excerpts: SnippetMaker, piece: Piece): Snippet | null {
  try {
    const end = Math.max(piece.end, piece.start + leastPiece);
    return excerpts.snippetOf(parts.openContent(key, piece).slice(piece.start, end));
  } catch {
    return null;
  }
}

/** Runs steps in slices of time, so that questions are answered in between. */
async function run(steps: Generator<void, void>): Promise<void> {
  let since = performance.now();
  while (steps.next().done !== true) {
    if (performance.now() - since < sliceMs) continue;
    await nextTurn();
    since = performance.now();
  }
}
