import { MB } from '@notevault/protocol/values/byte-units.ts';
import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const BYTES = 10 * MB - 64;
const fill = (line: (at: number) => string) => {
  const lines: string[] = [];
  for (let length = 0, at = 0; length < BYTES - 100; at++) {
    const next = line(at);
    lines.push(next);
    length += next.length;
  }
  return lines.join('');
};
const texts = [
  fill((at) => `[a${at}][b${at}]\n\n[b${at}]: /x${at}.md\n\n`),
  fill((at) => `# heading ${at}\n`),
  fill((at) => `${(at * 2_654_435_761).toString(36)} replaced whole ${at}\n`),
  fill((at) => `${'*_`[<'.repeat(12)}${at}\n`),
];

/** Four connections write texts of 10 MB of the most expensive kinds, each over the last. */
export const load: NeighbourLoad = {
  name: 'C6 texts of 10 MB',
  run: (target, signal) =>
    loops(4, signal, (loop, round) =>
      send(
        target,
        'POST',
        '/notes',
        { path: `large ${loop}.md`, content: `${round}\n${texts[(loop + round) % texts.length]}`, mtime: 1 },
        signal,
      ),
    ),
};
