import { MB } from '@notevault/protocol/values/byte-units.ts';
import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const BYTES = 10 * MB - 64;
const text = 'Plain words of which a long text is made, line after line of them.\n'.repeat(BYTES / 67);

/** One connection writes a text of 10 MB of plain words again and again, with another first line. */
export const load: NeighbourLoad = {
  name: 'C6 10 MB of words',
  run: (target, signal) =>
    loops(1, signal, (_, round) =>
      send(target, 'POST', '/notes', { path: 'words.md', content: `${round}\n${text}`, mtime: 1 }, signal),
    ),
};
