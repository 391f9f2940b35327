import * as encoding from 'lib0/encoding';
import { hostile } from '../kit/hostile-socket.ts';
import type { NeighbourLoad } from '../kit/neighbour-load.ts';

const PAIRS = 20_000;

/** Letters and formats alternately, each format under its own key: Yjs cleans these up in quadratic time. */
function formatted(genesis: number, client: number): Uint8Array {
  return encoding.encode((encoder) => {
    for (const number of [1, 2 * PAIRS, client, 0]) encoding.writeVarUint(encoder, number);
    for (let at = 0; at < 2 * PAIRS; at++) {
      encoding.writeUint8(encoder, (at % 2 === 0 ? 6 : 4) | 0x80);
      encoding.writeVarUint(encoder, at === 0 ? genesis : client);
      encoding.writeVarUint(encoder, Math.max(0, at - 1));
      encoding.writeVarString(encoder, at % 2 === 0 ? `k${at}` : 'a');
      if (at % 2 === 0) encoding.writeVarString(encoder, '1');
    }
    encoding.writeVarUint(encoder, 0);
  });
}

export const load: NeighbourLoad = {
  name: 'C1 formats of distinct keys between letters',
  run: (target, signal) =>
    hostile(target, signal, 'formats.md', async (socket, round) => {
      socket.update(formatted(socket.genesis, 1000 + round));
      await socket.answered();
    }),
};
