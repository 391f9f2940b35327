import type { MalformedUpdate } from './update-validator.ts';

/** The text of a peer does not descend from this note's document: taken in, everything would be there twice. */
export class LineageError extends Error {
  override readonly name = 'LineageError';
  /** The text it came with, or null when it came with none. */
  readonly text: string | null;
  constructor(text: string | null) {
    super('the edit belongs to another document');
    this.text = text;
  }
}

/** The update was made by the server, as far as its client id says, and is not known here: yet, or at all. */
export class UnknownServerUpdate extends Error {
  override readonly name = 'UnknownServerUpdate';
}

/** The note would grow beyond what a note may have. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Taking the update would hold up others; its text is kept as a version. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
  /** The text it came with. */
  readonly text: string;
  constructor(text: string) {
    super('the edit takes too long');
    this.text = text;
  }
}

/** Why an update of a peer is not taken. */
export type ApplyRejection = LineageError | UnknownServerUpdate | MalformedUpdate | TooLarge | TooCostly;

/** What became of an update: `known` adds nothing, `missing` depends on edits that are not here. */
export type ApplyResult = 'stored' | 'known' | 'missing' | ApplyRejection;
