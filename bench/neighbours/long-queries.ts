import { type LoadTarget, loops, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 3000;
const WORDS = 10_000;
const MODES = ['keyword', 'vector', 'hybrid'];
/** Words that no dictionary has, so that each is also looked for with typing errors. */
const word = (at: number) =>
  ((at * 2_654_435_761) % 4_294_967_296).toString(36).replace(/\d/g, (digit) => 'abcdefghij'[+digit] ?? '');
const words = (from: number, count: number) => Array.from({ length: count }, (_, at) => word(from + at)).join(' ');

/** Four connections search for 10,000 words in each mode, some of which notes have. */
export const load: NeighbourLoad = {
  name: 'queries of 10,000 words',
  async prepare(target: LoadTarget) {
    for (let at = 0; at < NOTES; at += 100) {
      const notes = Array.from({ length: 100 }, (_, index) => ({
        path: `n/${at + index}.md`,
        content: words((at + index) * 20, 200),
        mtime: 1,
      }));
      await put(target, 'POST', '/notes/batch', { notes });
    }
    await put(target, 'POST', '/search', { query: 'words' });
  },
  run: (target, signal) =>
    loops(4, signal, (loop, round) =>
      send(
        target,
        'POST',
        '/search',
        { query: words(loop * 7919 + round * 31, WORDS), mode: MODES[round % 3] },
        signal,
      ),
    ),
};
