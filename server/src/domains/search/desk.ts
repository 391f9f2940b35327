import type { NotePassages } from '@notevault/search-index/analysis/passages.ts';
import type { SearchOptions } from '@notevault/search-index/ranking/hybrid.ts';
import type { Snippet } from '@notevault/search-index/snippets/snippet.ts';
import type { SharedKey } from '../../engines/keyring/keyring.ts';
import type { SealedNote } from '../notes/notes.ts';

/** The search thread's side of the talk: what it is asked, and what it answers. Everything here can be posted. */
export interface Desk {
  /** Where the vault's index stands; null when it is not in memory. */
  state(ask: { vault: string; epoch: number }): IndexState | null;
  /** Takes a piece of a segment at rest; pieces of a segment come in order. */
  load(ask: { vault: string; key: SharedKey; segment: string; part: number; data: Uint8Array }): void;
  /** Makes the index of what was loaded, or an empty one. Throws when what was loaded is no index. */
  start(ask: StartAsk): IndexState;
  /** Takes notes in, in the order of their seqs; the index is then complete up to `upTo`. */
  feed(ask: { vault: string; key: SharedKey; notes: readonly SealedNote[]; upTo: number }): Promise<IndexState>;
  /** Finds notes, or says that the index is behind `seq`. */
  search(ask: SearchAsk): Found | null;
  /** How rare each word is among the vault's notes; see Asked of the embedder. */
  rarity(ask: { vault: string; words: readonly string[] }): number[];
  /** Up to which vseq the vault's vectors of a model are in memory; null when its index is not. */
  vectorState(ask: { vault: string; epoch: number; model: string }): { vseq: number } | null;
  /** Takes vectors in, in the order of their vseqs; they are then complete up to `upTo`. */
  feedVectors(ask: {
    vault: string;
    key: SharedKey;
    model: string;
    rows: readonly SealedVectors[];
    upTo: number;
  }): void;
  /** What of some notes is to be embedded; null for one that cannot be read. */
  passages(ask: { key: SharedKey; notes: readonly SealedNote[] }): Promise<(NotePassages | null)[]>;
  excerpts(ask: { key: SharedKey; words: readonly string[]; pieces: readonly Piece[] }): (Snippet | null)[];
  /** Brings the index into segments that can be kept. */
  freeze(ask: { vault: string; key: SharedKey }): Promise<Frozen>;
  /** A piece of a frozen segment, sealed. */
  part(ask: { vault: string; key: SharedKey; segment: string; part: number }): Uint8Array;
  /** Segments up to a seq are at rest now. */
  kept(ask: { vault: string; seq: number }): void;
  drop(ask: { vault: string }): void;
}

export interface StartAsk {
  readonly vault: string;
  readonly key: SharedKey;
  readonly epoch: number;
  /** The vault's floor: see IndexState. */
  readonly floor: number;
  readonly kept: KeptIndex | null;
}

export interface IndexState {
  readonly seq: number;
  /** Tombstones up to here were dropped before the index was begun: it cannot have missed a deletion among them. */
  readonly floor: number;
  /** Live notes it holds. */
  readonly notes: number;
  /** Notes that could not be read. */
  readonly unreadable: number;
  /** Notes taken in since the segments at rest. */
  readonly unkept: number;
  readonly bytes: number;
}

/** What the index row says of the segments. */
export interface KeptIndex {
  readonly seq: number;
  /** Sealed, see KeptSegments. */
  readonly segments: Uint8Array;
}

/** Sealed in the index row. */
export interface KeptSegments {
  /** Oldest first. */
  readonly segments: readonly { readonly id: string; readonly parts: number }[];
  readonly unreadable: readonly string[];
}

export interface Frozen {
  readonly seq: number;
  /** Segments of the index, oldest first; `fresh` ones are not at rest yet. */
  readonly segments: readonly { readonly id: string; readonly parts: number; readonly fresh: boolean }[];
  /** Sealed, for the index row. */
  readonly sealed: Uint8Array;
}

export interface SearchAsk extends SearchOptions {
  readonly vault: string;
  readonly epoch: number;
  /** The seq that the answer must know of. */
  readonly seq: number;
  readonly query: string;
  /** Whose vectors are compared; null for none. */
  readonly model: string | null;
}

export interface Found {
  /** Best first. */
  readonly hits: readonly FoundNote[];
  /** Folded words to mark in excerpts. */
  readonly words: readonly string[];
}

export interface FoundNote {
  readonly id: string;
  /** Of its last write, as the index knows it. */
  readonly seq: number;
  readonly score: number;
  readonly matches: number;
  readonly path: string;
  readonly title: string;
  readonly heading: string;
  /** UTF-16 offsets of the piece that matches best. */
  readonly start: number;
  readonly end: number;
}

/** A piece of a note to take an excerpt from. */
export interface Piece extends SealedText {
  readonly start: number;
  readonly end: number;
}

/** What is needed of a note to open its text. */
export type SealedText = Pick<SealedNote, 'id' | 'version' | 'content'>;

/** The vectors of a note as stored. */
export interface SealedVectors {
  readonly id: string;
  readonly version: number;
  readonly vseq: number;
  /** Null when they could not be made. */
  readonly data: Uint8Array | null;
}

/** A message to the thread, and back. */
export interface Question {
  readonly number: number;
  readonly verb: keyof Desk;
  readonly ask: unknown;
}
export type Reply =
  /** With it, the memory that all indexes take now. */
  | { readonly number: number; readonly answer: unknown; readonly bytes: number }
  /** The name and code of what went wrong, never its words: they may quote a note. */
  | { readonly number: number; readonly failure: string };
