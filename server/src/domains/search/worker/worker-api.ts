import type { TextChange } from '@notevault/note-text/text-change.ts';
import type { NotePassages } from '@notevault/search-index/analysis/passages.ts';
import type { NamingNote } from '@notevault/search-index/properties/naming-notes.ts';
import type { PackedLinks } from '@notevault/search-index/properties/note-links.ts';
import type { PagePosition, PropertyQuery } from '@notevault/search-index/properties/query.ts';
import type { TaskFilter, TaskPage, TaskPosition } from '@notevault/search-index/properties/task-list.ts';
import type { SearchHits, SearchOptions } from '@notevault/search-index/ranking/hybrid.ts';
import type { MatchedWord } from '@notevault/search-index/ranking/rank.ts';
import type { Snippet } from '@notevault/search-index/snippets/snippet.ts';
import { Type } from 'typebox';
import type { SharedKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { NoteMeta, SealedNote } from '../../notes/notes.ts';
import type { FoundPlaces } from '../changes/find-places.ts';
import type { FoundMention } from '../mentions/find-mentions.ts';

/** The methods of the search thread. Everything that goes in or out can be posted between threads. */
export interface WorkerApi {
  /** The state of a vault's index; null when it is not in memory. */
  indexState(params: { vault: string; epoch: number }): IndexState | null;
  /** Takes a part of a stored segment for the next `createIndex`. The parts of a segment come in order. */
  loadSegmentPart(params: { vault: string; key: SharedKey; segment: string; part: number; data: Uint8Array }): void;
  /** Makes an index of the loaded parts, or an empty one. Throws when the parts are not an index. */
  createIndex(params: CreateIndexParams): IndexState;
  /** Adds notes in order of their seqs. The index is then complete up to `upTo`. */
  addNotes(params: { vault: string; key: SharedKey; notes: readonly SealedNote[]; upTo: number }): Promise<IndexState>;
  /** Finds notes; null when the index is not in memory or is behind `seq`. */
  search(params: SearchParams): SearchHits | null;
  /** Answers a query over properties; null as for `search`. */
  query(params: QueryParams): Promise<QueryAnswer | null>;
  /** Lists tasks; null as for `search`. */
  tasks(params: TasksParams): Promise<TaskPage | null>;
  /** Finds the places of a change; notes that have none, or cannot be read, are left out. */
  placesOf(params: { key: SharedKey; notes: readonly SealedNote[]; change: TextChange }): Promise<ChangedPlaces[]>;
  /** Lists the notes whose texts may have a name; null as for `search`. */
  namingNotes(params: NamingParams): NamingNote[] | null;
  /** Finds mentions in notes; those that cannot be read are left out. */
  mentionsIn(params: {
    key: SharedKey;
    notes: readonly SealedNote[];
    names: readonly string[];
  }): Promise<NoteMentions[]>;
  /** How rare each word is among the vault's notes: its inverse document frequency. */
  idf(params: { vault: string; words: readonly string[] }): number[];
  /** The vseq up to which a vault's vectors of a model are in memory; null when the vault's index is not. */
  vectorState(params: { vault: string; epoch: number; model: string }): { vseq: number } | null;
  /** Adds vectors in order of their vseqs. They are then complete up to `upTo`. */
  addVectors(params: AddVectorsParams): void;
  /** The passages of notes to embed; null for a note that cannot be read. */
  passages(params: { key: SharedKey; notes: readonly SealedNote[] }): Promise<(NotePassages | null)[]>;
  /** A snippet of each text; null for one that cannot be read. */
  snippets(params: {
    key: SharedKey;
    words: readonly MatchedWord[];
    texts: readonly SnippetSource[];
  }): (Snippet | null)[];
  /** Freezes the index, so that its segments can be stored. */
  freeze(params: { vault: string; key: SharedKey }): Promise<FrozenIndex>;
  /** A part of a frozen segment, sealed. */
  segmentPart(params: { vault: string; key: SharedKey; segment: string; part: number }): Uint8Array;
  /** Records that the frozen segments are stored now. */
  markStored(params: { vault: string }): void;
  dropIndex(params: { vault: string }): void;
}

export interface CreateIndexParams {
  readonly vault: string;
  readonly key: SharedKey;
  readonly epoch: number;
  /** See IndexState. */
  readonly floor: number;
  /** The segments that were loaded; null for an empty index. */
  readonly stored: StoredIndex | null;
}

export interface AddVectorsParams {
  readonly vault: string;
  readonly key: SharedKey;
  readonly model: string;
  readonly rows: readonly SealedVectors[];
  readonly upTo: number;
}

export interface IndexState {
  /** The vault's seq up to which the index is complete. */
  readonly seq: number;
  /**
   * Tombstones up to this seq had expired before building the index started, so it cannot have missed a deletion among
   * them.
   */
  readonly floor: number;
  readonly notes: number;
  readonly unreadable: number;
  /** Number of notes added since the segments were stored. */
  readonly unstored: number;
  readonly bytes: number;
}

/** The fields of the index row that describe the stored segments. */
interface StoredIndex {
  readonly seq: number;
  /** A sealed SegmentList. */
  readonly segments: Uint8Array;
}

/** Which segments a stored index consists of. It is sealed in the index row. */
export type SegmentList = ReturnType<typeof segmentList.decode>;

export const segmentList = new SealedJson(
  1,
  Type.Object({
    /** Oldest first. */
    segments: Type.Array(Type.Object({ id: Type.String(), parts: Type.Number() })),
    /** Ids of notes that cannot be read. */
    unreadable: Type.Array(Type.String()),
  }),
);

export interface FrozenIndex {
  readonly seq: number;
  /** The segments of the index, oldest first; `fresh` ones are not stored yet. */
  readonly segments: readonly { readonly id: string; readonly parts: number; readonly fresh: boolean }[];
  /** A sealed SegmentList, for the index row. */
  readonly sealed: Uint8Array;
}

/** Whose index is asked. */
export interface AskedIndex {
  readonly vault: string;
  readonly epoch: number;
  /** The index must be complete up to this seq. */
  readonly seq: number;
}

export interface QueryParams extends AskedIndex {
  readonly query: PropertyQuery;
  readonly page: { readonly after: PagePosition | null; readonly limit: number };
  /** For queries that need them. */
  readonly links: PackedLinks | null;
}

export interface QueryAnswer {
  /** The rows as a list in JSON. */
  readonly rows: Uint8Array;
  readonly total: number;
  /** Null on the last page. */
  readonly next: PagePosition | null;
}

export interface NamingParams extends AskedIndex {
  readonly names: readonly string[];
  /** The id after which the page begins. */
  readonly page: { readonly after: string | null; readonly limit: number };
}

export interface NoteMentions extends Pick<NoteMeta, 'path' | 'title'> {
  readonly id: string;
  readonly mentions: readonly FoundMention[];
}

/** A note in which a change replaces something. */
export interface ChangedPlaces extends FoundPlaces {
  readonly id: string;
  readonly path: string;
  /** Of its content, see NoteMeta. */
  readonly hash: string;
}

export interface TasksParams extends AskedIndex {
  readonly filter: TaskFilter;
  readonly page: { readonly after: TaskPosition | null; readonly limit: number };
}

export interface SearchParams extends SearchOptions, AskedIndex {
  readonly query: string;
  /** The model whose vectors are compared; null for none. */
  readonly model: string | null;
}

/** What is needed of a note to open its text. */
export type SealedText = Pick<SealedNote, 'id' | 'version' | 'content'>;

/** The part of a note to make a snippet of. */
export interface SnippetSource extends SealedText {
  readonly start: number;
  readonly end: number;
}

/** The vectors of a note as stored. */
export interface SealedVectors {
  readonly id: string;
  readonly version: number;
  readonly vseq: number;
  /** Null when they could not be made. */
  readonly data: Uint8Array | null;
}

/** A message to the search thread. */
export interface WorkerRequest {
  readonly id: number;
  readonly method: keyof WorkerApi;
  readonly params: unknown;
}

/** The thread's answer. `bytes` is the memory that all indexes take now. */
export type WorkerResponse =
  | { readonly id: number; readonly result: unknown; readonly bytes: number }
  /** The name and code of an error, never its message, which may quote a note. */
  | { readonly id: number; readonly failure: string };
