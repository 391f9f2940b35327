import type { NotePassages, Passage } from '@notevault/search-index/analysis/passages.ts';
import { isSameTitle, packVectors, unpackVectors } from '@notevault/search-index/vectors/note-vectors.ts';
import { quantize } from '@notevault/search-index/vectors/quantize.ts';
import { EmbedderError } from '../../../../ports/embedder/embedder.ts';
import type { SealedNote } from '../../../content/notes/notes.ts';
import { vectorsContext } from '../seal-contexts.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';
import type { EmbeddingLease, VectorsToStore } from './embedding-lease.ts';
import * as store from './vectors.store.ts';

/** Passages of one call to the embedder: a note of thousands of chunks must not hold all its vectors at once. */
const PASSAGES_PER_CALL = 128;
/** A note that failed is tried again after this time, then after twice as long, up to a day. */
export const FIRST_RETRY_MS = 10 * 60_000;
export const MAX_RETRY_MS = 24 * 60 * 60_000;

interface NoteToEmbed {
  readonly note: SealedNote;
  readonly passages: NotePassages;
}

interface EmbeddedNote {
  readonly note: SealedNote;
  /** Sealed; null when the embedder refuses the note. */
  readonly data: Buffer | null;
}

/** The stored version and number of failures of each note, by id. */
type StoredVersions = ReadonlyMap<string, { readonly version: number; readonly failures: number }>;

export class NoteEmbedder {
  readonly #deps: SearchDeps;
  notesInProgress = 0;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /**
   * Embeds some notes of a vault, which is then embedded up to a seq. Resolves to false when the lease was lost.
   *
   * @param notes deleted notes lose their vectors.
   */
  async embedNotes(lease: EmbeddingLease, notes: readonly SealedNote[], upTo: number, signal: AbortSignal) {
    const live = notes.filter(({ deleted }) => !deleted);
    const versions = await this.#storedVersions(lease, live);
    const passages = await this.#passagesOf(lease, live);
    const rows: VectorsToStore[] = [];
    const toEmbed: NoteToEmbed[] = [];
    for (const [index, note] of live.entries()) {
      const own = passages[index] ?? null;
      if (own === null) rows.push(this.#failureOf(note, versions));
      else if (!(await this.#hasCurrentVectors(lease, note, own.title, versions)))
        toEmbed.push({ note, passages: own });
    }
    this.notesInProgress += toEmbed.length;
    const embedded = await this.#embedAll(lease, toEmbed, signal).finally(() => {
      this.notesInProgress -= toEmbed.length;
    });
    for (const { note, data } of embedded) {
      const { id, version } = note;
      rows.push(
        data === null ? this.#failureOf(note, versions) : { note_id: id, version, data, failures: 0, retry_at: null },
      );
    }
    const deletedNotes = notes.filter(({ deleted }) => deleted).map(({ id }) => id);
    return lease.store({ rows, deletedNotes, upTo });
  }

  #passagesOf({ vault }: EmbeddingLease, notes: readonly SealedNote[]): Promise<(NotePassages | null)[]> {
    const transfer = new TransferList();
    const posted = notes.map((note) => transfer.addNote(note));
    return this.#deps.worker.request('passages', { key: vault.key.share(0), notes: posted }, transfer);
  }

  #failureOf({ id, version }: SealedNote, versions: StoredVersions): VectorsToStore {
    const failures = (versions.get(id)?.failures ?? 0) + 1;
    const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
    return { note_id: id, version, data: null, failures, retry_at: this.#deps.clock.now() + wait };
  }

  /** Embeds notes together. When the embedder refuses, it embeds each alone, to find out which one is refused. */
  async #embedAll(lease: EmbeddingLease, notes: readonly NoteToEmbed[], signal: AbortSignal): Promise<EmbeddedNote[]> {
    const passages = notes.flatMap(({ passages: own }) => own.passages);
    if (passages.length === 0) return [];
    const vectors = await this.#tryPassages(passages, signal);
    if (vectors !== null) {
      return notes.map(({ note, passages: own }) => {
        const ownVectors = vectors.splice(0, own.passages.length);
        return { note, data: sealVectors(lease, note, own, ownVectors) };
      });
    }
    const [first] = notes;
    if (notes.length === 1 && first !== undefined) return [{ note: first.note, data: null }];
    const embedded: EmbeddedNote[] = [];
    for (const note of notes) embedded.push(...(await this.#embedAll(lease, [note], signal)));
    return embedded;
  }

  /** Null when the embedder refuses them. */
  async #tryPassages(passages: readonly Passage[], signal: AbortSignal): Promise<Float32Array[] | null> {
    const vectors: Float32Array[] = [];
    try {
      for (let from = 0; from < passages.length; from += PASSAGES_PER_CALL) {
        vectors.push(...(await this.#embedAndRest(passages.slice(from, from + PASSAGES_PER_CALL), signal)));
      }
    } catch (error) {
      if (error instanceof EmbedderError && error.code === 'refused') return null;
      throw error;
    }
    return vectors;
  }

  async #embedAndRest(passages: readonly Passage[], signal: AbortSignal): Promise<Float32Array[]> {
    const { embedder, rest } = this.#deps;
    const started = performance.now();
    const vectors = await embedder.embedPassages(passages, signal);
    await rest(performance.now() - started, signal);
    return vectors;
  }

  async #storedVersions({ vault, space }: EmbeddingLease, notes: readonly SealedNote[]): Promise<StoredVersions> {
    const ids = notes.map(({ id }) => id as string);
    const rows = await this.#deps.db.allMany(store.findVersions, { vault_id: vault.id }, ids);
    return new Map(rows.filter(({ model }) => model === space.id).map((row) => [row.note_id, row]));
  }

  /** Whether a note has vectors of its text that were made under its title. */
  async #hasCurrentVectors(
    { vault, space }: EmbeddingLease,
    { id, version }: SealedNote,
    title: string,
    versions: StoredVersions,
  ): Promise<boolean> {
    if (versions.get(id)?.version !== version) return false;
    const [row] = await this.#deps.db.allMany(store.findVectorsOf, { vault_id: vault.id, model: space.id }, [id]);
    if (row === undefined || row.data === null) return false;
    try {
      const { title: stored } = unpackVectors(vault.key.open(vectorsContext(id, row.version), row.data));
      return isSameTitle(stored, title);
    } catch {
      // Damaged vectors are made again.
      return false;
    }
  }
}

function sealVectors(
  { vault, space }: EmbeddingLease,
  note: SealedNote,
  { title, chunks }: NotePassages,
  vectors: readonly Float32Array[],
): Buffer {
  const packed = packVectors({ title, chunks, vectors: quantize(vectors, space.dimensions) });
  return vault.key.seal(vectorsContext(note.id, note.version), packed);
}
