import type { TextChange } from '@notevault/note-text/text-change.ts';
import { type AnalyzedNote, analyzeInSteps } from '@notevault/search-index/analysis/analyzer.ts';
import { type NotePassages, passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import type { FrozenSegment } from '@notevault/search-index/index/frozen-segment.ts';
import { encodeSegment } from '@notevault/search-index/index/segment-codec.ts';
import type { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { type NamingNote, namingNotes } from '@notevault/search-index/properties/naming-notes.ts';
import { type PackedLinks, unpackLinks } from '@notevault/search-index/properties/note-links.ts';
import { type PagePosition, type PropertyQuery, runQuery } from '@notevault/search-index/properties/query.ts';
import {
  listTasks,
  type TaskFilter,
  type TaskPage,
  type TaskPosition,
} from '@notevault/search-index/properties/task-list.ts';
import { parseQuery } from '@notevault/search-index/query/query-parser.ts';
import { type SearchHits, type SearchOptions, searchIndex } from '@notevault/search-index/ranking/hybrid.ts';
import { idfsOf } from '@notevault/search-index/ranking/idf.ts';
import type { MatchedWord } from '@notevault/search-index/ranking/rank.ts';
import { SnippetMaker } from '@notevault/search-index/snippets/snippet.ts';
import { snippetSource } from '@notevault/search-index/snippets/snippet-source.ts';
import type { SealingKey, SharedKey } from '../../../../ports/keyring/keyring.ts';
import type { NoteMeta, SealedNote } from '../../../content/notes/notes.ts';
import { findPlaces } from '../changes/find-places.ts';
import { findMentions } from '../mentions/find-mentions.ts';
import { segmentListContext, segmentPartContext } from '../seal-contexts.ts';
import { IndexCache } from './index-cache.ts';
import { LoadedIndex } from './loaded-index.ts';
import { runInSlices } from './run-in-slices.ts';
import type { SegmentName } from './segment-names.ts';
import {
  type ChangedPlaces,
  type FrozenIndex,
  type IndexRequest,
  type IndexState,
  type NoteMentions,
  type NotesToOpen,
  type Page,
  type QueryAnswer,
  type SealedText,
  type SealedVectors,
  type SegmentList,
  type SnippetSource,
  segmentList,
} from './worker-api.ts';

/** The dependencies of the worker, which itself knows no key and no table. */
export interface WorkerDeps {
  openKey(shared: SharedKey): SealingKey;
  /** Throws when the note is damaged. */
  openMeta(key: SealingKey, note: SealedNote): NoteMeta;
  openContent(key: SealingKey, note: SealedText): string;
  uuid(): string;
  /** Maximum bytes of all indexes together; the one in use may take more. */
  readonly maxBytes: number;
}

const PART_BYTES = 1 << 20;

type OpenedNote = NoteMeta & { readonly id: string; readonly content: string };

/**
 * Does the work of the search thread: holds the indexes and unseals values. All arguments and results of its methods
 * can be posted between threads.
 */
export class SearchWorker {
  readonly #deps: WorkerDeps;
  readonly #indexes: IndexCache;
  /** Loaded parts that wait for `createIndex`, by vault and segment. */
  readonly #loadingParts = new Map<string, Map<string, Uint8Array[]>>();
  /** Encoded segments whose parts are being read, by segment. */
  readonly #encodedSegments = new Map<string, Uint8Array>();

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#indexes = new IndexCache(deps.maxBytes);
  }

  get bytes(): number {
    return this.#indexes.bytes;
  }

  /** Null when the index is not in memory. */
  indexState({ vault, epoch }: { vault: string; epoch: number }): IndexState | null {
    return this.#find(vault, epoch)?.state ?? null;
  }

  /** Takes a part of a stored segment for the next `createIndex`. The parts of a segment come in order. */
  loadSegmentPart(params: { vault: string; key: SharedKey; segment: string; part: number; data: Uint8Array }): void {
    const { vault, key, segment, part, data } = params;
    const segments = this.#loadingParts.get(vault) ?? new Map<string, Uint8Array[]>();
    this.#loadingParts.set(vault, segments);
    const parts = segments.get(segment) ?? [];
    parts[part] = this.#deps.openKey(key).open(segmentPartContext(segment, part), data);
    segments.set(segment, parts);
  }

  /**
   * Makes an index of the loaded parts, or an empty one. Throws when the parts are not an index.
   *
   * @param params `floor` as in IndexState; `stored` is the index row of the loaded segments, with a sealed SegmentList.
   */
  createIndex(params: {
    vault: string;
    key: SharedKey;
    epoch: number;
    floor: number;
    stored: { readonly seq: number; readonly segments: Uint8Array } | null;
  }): IndexState {
    const { vault, key, epoch, floor, stored } = params;
    const parts = this.#loadingParts.get(vault) ?? new Map<string, Uint8Array[]>();
    this.#loadingParts.delete(vault);
    let index = LoadedIndex.empty(epoch, floor);
    if (stored !== null) {
      const list = segmentList.open(this.#deps.openKey(key), segmentListContext(vault, stored.seq), stored.segments);
      index = LoadedIndex.fromStored(epoch, floor, stored.seq, list, parts);
    }
    this.#indexes.set(vault, index);
    return index.state;
  }

  /** Adds notes in order of their seqs. The index is then complete up to `upTo`. */
  async addNotes(params: NotesToOpen & { vault: string; upTo: number }): Promise<IndexState> {
    const index = this.#get(params.vault);
    await index.addNotes(this.#addingSteps(index, this.#deps.openKey(params.key), params.notes), params.upTo);
    this.#indexes.makeRoomFor(index);
    return index.state;
  }

  *#addingSteps(index: LoadedIndex, key: SealingKey, notes: readonly SealedNote[]): Generator<void, void> {
    for (const note of notes) {
      if (note.seq <= index.index.seq) continue;
      const analyzed = note.deleted ? null : yield* this.#analyze(key, note);
      index.addNote(note, analyzed);
      yield;
    }
  }

  /** Resolves to null for a damaged note: it is counted, and must not keep the others from being found. */
  *#analyze(key: SealingKey, note: SealedNote): Generator<void, AnalyzedNote | null> {
    try {
      const meta = this.#deps.openMeta(key, note);
      const content = this.#deps.openContent(key, note);
      const { id, seq, version, file } = note;
      return yield* analyzeInSteps({ ...meta, id, seq, version, file, content });
    } catch {
      return null;
    }
  }

  /** Finds notes, by the vectors of a model if there is one; null when the index is not in memory or is behind `seq`. */
  search(params: SearchOptions & IndexRequest & { query: string; model: string | null }): SearchHits | null {
    const { vault, epoch, seq, query, model, ...options } = params;
    const loaded = this.#findUpTo({ vault, epoch, seq });
    return loaded && searchIndex(loaded.index, loaded.vectorsOf(model), parseQuery(query), options);
  }

  /** Answers a query over properties; null as for `search`. `links` are for queries that need them. */
  async query(params: IndexRequest & { query: PropertyQuery; page: Page<PagePosition>; links: PackedLinks | null }) {
    const loaded = this.#findUpTo(params);
    return loaded && runInSlices(querySteps(loaded.index, params.query, params.page, params.links));
  }

  /** Null as for `search`. */
  async tasks(params: IndexRequest & { filter: TaskFilter; page: Page<TaskPosition> }): Promise<TaskPage | null> {
    const loaded = this.#findUpTo(params);
    return loaded && runInSlices(listTasks(loaded.index, params.filter, params.page));
  }

  /** Lists the notes whose texts may contain a name, by id; null as for `search`. */
  namingNotes(params: IndexRequest & { names: readonly string[]; page: Page<string> }): NamingNote[] | null {
    const loaded = this.#findUpTo(params);
    return loaded && namingNotes(loaded.index, params.names, params.page);
  }

  /** Finds mentions in notes; unreadable notes are left out. */
  async mentionsIn({ names, ...lent }: NotesToOpen & { names: readonly string[] }): Promise<NoteMentions[]> {
    const found = await this.#ofEach(lent, (note): NoteMentions | null => {
      if (note === null) return null;
      const { id, path, title, content } = note;
      return { id, path, title, mentions: findMentions(content, names) };
    });
    return found.filter((mentions) => mentions !== null);
  }

  /** Finds the places of a change; notes that have none, or cannot be read, are left out. */
  async placesOf({ change, ...lent }: NotesToOpen & { change: TextChange }): Promise<ChangedPlaces[]> {
    const found = await this.#ofEach(lent, (note): ChangedPlaces | null => {
      const places = note && findPlaces(note.content, change);
      return places && { id: note.id, path: note.path, hash: note.hash, ...places };
    });
    return found.filter((places) => places !== null);
  }

  /** Makes something of each note in turn, in slices of time; of a damaged one, of null. */
  async #ofEach<Made>({ key, notes }: NotesToOpen, make: (note: OpenedNote | null) => Made): Promise<Made[]> {
    const opened = this.#deps.openKey(key);
    const made: Made[] = [];
    const steps = function* (this: SearchWorker) {
      for (const note of notes) {
        made.push(make(orNull(() => this.#open(opened, note))));
        yield;
      }
    };
    await runInSlices(steps.call(this));
    return made;
  }

  #open(key: SealingKey, note: SealedNote): OpenedNote {
    return { ...this.#deps.openMeta(key, note), id: note.id, content: this.#deps.openContent(key, note) };
  }

  /** Returns the inverse document frequency of each word in the vault's notes. */
  idf({ vault, words }: { vault: string; words: readonly string[] }): number[] {
    const index = this.#indexes.get(vault)?.index;
    return index === undefined ? words.map(() => 1) : idfsOf(index, words);
  }

  /** The vseq up to which a vault's vectors of a model are in memory; null when the vault's index is not. */
  vectorState({ vault, epoch, model }: { vault: string; epoch: number; model: string }): { vseq: number } | null {
    const index = this.#find(vault, epoch);
    return index === undefined ? null : { vseq: index.vectorsOf(model)?.vseq ?? 0 };
  }

  /** Adds vectors in order of their vseqs. They are then complete up to `upTo`. */
  addVectors(params: { vault: string; key: SharedKey; model: string; rows: readonly SealedVectors[]; upTo: number }) {
    const { vault, key, model, rows, upTo } = params;
    const index = this.#indexes.get(vault);
    if (index === undefined) return;
    index.addVectors(this.#deps.openKey(key), model, rows, upTo);
    this.#indexes.makeRoomFor(index);
  }

  /** The passages of notes to embed; null for a note that cannot be read. */
  passages(lent: NotesToOpen): Promise<(NotePassages | null)[]> {
    return this.#ofEach(lent, (note) => note && orNull(() => passagesOfNote(note.title, note.content)));
  }

  /** A snippet of each text; null for one that cannot be read. */
  snippets(params: { key: SharedKey; words: readonly MatchedWord[]; texts: readonly SnippetSource[] }) {
    const key = this.#deps.openKey(params.key);
    const maker = new SnippetMaker(params.words);
    const snippetOf = (text: SnippetSource) =>
      maker.snippetOf(snippetSource(this.#deps.openContent(key, text), text.start, text.end));
    return params.texts.map((text) => orNull(() => snippetOf(text)));
  }

  /** Freezes the index, so that its segments can be stored. */
  async freeze({ vault, key }: { vault: string; key: SharedKey }): Promise<FrozenIndex> {
    const loaded = this.#get(vault);
    const seq = await loaded.freeze();
    const names = loaded.segmentNames.update(loaded.index.frozenSegments, (segment) => this.#nameSegment(segment));
    const list: SegmentList = {
      segments: names.map(({ id, parts }) => ({ id, parts })),
      unreadable: [...loaded.unreadable],
    };
    const sealed = segmentList.seal(this.#deps.openKey(key), segmentListContext(vault, seq), list);
    const segments = names.map(({ id, parts, isStored }) => ({ id, parts, fresh: !isStored }));
    return { seq, segments, sealed };
  }

  #nameSegment(segment: FrozenSegment): SegmentName {
    const bytes = encodeSegment(segment.arrays);
    const id = this.#deps.uuid();
    this.#encodedSegments.set(id, bytes);
    return { id, parts: Math.max(1, Math.ceil(bytes.length / PART_BYTES)), isStored: false };
  }

  segmentPart(params: { vault: string; key: SharedKey; segment: string; part: number }): Uint8Array {
    const { vault, key, segment: id, part } = params;
    const segment = this.#get(vault).segmentNames.segmentOf(id);
    if (segment === undefined) throw new RangeError(`the index has no segment ${id}`);
    const bytes = this.#encodedSegments.get(id) ?? encodeSegment(segment.arrays);
    this.#encodedSegments.set(id, bytes);
    const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    return this.#deps.openKey(key).seal(segmentPartContext(id, part), data);
  }

  markStored({ vault }: { vault: string }): void {
    this.#encodedSegments.clear();
    this.#indexes.get(vault)?.segmentNames.markStored();
  }

  dropIndex({ vault }: { vault: string }): void {
    this.#indexes.delete(vault);
    this.#loadingParts.delete(vault);
  }

  #findUpTo({ vault, epoch, seq }: IndexRequest): LoadedIndex | null {
    const found = this.#find(vault, epoch);
    return found === undefined || found.index.seq < seq ? null : found;
  }

  #find(vault: string, epoch: number): LoadedIndex | undefined {
    const found = this.#indexes.get(vault);
    return found?.epoch === epoch ? found : undefined;
  }

  #get(vault: string): LoadedIndex {
    const found = this.#indexes.get(vault);
    if (found === undefined) throw new RangeError('the index is not in memory');
    return found;
  }
}

/** Returns null instead of throwing: a damaged note must not keep the others from being found. */
function orNull<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch {
    return null;
  }
}

const encoder = new TextEncoder();

function* querySteps(
  index: VaultIndex,
  query: PropertyQuery,
  page: Page<PagePosition>,
  packed: PackedLinks | null,
): Generator<void, QueryAnswer> {
  const links = packed === null ? null : yield* unpackLinks(packed, index);
  const { rows, total, next } = yield* runQuery(index, query, page, links);
  return { rows: encoder.encode(JSON.stringify(rows)), total, next };
}
