import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoadTarget, put } from './neighbour-load.ts';
import { helperMain, type ProbeReport, type Seen } from './neighbour-process.ts';

// Another account: it requests its profile and reads a note every 20 ms, searches every 200 ms, and writes a small note
// every 100 ms, whether or not the last request was answered. A server that stalls for a second therefore delays fifty answers, as it would for people.
const ME_EVERY_MS = 20;
const READ_EVERY_MS = 20;
const SEARCH_EVERY_MS = 200;
const UPSERT_EVERY_MS = 100;
const AT_ONCE_MAX = 400;
/** A request still unanswered this long after the end is counted with the time it has waited. */
const DRAIN_MS = 20_000;

class Probe {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #target: LoadTarget;
  readonly #times: number[] = [];
  #refused = 0;
  #open = 0;

  constructor(target: LoadTarget) {
    this.#target = target;
  }

  async run(
    everyMs: number,
    signal: AbortSignal,
    shot: (at: number) => { method: string; path: string; body?: object },
  ) {
    const started = performance.now();
    const running: Promise<void>[] = [];
    for (let at = 0; !signal.aborted; at++) {
      await delay(Math.max(0, started + at * everyMs - performance.now()));
      if (this.#open < AT_ONCE_MAX) running.push(this.#once(shot(at)));
    }
    await Promise.race([Promise.all(running), delay(DRAIN_MS)]);
    this.#agent.destroy();
    await Promise.all(running);
  }

  seen(): Seen {
    const times = this.#times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(10 * (times[Math.floor(times.length * share)] ?? 0)) / 10;
    const worstMs = Math.round(10 * (times.at(-1) ?? 0)) / 10;
    return { count: times.length, p50Ms: at(0.5), p99Ms: at(0.99), worstMs, refused: this.#refused };
  }

  async #once({ method, path, body }: { method: string; path: string; body?: object }): Promise<void> {
    const { url, headers } = this.#target;
    const at = performance.now();
    this.#open += 1;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const json = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': text.length };
    const status = await new Promise<number>((resolve) => {
      const sent = { agent: this.#agent, method, headers: { ...headers, ...json } };
      const asked = request(`${url}/api${path}`, sent, (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode ?? 0));
      });
      asked.on('error', () => resolve(0));
      asked.end(text);
    });
    this.#open -= 1;
    this.#times.push(performance.now() - at);
    if (status !== 200) this.#refused += 1;
  }
}

await helperMain(async (target) => {
  const [me, read, search, upsert] = [new Probe(target), new Probe(target), new Probe(target), new Probe(target)];
  await put(target, 'POST', '/notes', { path: 'read.md', content: 'A note that is read.', mtime: 1 });
  await put(target, 'POST', '/search', { query: 'read' });
  return async (signal): Promise<ProbeReport> => {
    await Promise.all([
      me.run(ME_EVERY_MS, signal, () => ({ method: 'GET', path: '/me' })),
      read.run(READ_EVERY_MS, signal, () => ({ method: 'GET', path: '/notes/read.md' })),
      search.run(SEARCH_EVERY_MS, signal, () => ({ method: 'POST', path: '/search', body: { query: 'note read' } })),
      upsert.run(UPSERT_EVERY_MS, signal, (at) => ({
        method: 'POST',
        path: '/notes',
        body: { path: `probe/${at % 10}.md`, content: `written ${at}\n`, mtime: 1 },
      })),
    ]);
    return { me: me.seen(), read: read.seen(), search: search.seen(), upsert: upsert.seen() };
  };
});
