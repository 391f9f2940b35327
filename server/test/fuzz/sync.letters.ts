import { ContentString, type Doc, Item } from 'yjs';

/**
 * Records which letter each name (client, clock) has in each note's document, as first seen in any copy of it. A CRDT
 * relies on the name of a letter never meaning another one: otherwise copies with equal heads have different texts.
 */
export class Letters {
  /** Letters by clock, by client, by note. */
  readonly #known = new Map<string, Map<number, Map<number, string>>>();
  /** The clock per client up to which a copy has been checked; what is known of a client only grows. */
  readonly #checked = new WeakMap<Doc, Map<number, number>>();

  /** Returns the letters of a copy that have another meaning elsewhere, in words. */
  faults(note: string, who: string, doc: Doc): string[] {
    const checked = this.#checked.get(doc) ?? new Map<number, number>();
    this.#checked.set(doc, checked);
    const faults: string[] = [];
    for (const [client, structs] of doc.store.clients) {
      const known = this.#lettersOf(note, client);
      const from = checked.get(client) ?? 0;
      for (const struct of structs) {
        // Deleted items no longer hold their letters.
        if (!(struct instanceof Item) || !(struct.content instanceof ContentString)) continue;
        const { str } = struct.content;
        for (let at = Math.max(0, from - struct.id.clock); at < str.length; at++) {
          const [clock, letter] = [struct.id.clock + at, str.charAt(at)];
          const other = known.get(clock);
          if (other === undefined) known.set(clock, letter);
          else if (other !== letter) {
            faults.push(
              `${who}: letter ${client}:${clock} of note ${note} is ${said(letter)}, elsewhere ${said(other)}`,
            );
            break;
          }
        }
      }
      const last = structs.at(-1);
      if (last !== undefined) checked.set(client, last.id.clock + last.length);
    }
    return faults;
  }

  #lettersOf(note: string, client: number): Map<number, string> {
    const clients = this.#known.get(note) ?? new Map<number, Map<number, string>>();
    this.#known.set(note, clients);
    const letters = clients.get(client) ?? new Map<number, string>();
    clients.set(client, letters);
    return letters;
  }
}

const said = (letter: string) => JSON.stringify(letter);
