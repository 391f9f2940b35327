import { request } from 'node:http';
import { type LoadTarget, loops, type NeighbourLoad } from '../kit/neighbour-load.ts';
import { load as pages } from './feed-pages.ts';

const READERS = 300;

/** Three hundred readers request large pages and read them slowly. */
export const load: NeighbourLoad = {
  name: 'slow readers: 300 ask for pages of 8 MB and read 64 KB a second',
  async prepare(target) {
    await pages.prepare?.(target);
  },
  run: (target, signal) => loops(READERS, signal, () => readSlowly(target, signal)),
};

function readSlowly({ url, headers }: LoadTarget, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/sync/changes?limit=500&fields=all`, { headers, agent: false }, (answer) => {
      const step = setInterval(() => {
        answer.read(64 * 1024) ?? answer.read();
      }, 1000);
      const over = () => {
        clearInterval(step);
        resolve(answer.statusCode ?? 0);
      };
      answer.on('end', over).on('close', over).on('error', over);
      answer.pause();
    });
    asked.on('error', reject);
    signal.addEventListener('abort', () => asked.destroy(), { once: true });
    asked.end();
  });
}
