import { connect, type Socket } from 'node:net';

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
  const times: number[] = [];
  const shared = linesOf({ host: new URL(url).host, ...headers });
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    using connection = new Connection(url);
    while (next < count) {
      const made = shot(next++);
      const at = performance.now();
      const status = await connection.send(textOf(made, shared));
      if (status !== 200) throw new Error(`status ${status} for ${made.method} ${made.path}`);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
  return { perSecond: Math.round((10 * count) / seconds) / 10, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function textOf({ method, path, body, headers = {} }: Shot, shared: string): string {
  const own =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` };
  return `${method} ${path} HTTP/1.1\r\n${shared}${linesOf({ ...headers, ...own })}\r\n${body ?? ''}`;
}

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * An HTTP connection that reads only the status and the end of an answer: `node:http` takes as much processor time as a
 * fast server, with which it shares the machine.
 */
class Connection implements Disposable {
  readonly #socket: Socket;
  #answered = Promise.withResolvers<number>();
  /** The beginning of the head, then the last bytes of a body in chunks. */
  #kept: Buffer = NOTHING;
  #status = 0;
  /** Missing bytes of the body; null until its head has arrived, infinite for a body in chunks. */
  #missing: number | null = null;

  constructor(url: string) {
    const { hostname: host, port } = new URL(url);
    this.#socket = connect({ host, port: Number(port), noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', (error) => this.#answered.reject(error));
    this.#socket.on('close', () => this.#answered.reject(new Error('the server closed a connection')));
  }

  /** Resolves to the status once the whole answer has arrived. */
  send(request: string): Promise<number> {
    this.#answered = Promise.withResolvers<number>();
    this.#socket.write(request);
    return this.#answered.promise;
  }

  [Symbol.dispose](): void {
    this.#answered.promise.catch(() => undefined);
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    const body = this.#missing === null ? this.#readHead(bytes) : bytes;
    if (body === null || this.#missing === null) return;
    this.#missing -= body.length;
    if (this.#missing === Number.POSITIVE_INFINITY) {
      this.#kept = Buffer.concat([this.#kept, body]).subarray(-LAST_CHUNK.length);
      if (this.#kept.toString('latin1') !== LAST_CHUNK) return;
    } else if (this.#missing > 0) return;
    this.#kept = NOTHING;
    this.#missing = null;
    this.#answered.resolve(this.#status);
  }

  /** Returns the bytes after the head; null while it is incomplete. */
  #readHead(bytes: Buffer): Buffer | null {
    const all = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    const end = all.indexOf(END_OF_HEAD);
    this.#kept = end === -1 ? all : NOTHING;
    if (end === -1) return null;
    const head = all.toString('latin1', 0, end + 2);
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    this.#status = Number(head.slice(9, 12));
    this.#missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    return all.subarray(end + END_OF_HEAD.length);
  }
}
