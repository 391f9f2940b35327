import type { AnalyzedNote } from '@notevault/search-index/analysis/analyzer.ts';
import { FrozenSegment } from '@notevault/search-index/index/frozen-segment.ts';
import { decodeSegment } from '@notevault/search-index/index/segment-codec.ts';
import { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { unpackVectors } from '@notevault/search-index/vectors/note-vectors.ts';
import { VaultVectors } from '@notevault/search-index/vectors/vault-vectors.ts';
import type { SealingKey } from '../../../../ports/keyring/keyring.ts';
import type { SealedNote } from '../../../content/notes/notes.ts';
import { vectorsContext } from '../seal-contexts.ts';
import { runInSlices } from './run-in-slices.ts';
import { SegmentNames } from './segment-names.ts';
import type { IndexState, SealedVectors, SegmentList } from './worker-api.ts';

/** The active segment is frozen beyond this: it takes several times the memory of a frozen one. */
const MAX_ACTIVE_BYTES = 8 << 20;

/** One vault's index in the memory of the search thread, with its vectors. */
export class LoadedIndex {
  readonly epoch: number;
  readonly floor: number;
  readonly index: VaultIndex;
  readonly segmentNames = new SegmentNames();
  /** Ids of notes that cannot be read. */
  readonly unreadable: Set<string>;
  unstored = 0;
  bytes = 0;
  #compaction: Promise<void> | null = null;
  /** Number of requests that are adding notes. */
  #writers = 0;
  #vectors: VaultVectors | null = null;

  private constructor(epoch: number, floor: number, index: VaultIndex, unreadable: readonly string[]) {
    this.epoch = epoch;
    this.floor = floor;
    this.index = index;
    this.unreadable = new Set(unreadable);
  }

  static empty(epoch: number, floor: number): LoadedIndex {
    return new LoadedIndex(epoch, floor, new VaultIndex(), []);
  }

  /** @param parts the parts of each segment by its id. Throws when they are not segments. */
  static fromStored(
    epoch: number,
    floor: number,
    seq: number,
    { segments, unreadable }: SegmentList,
    parts: ReadonlyMap<string, readonly Uint8Array[]>,
  ): LoadedIndex {
    const frozen = segments.map(({ id }) => new FrozenSegment(decodeSegment(Buffer.concat(parts.get(id) ?? []))));
    const loaded = new LoadedIndex(epoch, floor, VaultIndex.fromSegments(frozen, seq), unreadable);
    frozen.forEach((segment, at) => {
      const name = segments[at];
      if (name !== undefined) loaded.segmentNames.addStored(segment, name.id, name.parts);
    });
    return loaded;
  }

  get state(): IndexState {
    return {
      seq: this.index.seq,
      floor: this.floor,
      notes: this.index.noteCount,
      unreadable: this.unreadable.size,
      unstored: this.unstored,
      bytes: this.bytes,
    };
  }

  /** Whether work is under way that would be lost if the index were dropped. */
  get isBusy(): boolean {
    return this.#compaction !== null || this.#writers > 0;
  }

  measure(): void {
    this.bytes = this.index.bytes + (this.#vectors?.bytes ?? 0);
  }

  /** Runs steps that add notes, each note completely. The index is then complete up to `upTo`. */
  async addNotes(steps: Generator<void, void>, upTo: number): Promise<void> {
    this.#writers += 1;
    try {
      await runInSlices(steps);
    } finally {
      this.#writers -= 1;
    }
    this.index.seq = Math.max(this.index.seq, upTo);
    if (this.index.activeBytes > MAX_ACTIVE_BYTES) void this.compact();
  }

  /** @param analyzed null for a deleted note, and for one that cannot be read. */
  addNote({ id, deleted }: SealedNote, analyzed: AnalyzedNote | null): void {
    this.unstored += 1;
    this.unreadable.delete(id);
    if (analyzed !== null) {
      this.index.put(analyzed);
      this.#vectors?.noteWritten(id, analyzed.info);
    } else {
      this.index.remove(id);
      this.#vectors?.remove(id);
      if (!deleted) this.unreadable.add(id);
    }
  }

  /** Freezes and merges segments while other requests are answered. Only one compaction runs at a time. */
  compact(): Promise<void> {
    this.index.startSegment();
    this.#compaction ??= runInSlices(this.index.compact()).finally(() => {
      this.#compaction = null;
      this.measure();
    });
    return this.#compaction;
  }

  /** Freezes all notes added so far and returns the seq that the frozen segments are complete up to. */
  async freeze(): Promise<number> {
    // A running compaction does not see notes that were added since it began.
    await this.#compaction;
    const { seq } = this.index;
    // Notes added from here on are not in the frozen segments.
    this.unstored = 0;
    await this.compact();
    return seq;
  }

  /** Null when there are none in memory. */
  vectorsOf(model: string | null): VaultVectors | null {
    return this.#vectors?.model === model ? this.#vectors : null;
  }

  addVectors(key: SealingKey, model: string, rows: readonly SealedVectors[], upTo: number): void {
    const vectors = this.vectorsOf(model) ?? new VaultVectors(model);
    this.#vectors = vectors;
    for (const row of rows) if (row.vseq > vectors.vseq) putVectors(vectors, key, row);
    vectors.vseq = Math.max(vectors.vseq, upTo);
  }
}

/** Adds a note's vectors; a note with damaged or missing vectors is found by its words only. */
function putVectors(vectors: VaultVectors, key: SealingKey, { id, version, data }: SealedVectors): void {
  vectors.remove(id);
  if (data === null) return;
  try {
    vectors.put(id, version, unpackVectors(key.open(vectorsContext(id, version), data)));
  } catch {
    vectors.remove(id);
  }
}
