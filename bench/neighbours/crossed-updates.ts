import { craftUpdate } from '../../server/test/kit/clients/crafted-updates.ts';
import { HostileSocket, makeNote } from '../kit/hostile-socket.ts';
import type { NeighbourLoad } from '../kit/neighbour-load.ts';

const PIECES = 100_000;
const ITEMS = 300;

/** Letters that are each inserted before the previous one, which makes as many Yjs items. */
function heap(genesis: number): Uint8Array {
  return craftUpdate(
    Array.from({ length: PIECES }, (_, clock) => ({
      ...{ client: 2, clock, text: 'p', origin: [genesis, 0] as const },
      ...(clock === 0 ? {} : { rightOrigin: [2, clock - 1] as const }),
    })),
  );
}

let note = '';

/** Small updates with letters whose position Yjs finds only by visiting all items of a long document. */
export const load: NeighbourLoad = {
  name: 'C2 letters placed among 100,000 pieces',
  async prepare(target) {
    note = await makeNote(target, 'crossed.md', 'x');
    const socket = await HostileSocket.open(target, note);
    socket.update(heap(socket.genesis));
    await socket.answered();
    socket.close();
  },
  async run(target, signal) {
    for (let round = 0; !signal.aborted; round++) {
      const socket = await HostileSocket.open(target, note);
      const origin = [socket.genesis, 0] as const;
      const client = 0xffff_0000 + (round % 60_000);
      const items = Array.from({ length: ITEMS }, (_, clock) => ({ client, clock, text: 'q', origin }));
      socket.update(craftUpdate(items));
      await socket.answered();
      socket.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
};
