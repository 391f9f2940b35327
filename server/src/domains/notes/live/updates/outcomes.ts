import type { MalformedUpdate } from './update-validator.ts';

/** The update does not descend from this note's document: merged, the text would be there twice. */
export class LineageError extends Error {
  override readonly name = 'LineageError';
  /** The text of the update; null for a state vector. */
  readonly text: string | null;
  constructor(text: string | null) {
    super('the edit belongs to another document');
    this.text = text;
  }
}

/** The update has the client id of the server, but this process does not know it: not yet, or it is forged. */
export class UnknownServerUpdate extends Error {
  override readonly name = 'UnknownServerUpdate';
}

/** The note would exceed the size limit of notes. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Applying the update would block others; its text becomes a version. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
  /** The text that the update inserts. */
  readonly text: string;
  constructor(text: string) {
    super('the edit takes too long');
    this.text = text;
  }
}

/** Why an update is refused. */
export type ApplyRejection = LineageError | UnknownServerUpdate | MalformedUpdate | TooLarge | TooCostly;

/** What became of an update: `known` adds nothing, `missing` depends on edits that the document lacks. */
export type ApplyResult = 'stored' | 'known' | 'missing' | ApplyRejection;
