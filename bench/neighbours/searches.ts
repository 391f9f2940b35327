import { type LoadTarget, loops, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 5000;
const READERS = 100;
const WORDS = ['some', 'words', 'search', 'finds', 'long', 'note', 'neither', 'nor', 'short', 'vault'];

/** Fills a vault with notes that most queries find, and waits for its index. */
export async function fillWithWords(target: LoadTarget): Promise<void> {
  for (let at = 0; at < NOTES; at += 100) {
    const notes = Array.from({ length: 100 }, (_, index) => ({
      path: `n/${at + index}.md`,
      content: `# Note ${at + index}\n\n${'Some words that a search finds in a note neither long nor short. '.repeat(20)}`,
      mtime: 1,
    }));
    await put(target, 'POST', '/notes/batch', { notes });
  }
  await put(target, 'POST', '/search', { query: 'words' });
}

/** Two words that most of these notes have. */
export function wordsOf(loop: number, round: number): string {
  return `${WORDS[(loop + round) % WORDS.length]} ${WORDS[(loop * 3 + round) % WORDS.length]}`;
}

/** A hundred readers search a vault of 5,000 notes for words that most of them have. */
export const load: NeighbourLoad = {
  name: 'searches: 100 readers over 5,000 notes',
  prepare: fillWithWords,
  run: (target, signal) =>
    loops(READERS, signal, (loop, round) =>
      send(target, 'POST', '/search', { query: wordsOf(loop, round), limit: 50 }, signal),
    ),
};
