import assert from 'node:assert/strict';
import type { Random } from '../random.ts';
import type { SeenVersion, SharedNote } from './writers.ts';

const baseWords = ['amber', 'birch', 'cedar', 'dunes', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'jetty', 'knoll'];
const word = /[\p{L}\p{N}]+/gu;

/** All words that were written, by their letters. */
interface Written {
  /** Words that a request had. */
  readonly sent: Set<string>;
  /** Words that a writer replaced, or wrote on. */
  readonly replaced: Set<string>;
  made: number;
}

/** A writer who replaces words with words that nobody else writes, continues own words, and misses answers. */
class WordWriter {
  readonly #name: string;
  readonly #written: Written;
  readonly #seen: SeenVersion;
  #text: string;

  constructor(name: string, seen: SeenVersion, written: Written) {
    this.#name = name;
    this.#written = written;
    this.#seen = seen;
    this.#text = seen.text;
  }

  write(random: Random): SeenVersion {
    for (let count = 1 + random.below(3); count > 0; count--) this.#replaceWord(random);
    for (const [each] of this.#text.matchAll(word)) this.#written.sent.add(each);
    return { version: this.#seen.version, text: this.#text };
  }

  #replaceWord(random: Random): void {
    const { 0: old, index } = random.pick([...this.#text.matchAll(word)]);
    // What was seen may be replaced; what was written since goes on.
    const isSeen = this.#seen.text.includes(old);
    const made = isSeen ? this.#newWord(random) : /\d/.test(old) ? old : `${old}z`;
    if (made !== old) this.#written.replaced.add(old);
    const added = random.chance(0.2) ? ` ${this.#newWord(random)}` : '';
    this.#text = this.#text.slice(0, index) + made + added + this.#text.slice(index + old.length);
  }

  /** A word, or a number, whose letters no other one begins with. */
  #newWord(random: Random): string {
    this.#written.made++;
    const letters = [...`${this.#written.made}`].map((digit) => 'bcdfghjklm'.charAt(Number(digit))).join('');
    return random.chance(0.2) ? `${this.#name}${this.#written.made}` : `${this.#name}${letters}y`;
  }
}

function drawText(random: Random): string {
  const words = random.shuffled(baseWords);
  return words.map((each) => each + random.pick([' ', ' ', ' ', ', '])).join('');
}

/**
 * Lets some writers change the same words in turns, and fails if a word of the note was written by nobody or is lost.
 *
 * @returns the words that are there twice.
 */
export async function assertWordsKept(
  create: (text: string) => Promise<SharedNote>,
  random: Random,
  seed: number,
): Promise<string[]> {
  const base = drawText(random);
  const note = await create(base);
  const written: Written = { sent: new Set(baseWords), replaced: new Set(), made: 0 };
  const names = [...'pqrst'].slice(0, 2 + random.below(4));
  const requests: SeenVersion[] = [];
  // All write on without having seen an answer.
  const seen = await note.read();
  const writers = names.map((name) => new WordWriter(name, seen, written));
  for (let turns = 2 + random.below(4 * names.length); turns > 0; turns--) {
    const isRepeated = requests.length > 0 && random.chance(0.15);
    const request = isRepeated ? random.pick(requests) : random.pick(writers).write(random);
    requests.push(request);
    await note.send(request.text, request.version);
  }
  const { text } = await note.read();
  const hint = () => `seed ${seed}: ${JSON.stringify([base, ...requests, text], null, 1)}`;
  const words = [...text.matchAll(word)].map(([each]) => each);
  assert.deepEqual(
    words.filter((each) => !written.sent.has(each)),
    [],
    `written by nobody, ${hint()}`,
  );
  const lost = [...written.sent].filter((each) => !written.replaced.has(each) && !words.includes(each));
  assert.deepEqual(lost, [], `lost, ${hint()}`);
  return words.filter((each, at) => words.indexOf(each) !== at && !baseWords.includes(each));
}
