/* Records what was typed into which note and must be found there. Every insertion is a unique token, `<12>`. */

interface Entry {
  /** The server has acknowledged the insertion. */
  acknowledged: boolean;
  /** Somebody tried to remove it. */
  doomed: boolean;
  /** The server has acknowledged the removal. */
  gone: boolean;
  /** The whole text was replaced since, so the token may or may not be there. */
  loose: boolean;
  /** An edit for another note brought the token too, so it may be there twice. */
  repeats: boolean;
}

const NEW: Entry = { acknowledged: false, doomed: false, gone: false, loose: false, repeats: false };

export class Ledger {
  readonly #notes = new Map<string, Map<string, Entry>>();
  #next = 1;

  /** A new token. */
  mint(): string {
    return `<${this.#next++}>`;
  }

  typed(note: string, tokens: readonly string[]): void {
    for (const token of tokens) this.#entries(note).set(token, { ...NEW });
  }

  doomed(note: string, tokens: readonly string[]): void {
    for (const token of tokens) this.#with(note, token, { doomed: true });
  }

  acknowledged(note: string, typed: Iterable<string>, removed: Iterable<string>): void {
    for (const token of typed) this.#with(note, token, { acknowledged: true });
    for (const token of removed) this.#with(note, token, { gone: true });
  }

  /** Records that the whole text was replaced: every token typed so far may or may not be there, but at most once. */
  rewritten(note: string): void {
    for (const token of this.#entries(note).keys()) this.#with(note, token, { loose: true });
  }

  /** Records that an edit reached another note than it was made for: what both texts have may be there twice. */
  misdirected(note: string, content: string): void {
    this.rewritten(note);
    for (const token of this.#entries(note).keys())
      if (content.includes(token)) this.#with(note, token, { repeats: true });
  }

  /** Returns what is wrong with a note's text. */
  faults(note: string, text: string): string[] {
    return [...this.#entries(note)].flatMap(([token, entry]) => {
      const count = text.split(token).length - 1;
      if (count > 1 && !entry.repeats) return [`${token} is there ${count} times`];
      if (entry.loose) return [];
      if (count === 0 && entry.acknowledged && !entry.doomed) return [`${token} was acknowledged and is lost`];
      if (count === 1 && entry.gone) return [`${token} was taken out and is there`];
      return [];
    });
  }

  #entries(note: string): Map<string, Entry> {
    let entries = this.#notes.get(note);
    if (entries === undefined) {
      entries = new Map();
      this.#notes.set(note, entries);
    }
    return entries;
  }

  #with(note: string, token: string, change: Partial<Entry>): void {
    const entry = this.#entries(note).get(token);
    if (entry !== undefined) Object.assign(entry, change);
  }
}
