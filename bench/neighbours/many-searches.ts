import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';
import { fillWithWords, wordsOf } from './searches.ts';

const READERS = 1000;

/** A thousand searches at once: each reader sends the next one as soon as it has an answer. */
export const load: NeighbourLoad = {
  name: 'searches: 1,000 at once over 5,000 notes',
  prepare: fillWithWords,
  run: (target, signal) =>
    loops(READERS, signal, (loop, round) =>
      send(target, 'POST', '/search', { query: wordsOf(loop, round), limit: 50 }, signal),
    ),
};
