import { Text } from '@codemirror/state';
import { minimalDiff } from '@notevault/note-text/diff/diff.ts';
import { commonPrefix, commonSuffix } from '@notevault/note-text/diff/tokens.ts';
import type { Text as DocumentText } from 'yjs';

/**
 * Time in which an old document text may still arrive from the disk, in milliseconds: the app saves two seconds after
 * the last key.
 */
const ECHO_MS = 30_000;
const MAX_TEXTS = 2_000;
/** Maximum number of texts that are compared to find the text that another one was derived from. */
export const MAX_CANDIDATES = 24;
const MAX_COMPARED = 2_000_000;
const MAX_EDITS = 400;

/** Converts line ends to line feeds, as editors use them. */
export function inLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Makes a text of the document another one by the few edits that lead to it. */
export function editTo(text: DocumentText, target: string): void {
  for (const { at, remove, insert } of minimalDiff(text.toJSON(), target).toReversed()) {
    if (remove > 0) text.delete(at, remove);
    if (insert !== '') text.insert(at, insert);
  }
}

/**
 * Recent texts of the document, and the last known text of the file. The app saves late, reads its own saves even
 * later, and other plugins change texts that they read before. The text that a new text was derived from tells an echo
 * from an edit.
 */
export class RecentTexts {
  readonly #now: () => number;
  /** Recent texts, as CodeMirror texts, which share memory. */
  #recent: { readonly text: Text; readonly at: number }[] = [];
  #onDisk: Text;

  constructor(onDisk: string, now: () => number) {
    this.#onDisk = ropeOf(onDisk);
    this.#now = now;
  }

  /** Text of the file whose changes are all in the document, or on their way there. */
  get onDisk(): string {
    return this.#onDisk.toString();
  }

  isOnDisk(text: string): boolean {
    return isSame(this.#onDisk, text);
  }

  wasRead(text: string): void {
    this.#onDisk = this.#recent.find((recent) => isSame(recent.text, text))?.text ?? ropeOf(text);
  }

  /** The document has another text now. */
  add(text: Text | string): void {
    const now = this.#now();
    const old = this.#recent.findIndex(({ at }) => now - at < ECHO_MS);
    const tooMany = this.#recent.length + 1 - MAX_TEXTS;
    const dropped = Math.max(old < 0 ? this.#recent.length : old, tooMany);
    if (dropped > 0) this.#recent = this.#recent.slice(dropped);
    this.#recent.push({ text: typeof text === 'string' ? ropeOf(text) : text, at: now });
  }

  /** Returns whether the document had this text, or the file has it: then nobody has changed anything. */
  has(text: string): boolean {
    return this.isOnDisk(text) || this.#recent.some((recent) => isSame(recent.text, text));
  }

  /**
   * Returns the text that another one was most likely made from: the one of which the least is missing, then the one to
   * which the least was added. It is what the file has, or what was saved a moment ago and not read yet.
   */
  baseOf(text: string): string {
    const most = Math.min(MAX_CANDIDATES, Math.ceil(MAX_COMPARED / (text.length + 1)));
    const candidates = this.#recent.slice(-most).map((recent) => recent.text.toString());
    let base = this.onDisk;
    let least = changeOf(base, text);
    for (const candidate of candidates.toReversed()) {
      const change = changeOf(candidate, text);
      if (change.removed > least.removed) continue;
      if (change.removed === least.removed && change.added >= least.added) continue;
      [base, least] = [candidate, change];
    }
    return base;
  }
}

function ropeOf(text: string): Text {
  return Text.of(text.split('\n'));
}

function isSame(rope: Text, text: string): boolean {
  return rope.length === text.length && rope.toString() === text;
}

/** Returns the number of characters removed and inserted between two texts. */
function changeOf(from: string, to: string): { readonly removed: number; readonly added: number } {
  const count = editsBetween(from, to);
  // A line in which much was typed counts as another one.
  if (count === null) return editsByLines(from, to);
  const added = (count + to.length - from.length) / 2;
  return { removed: count - added, added };
}

function editsByLines(from: string, to: string): { readonly removed: number; readonly added: number } {
  let [removed, added] = [0, 0];
  for (const { remove, insert } of minimalDiff(from, to)) {
    removed += remove;
    added += insert.length;
  }
  return { removed, added };
}

/** Returns the least number of characters to remove and to add (Myers, 1986); null when there are too many to count. */
function editsBetween(a: string, b: string): number | null {
  const most = Math.min(a.length, b.length);
  const start = commonPrefix(a, 0, b, 0, most);
  const shared = start + commonSuffix(a, a.length, b, b.length, most - start);
  const [aLength, bLength] = [a.length - shared, b.length - shared];
  // How far each diagonal leads, by its number from the lowest one on.
  const reached = new Int32Array(2 * MAX_EDITS + 3);
  const middle = MAX_EDITS + 1;
  for (let edits = 0; edits <= MAX_EDITS; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      const [below, above] = [reached[middle + k - 1] ?? 0, reached[middle + k + 1] ?? 0];
      let x = k === -edits || (k !== edits && below < above) ? above : below + 1;
      while (x < aLength && x - k < bLength && a.charCodeAt(start + x) === b.charCodeAt(start + x - k)) x++;
      reached[middle + k] = x;
      if (x >= aLength && x - k >= bLength) return edits;
    }
  }
  return null;
}
