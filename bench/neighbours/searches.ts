import { type LoadTarget, loops, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 5000;
const READERS = 100;
const WORDS = ['some', 'words', 'search', 'finds', 'long', 'note', 'neither', 'nor', 'short', 'vault'];

/** A hundred readers search a vault of 5,000 notes for words that most of them have. */
export const load: NeighbourLoad = {
  name: 'searches: 100 readers over 5,000 notes',
  async prepare(target: LoadTarget) {
    for (let at = 0; at < NOTES; at += 100) {
      const notes = Array.from({ length: 100 }, (_, index) => ({
        path: `n/${at + index}.md`,
        content: `# Note ${at + index}\n\n${'Some words that a search finds in a note neither long nor short. '.repeat(20)}`,
        mtime: 1,
      }));
      await put(target, 'POST', '/notes/batch', { notes });
    }
    await put(target, 'POST', '/search', { query: 'words' });
  },
  run: (target, signal) =>
    loops(READERS, signal, (loop, round) => {
      const query = `${WORDS[(loop + round) % WORDS.length]} ${WORDS[(loop * 3 + round) % WORDS.length]}`;
      return send(target, 'POST', '/search', { query, limit: 50 }, signal);
    }),
};
