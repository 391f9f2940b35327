import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';

/** A change to a note, as an assistant describes it. */
export type NoteEdit =
  | {
      readonly op: 'replace_text';
      readonly old_text: string;
      readonly new_text: string;
      /** Number of times that the old text must occur; 1 by default. */
      readonly expected_replacements?: number;
    }
  | {
      readonly op: 'replace_section' | 'insert_before' | 'insert_after';
      readonly heading: string;
      readonly text: string;
    }
  /** Inside the section of the heading, or the whole note. */
  | { readonly op: 'append' | 'prepend'; readonly heading?: string; readonly text: string }
  | { readonly op: 'set_property'; readonly key: string; readonly value: unknown }
  | { readonly op: 'remove_property'; readonly key: string };

/**
 * Returns whether an edit replaces text that it does not quote, so that its author must show which text they have read.
 */
export function overwritesUnquoted({ op }: NoteEdit): boolean {
  return op === 'replace_section' || op === 'set_property' || op === 'remove_property';
}

/** Returns a text. Throws EditFailure if it is too long for a note, so that no edit makes a still longer one of it. */
export function checkLength<Text extends { readonly length: number }>(text: Text): Text {
  if (text.length <= NOTE_BYTES_MAX) return text;
  throw new EditFailure('The note would be over 10 MB.', [], 'Put some of the text into another note.');
}

/** Why an edit cannot be applied; nothing is changed then. */
export class EditFailure extends Error {
  override readonly name = 'EditFailure';
  /** The nearest things that exist in the note, one a line; they are data. */
  readonly candidates: readonly string[];
  /** Advice on what to send instead. */
  readonly advice: string;

  constructor(message: string, candidates: readonly string[], advice: string) {
    super(message);
    this.candidates = candidates;
    this.advice = advice;
  }
}
