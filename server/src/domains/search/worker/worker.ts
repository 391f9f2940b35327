import type { TextChange } from '@notevault/note-text/text-change.ts';
import { type AnalyzedNote, analyzeInSteps } from '@notevault/search-index/analysis/analyzer.ts';
import { type NotePassages, passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import type { FrozenSegment } from '@notevault/search-index/index/frozen-segment.ts';
import { encodeSegment } from '@notevault/search-index/index/segment-codec.ts';
import type { VaultIndex } from '@notevault/search-index/index/vault-index.ts';
import { type NamingNote, namingNotes } from '@notevault/search-index/properties/naming-notes.ts';
import { unpackLinks } from '@notevault/search-index/properties/note-links.ts';
import { runQuery } from '@notevault/search-index/properties/query.ts';
import { listTasks, type TaskPage } from '@notevault/search-index/properties/task-list.ts';
import { parseQuery } from '@notevault/search-index/query/query-parser.ts';
import { type SearchHits, searchIndex } from '@notevault/search-index/ranking/hybrid.ts';
import { idfsOf } from '@notevault/search-index/ranking/idf.ts';
import type { MatchedWord } from '@notevault/search-index/ranking/rank.ts';
import { type Snippet, SnippetMaker } from '@notevault/search-index/snippets/snippet.ts';
import { snippetSource } from '@notevault/search-index/snippets/snippet-source.ts';
import type { SealingKey, SharedKey } from '../../../ports/keyring/keyring.ts';
import type { NoteMeta, SealedNote } from '../../notes/notes.ts';
import { findPlaces } from '../changes/find-places.ts';
import { findMentions } from '../mentions/find-mentions.ts';
import { segmentListContext, segmentPartContext } from '../seal-contexts.ts';
import { IndexCache } from './index-cache.ts';
import { LoadedIndex } from './loaded-index.ts';
import { runInSlices } from './run-in-slices.ts';
import type { SegmentName } from './segment-names.ts';
import {
  type AddVectorsParams,
  type ChangedPlaces,
  type CreateIndexParams,
  type FrozenIndex,
  type IndexState,
  type NamingParams,
  type NoteMentions,
  type QueryAnswer,
  type QueryParams,
  type SealedText,
  type SearchParams,
  type SegmentList,
  type SnippetSource,
  segmentList,
  type TasksParams,
  type WorkerApi,
} from './worker-api.ts';

/** The dependencies of the worker, which itself knows no key and no table. */
export interface WorkerDeps {
  openKey(shared: SharedKey): SealingKey;
  /** Throws when the note is damaged. */
  openMeta(key: SealingKey, note: SealedNote): NoteMeta;
  openContent(key: SealingKey, note: SealedText): string;
  uuid(): string;
  /** Most bytes of all indexes together; the one in use may take more. */
  readonly maxBytes: number;
}

const PART_BYTES = 1 << 20;

/** Does the work of the search thread: it holds the indexes and opens what is sealed. */
export class SearchWorker implements WorkerApi {
  readonly #deps: WorkerDeps;
  readonly #indexes: IndexCache;
  /** By vault and segment: loaded parts that wait for `createIndex`. */
  readonly #loadingParts = new Map<string, Map<string, Uint8Array[]>>();
  /** By segment: the encoded bytes whose parts are being read. */
  readonly #encodedSegments = new Map<string, Uint8Array>();

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#indexes = new IndexCache(deps.maxBytes);
  }

  /** Memory that all indexes take. */
  get bytes(): number {
    return this.#indexes.bytes;
  }

  indexState({ vault, epoch }: { vault: string; epoch: number }): IndexState | null {
    return this.#find(vault, epoch)?.state ?? null;
  }

  loadSegmentPart(params: { vault: string; key: SharedKey; segment: string; part: number; data: Uint8Array }): void {
    const { vault, key, segment, part, data } = params;
    const segments = this.#loadingParts.get(vault) ?? new Map<string, Uint8Array[]>();
    this.#loadingParts.set(vault, segments);
    const parts = segments.get(segment) ?? [];
    parts[part] = this.#deps.openKey(key).open(segmentPartContext(segment, part), data);
    segments.set(segment, parts);
  }

  createIndex({ vault, key, epoch, floor, stored }: CreateIndexParams): IndexState {
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

  async addNotes(params: {
    vault: string;
    key: SharedKey;
    notes: readonly SealedNote[];
    upTo: number;
  }): Promise<IndexState> {
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

  search({ vault, epoch, seq, query, model, ...options }: SearchParams): SearchHits | null {
    const loaded = this.#find(vault, epoch);
    if (loaded === undefined || loaded.index.seq < seq) return null;
    return searchIndex(loaded.index, loaded.vectorsOf(model), parseQuery(query), options);
  }

  async query({ vault, epoch, seq, query, page, links }: QueryParams): Promise<QueryAnswer | null> {
    const index = this.#findUpTo(vault, epoch, seq);
    return index === null ? null : runInSlices(querySteps(index, query, page, links));
  }

  async tasks({ vault, epoch, seq, filter, page }: TasksParams): Promise<TaskPage | null> {
    const index = this.#findUpTo(vault, epoch, seq);
    return index === null ? null : runInSlices(listTasks(index, filter, page));
  }

  namingNotes({ vault, epoch, seq, names, page }: NamingParams): NamingNote[] | null {
    const index = this.#findUpTo(vault, epoch, seq);
    return index === null ? null : namingNotes(index, names, page);
  }

  async mentionsIn(params: {
    key: SharedKey;
    notes: readonly SealedNote[];
    names: readonly string[];
  }): Promise<NoteMentions[]> {
    const found: NoteMentions[] = [];
    await runInSlices(this.#mentionSteps(this.#deps.openKey(params.key), params.notes, params.names, found));
    return found;
  }

  *#mentionSteps(
    key: SealingKey,
    notes: readonly SealedNote[],
    names: readonly string[],
    found: NoteMentions[],
  ): Generator<void, void> {
    for (const note of notes) {
      const opened = this.#opened(key, note);
      if (opened !== null) {
        const { path, title, content } = opened;
        found.push({ id: note.id, path, title, mentions: findMentions(content, names) });
      }
      yield;
    }
  }

  async placesOf(params: {
    key: SharedKey;
    notes: readonly SealedNote[];
    change: TextChange;
  }): Promise<ChangedPlaces[]> {
    const found: ChangedPlaces[] = [];
    await runInSlices(this.#placeSteps(this.#deps.openKey(params.key), params.notes, params.change, found));
    return found;
  }

  *#placeSteps(
    key: SealingKey,
    notes: readonly SealedNote[],
    change: TextChange,
    found: ChangedPlaces[],
  ): Generator<void, void> {
    for (const note of notes) {
      const opened = this.#opened(key, note);
      const places = opened === null ? null : findPlaces(opened.content, change);
      if (opened !== null && places !== null)
        found.push({ id: note.id, path: opened.path, hash: opened.hash, ...places });
      yield;
    }
  }

  /** Null for a damaged note. */
  #opened(key: SealingKey, note: SealedNote): (NoteMeta & { readonly content: string }) | null {
    try {
      return { ...this.#deps.openMeta(key, note), content: this.#deps.openContent(key, note) };
    } catch {
      return null;
    }
  }

  idf({ vault, words }: { vault: string; words: readonly string[] }): number[] {
    const index = this.#indexes.get(vault)?.index;
    return index === undefined ? words.map(() => 1) : idfsOf(index, words);
  }

  vectorState({ vault, epoch, model }: { vault: string; epoch: number; model: string }): { vseq: number } | null {
    const index = this.#find(vault, epoch);
    return index === undefined ? null : { vseq: index.vectorsOf(model)?.vseq ?? 0 };
  }

  addVectors({ vault, key, model, rows, upTo }: AddVectorsParams): void {
    const index = this.#indexes.get(vault);
    if (index === undefined) return;
    index.addVectors(this.#deps.openKey(key), model, rows, upTo);
    this.#indexes.makeRoomFor(index);
  }

  async passages(params: { key: SharedKey; notes: readonly SealedNote[] }): Promise<(NotePassages | null)[]> {
    const passages: (NotePassages | null)[] = [];
    await runInSlices(this.#passageSteps(this.#deps.openKey(params.key), params.notes, passages));
    return passages;
  }

  *#passageSteps(
    key: SealingKey,
    notes: readonly SealedNote[],
    passages: (NotePassages | null)[],
  ): Generator<void, void> {
    for (const note of notes) {
      passages.push(this.#passagesOf(key, note));
      yield;
    }
  }

  #passagesOf(key: SealingKey, note: SealedNote): NotePassages | null {
    try {
      return passagesOfNote(this.#deps.openMeta(key, note).title, this.#deps.openContent(key, note));
    } catch {
      return null;
    }
  }

  snippets(params: {
    key: SharedKey;
    words: readonly MatchedWord[];
    texts: readonly SnippetSource[];
  }): (Snippet | null)[] {
    const key = this.#deps.openKey(params.key);
    const maker = new SnippetMaker(params.words);
    return params.texts.map((text) => this.#snippetOf(key, maker, text));
  }

  #snippetOf(key: SealingKey, maker: SnippetMaker, text: SnippetSource): Snippet | null {
    try {
      return maker.snippetOf(snippetSource(this.#deps.openContent(key, text), text.start, text.end));
    } catch {
      return null;
    }
  }

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

  /** A vault's index, when it is in memory and complete up to a seq. */
  #findUpTo(vault: string, epoch: number, seq: number): VaultIndex | null {
    const found = this.#find(vault, epoch);
    return found === undefined || found.index.seq < seq ? null : found.index;
  }

  /** A vault's index of an epoch, when it is in memory. */
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

const encoder = new TextEncoder();

function* querySteps(
  index: VaultIndex,
  query: QueryParams['query'],
  page: QueryParams['page'],
  packed: QueryParams['links'],
): Generator<void, QueryAnswer> {
  const links = packed === null ? null : yield* unpackLinks(packed, index);
  const { rows, total, next } = yield* runQuery(index, query, page, links);
  return { rows: encoder.encode(JSON.stringify(rows)), total, next };
}
