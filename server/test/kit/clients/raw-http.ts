import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { errors } from '@notevault/protocol/errors.ts';

/* HTTP byte by byte, for requests that no client library sends and details that none shows. */

/** One answer as received over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection that sends arbitrary bytes. */
export class RawConnection implements Disposable {
  readonly #socket: Socket;
  #received = '';
  #closed = false;
  #changed = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    const wake = () => {
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    };
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      wake();
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.#closed = true;
        wake();
      });
  }

  static async open(url: string): Promise<RawConnection> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Everything received that `next` has not returned yet. */
  get received(): string {
    return this.#received;
  }

  send(bytes: string): void {
    this.#socket.write(bytes, 'latin1');
  }

  /**
   * Resolves to the next answer, interim ones (1xx) included; null when the connection closes before it is complete.
   */
  async next(toHead = false): Promise<RawAnswer | null> {
    for (;;) {
      const found = answerIn(this.#received, toHead);
      if (found !== null) {
        this.#received = this.#received.slice(found.length);
        return found.answer;
      }
      if (this.#closed) return null;
      await this.#changed.promise;
    }
  }

  /** Resolves once the server has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#closed) await this.#changed.promise;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** Sends bytes on a new connection; resolves to the first final answer, or null when the server closes without one. */
export async function exchange(url: string, bytes: string): Promise<RawAnswer | null> {
  using connection = await RawConnection.open(url);
  connection.send(bytes);
  return await connection.next(bytes.startsWith('HEAD '));
}

/** Checks that an answer is this error of the catalogue, with its status and the headers of every answer. */
export function assertCatalogued(answer: RawAnswer | null, status: number, error: string, about = ''): void {
  assert.ok(answer !== null, `no answer ${about}`);
  assert.equal(answer.status, status, `${about} ${answer.body}`);
  const { error: said } = JSON.parse(answer.body) as { error?: string };
  assert.equal(said, error, about);
  assert.ok(
    Object.values(errors).some((entry) => entry.status === status && entry.error === error),
    `${status} ${error} is in the catalogue`,
  );
  assertHeaders(answer, about);
}

/** Checks the headers that every answer has. */
export function assertHeaders({ headers }: RawAnswer, about = ''): void {
  assert.match(headers.get('x-request-id') ?? '', /^[\w-]{36}$/, about);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', about);
  assert.equal(headers.get('content-security-policy'), "default-src 'none'", about);
}

function answerIn(text: string, toHead: boolean): { answer: RawAnswer; length: number } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? Number.NaN);
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const bodiless = toHead || status < 200 || status === 204 || status === 304;
  const bytes = bodiless ? 0 : Number(headers.get('content-length') ?? 0);
  const length = end + 4 + bytes;
  if (text.length < length) return null;
  return { answer: { status, headers, body: text.slice(end + 4, length) }, length };
}
