import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const LINES = 32_000;
/** Lines of one letter, a or b, without any order (a linear congruential generator). */
const text = (seed: number) => {
  let state = seed;
  const line = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 31 === 0 ? 'a' : 'b';
  };
  return Array.from({ length: LINES }, line).join('\n');
};

/** Four connections replace texts whose lines are a or b: every line stands in both texts thousands of times. */
export const load: NeighbourLoad = {
  name: 'C6 differences of a and b lines',
  run: (target, signal) =>
    loops(4, signal, (loop, round) =>
      send(
        target,
        'POST',
        '/notes',
        { path: `lines ${loop}.md`, content: text(4 * round + loop + 1), mtime: 1 },
        signal,
      ),
    ),
};
