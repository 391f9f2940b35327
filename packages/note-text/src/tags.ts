/** Maximum number of tags kept from a note. */
const maxTags = 1_000;

/** A longer run of letters is not a tag but text that happens to follow a `#`. */
const maxTagLength = 255;

// Letters, marks, digits, connectors and pictographs of any script. The middle dots are part of words (Japanese,
// Catalan), and so are the joiners of emoji and Persian; sentence punctuation of any script ends a tag. The length is
// bounded, so that a megabyte of letters is not kept for backtracking.
const tagPattern = /[\p{L}\p{M}\p{N}\p{Pc}\p{So}\p{Emoji_Modifier}\u00b7\u30fb\p{Join_Control}/-]{1,256}/uy;

/** Offset after the tag whose `#` is at `at`, including nested tags with `/`; -1 when there is no tag. */
export function tagEnd(text: string, at: number): number {
  tagPattern.lastIndex = at + 1;
  const run = tagPattern.exec(text)?.[0];
  if (run === undefined || run.startsWith('/')) return -1;
  const emptySegment = run.indexOf('//');
  const name = emptySegment >= 0 ? run.slice(0, emptySegment) : run.endsWith('/') ? run.slice(0, -1) : run;
  if (name.length > maxTagLength || /^(?:\p{Nd}+|[-_/]+)$/u.test(name)) return -1;
  return at + 1 + name.length;
}

/** Returns the comparison key of a tag, equal for all spellings of it. */
export function tagKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Tags of one note: first-seen casing, unique without regard to case, bounded. */
export class TagSet {
  readonly #seen = new Set<string>();
  readonly #tags: string[] = [];

  /** Adds a tag written without its `#`. */
  add(name: string): void {
    if (this.#tags.length >= maxTags || name === '' || name.length > maxTagLength) return;
    const tag = name.normalize('NFC');
    const key = tagKey(name);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#tags.push(tag);
  }

  get tags(): string[] {
    return this.#tags;
  }
}
