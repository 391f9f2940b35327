import type { PagePosition } from '@notevault/search-index/properties/query.ts';
import { Type } from 'typebox';
import type { SharedKey } from '../../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../../ports/keyring/sealed-json.ts';
import type { NoteMeta, SealedNote } from '../../../content/notes/notes.ts';
import type { FoundPlaces } from '../changes/find-places.ts';
import type { FoundMention } from '../mentions/find-mentions.ts';
import type { SearchWorker } from './worker.ts';

/** The methods of the search thread. */
export type WorkerApi = Omit<SearchWorker, 'bytes'>;

export interface IndexState {
  /** The vault's seq up to which the index is complete. */
  readonly seq: number;
  /** Tombstones up to this seq had expired before the index was begun: it cannot have missed a deletion among them. */
  readonly floor: number;
  readonly notes: number;
  readonly unreadable: number;
  /** Number of notes added since the segments were stored. */
  readonly unstored: number;
  readonly bytes: number;
}

/** Segments of a stored index. The list is sealed in the index row. */
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

export interface IndexRequest {
  readonly vault: string;
  readonly epoch: number;
  /** The index must be complete up to this seq. */
  readonly seq: number;
}

export interface Page<Position> {
  /** The place after which it begins; null for the start. */
  readonly after: Position | null;
  readonly limit: number;
}

/** Notes to be opened with a lent key. */
export interface NotesToOpen {
  readonly key: SharedKey;
  readonly notes: readonly SealedNote[];
}

export interface QueryAnswer {
  /** The rows as a list in JSON. */
  readonly rows: Uint8Array;
  readonly total: number;
  /** Null on the last page. */
  readonly next: PagePosition | null;
}

export interface NoteMentions extends Pick<NoteMeta, 'path' | 'title'> {
  readonly id: string;
  readonly mentions: readonly FoundMention[];
}

/** A note in which a change replaces something. */
export interface ChangedPlaces extends FoundPlaces {
  readonly id: string;
  readonly path: string;
  /** Hash of its content, see NoteMeta. */
  readonly hash: string;
}

/** The columns of a note that are needed to open its text. */
export type SealedText = Pick<SealedNote, 'id' | 'version' | 'content'>;

export interface SnippetSource extends SealedText {
  readonly start: number;
  readonly end: number;
}

export interface SealedVectors {
  readonly id: string;
  readonly version: number;
  readonly vseq: number;
  /** Null when they could not be made. */
  readonly data: Uint8Array | null;
}

export interface WorkerRequest {
  readonly id: number;
  readonly method: keyof WorkerApi;
  readonly params: unknown;
}

/** `bytes` is the memory that all indexes take now. */
export type WorkerResponse =
  | { readonly id: number; readonly result: unknown; readonly bytes: number }
  /** The name and code of an error, never its message, which may quote a note. */
  | { readonly id: number; readonly failure: string };
