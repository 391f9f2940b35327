import { Agent, request } from 'node:http';

/** The results of a run of requests. */
export interface Load {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends `count` requests over `connections` kept-alive connections, each as soon as the previous one was answered. */
export async function load(
  url: string,
  headers: Record<string, string>,
  connections: number,
  count: number,
  shot: (index: number) => Shot,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    while (next < count) {
      const { method, path, body, headers: own } = shot(next++);
      const at = performance.now();
      await send(agent, url + path, method, { ...headers, ...own }, body);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
  return { perSecond: Math.round((10 * count) / seconds) / 10, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

function send(
  agent: Agent,
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const type =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const asked = request(url, { agent, method, headers: { ...headers, ...type } }, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode} for ${method} ${url}`)),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
