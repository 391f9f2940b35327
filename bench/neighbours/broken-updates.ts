import { craftUpdate } from '../../server/test/kit/clients/crafted-updates.ts';
import { hostile } from '../kit/hostile-socket.ts';
import type { NeighbourLoad } from '../kit/neighbour-load.ts';

/** Updates with items that refer to later items of the same update: Yjs throws while applying them. */
export const load: NeighbourLoad = {
  name: 'C3 items that refer to later ones',
  run: (target, signal) =>
    hostile(target, signal, 'broken.md', async (socket, round) => {
      const [client, other] = [1000 + 2 * round, 1001 + 2 * round];
      socket.update(
        craftUpdate([
          { client, clock: 0, text: 'a', origin: [client, 1] },
          { client, clock: 1, text: 'b', origin: [other, 0] },
          { client: other, clock: 0, text: 'c', origin: [client, 0] },
        ]),
      );
      await socket.answered();
    }),
};
