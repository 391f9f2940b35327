import type { SealingKey } from '../../engines/keyring/keyring.ts';
import type { NoteInfo } from './analyse.ts';
import type { Masks } from './filters.ts';
import { isTitle, type SealedVectors, unpackVectors, type VectorPiece } from './note-vectors.ts';
import type { VaultIndex } from './vault-index.ts';
import { VectorMatrix } from './vector-matrix.ts';

/** A note that is near a query. */
export interface NearHit {
  readonly id: string;
  /** Cosine of its nearest piece. */
  readonly score: number;
  readonly piece: FoundPiece;
  /** How many of its pieces are near. */
  readonly matches: number;
}

/** Where in a note it was found. */
export interface FoundPiece {
  /** UTF-16 offsets in the content. */
  readonly start: number;
  readonly end: number;
  readonly heading: string;
}

/** What the vectors of a note were made of. */
interface Slot {
  readonly number: number;
  readonly version: number;
  readonly title: string;
  readonly pieces: readonly VectorPiece[];
  /** Whether the index was seen to have the note as it was then: reading that of hundreds of notes takes milliseconds. */
  isCurrent: boolean;
}

/** What a slot costs in memory, about. */
const slotBytes = 400;
/** Notes have several chunks: so many times as many are looked for. */
const chunksEach = 4;

/** The vectors of one vault and one model in memory. Only those of notes as the index has them are found. */
export class VaultVectors {
  readonly model: string;
  /** Complete up to this. */
  vseq = 0;
  #matrix: VectorMatrix | null = null;
  readonly #slots = new Map<string, Slot>();
  readonly #ids: string[] = [];
  readonly #free: number[] = [];

  constructor(model: string) {
    this.model = model;
  }

  get bytes(): number {
    return (this.#matrix?.bytes ?? 0) + this.#slots.size * slotBytes;
  }

  /** Takes vectors in, in place of those the note had. Damaged ones are left out: the note is found by its words. */
  put(key: SealingKey, row: SealedVectors): void {
    this.#remove(row.id);
    if (row.data === null) return;
    try {
      const place = vectorsPlace(row.id, row.version);
      const { title, pieces, vectors } = unpackVectors(key.open(place, row.data));
      this.#matrix ??= new VectorMatrix(vectors.dimensions);
      const number = this.#free.pop() ?? this.#ids.length;
      this.#matrix.set(number, vectors);
      this.#ids[number] = row.id;
      this.#slots.set(row.id, { number, version: row.version, title, pieces, isCurrent: false });
    } catch {
      // As above.
    }
  }

  /** A note was written: its vectors stay when they were made of the same. */
  noteWritten(id: string, info: Pick<NoteInfo, 'version' | 'title'>): void {
    const slot = this.#slots.get(id);
    // Vectors may also be ahead of the index.
    if (slot === undefined) return;
    slot.isCurrent = isOf(slot, info);
    if (slot.version <= info.version && !slot.isCurrent) this.#remove(id);
  }

  noteGone(id: string): void {
    this.#remove(id);
  }

  #remove(id: string): void {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.#matrix?.delete(slot.number);
    this.#slots.delete(id);
    this.#free.push(slot.number);
  }

  /** The notes nearest to a vector, best first; those that `allowed` says may be found, or all. */
  near(index: VaultIndex, query: Float32Array, count: number, allowed: Masks | null, least: number): NearHit[] {
    if (this.#matrix === null || this.#matrix.dimensions !== query.length) return [];
    const mask = allowed === null ? null : this.#mask(index, allowed);
    const found = new Map<string, { score: number; piece: FoundPiece; matches: number }>();
    for (const { note, chunk, score } of this.#matrix.search(query, count * chunksEach, mask)) {
      if (score <= least) break;
      const id = this.#ids[note] ?? '';
      const hit = found.get(id);
      if (hit !== undefined) hit.matches += 1;
      else if (found.size < count && this.#isCurrent(index, id))
        found.set(id, { score, piece: this.#piece(id, chunk), matches: 1 });
    }
    return [...found].map(([id, hit]) => ({ id, ...hit }));
  }

  #piece(id: string, chunk: number): FoundPiece {
    const pieces = this.#slots.get(id)?.pieces ?? [];
    const { end = 0, heading = '' } = pieces[chunk] ?? {};
    return { start: pieces[chunk - 1]?.end ?? 0, end, heading };
  }

  /** The vector of the piece around an offset; null when the note has none as it is now. */
  vectorAt(index: VaultIndex, id: string, offset: number): Float32Array | null {
    const slot = this.#slots.get(id);
    if (slot === undefined || this.#matrix === null || !this.#isCurrent(index, id)) return null;
    const chunk = slot.pieces.findIndex(({ end }) => offset < end);
    return this.#matrix.vectorOf(slot.number, Math.max(0, chunk));
  }

  #mask(index: VaultIndex, allowed: Masks): Uint8Array {
    const places = new Map(index.segments.map((segment, at) => [segment, allowed[at]]));
    const mask = new Uint8Array(this.#ids.length);
    for (const [id, { number }] of this.#slots) {
      const location = index.find(id);
      if (location !== undefined) mask[number] = places.get(location.segment)?.[location.note] ?? 0;
    }
    return mask;
  }

  /** Vectors may be ahead of the index, or behind it. */
  #isCurrent(index: VaultIndex, id: string): boolean {
    const location = index.find(id);
    const slot = this.#slots.get(id);
    if (location === undefined || slot === undefined) return false;
    slot.isCurrent ||= isOf(slot, location.segment.info(location.note));
    return slot.isCurrent;
  }
}

function isOf(slot: Slot, { version, title }: Pick<NoteInfo, 'version' | 'title'>): boolean {
  return slot.version === version && isTitle(slot.title, title);
}

export function vectorsPlace(note: string, version: number) {
  return { kind: 'search_vectors.data', row: note, version };
}
