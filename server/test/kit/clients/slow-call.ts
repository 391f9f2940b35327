import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { TestServer } from '../server.ts';
import { turns, until } from '../until.ts';

/** A request whose head and most of whose body were sent: the rest is sent when a test says so. */
export class SlowCall {
  readonly #request: ClientRequest;
  readonly #answer: Promise<{ readonly status: number; readonly body: unknown }>;
  readonly #rest: Buffer;
  isAnswered = false;

  /** @param body sent as JSON, except bytes and text, which are sent as they are. */
  constructor(
    { url }: Pick<TestServer, 'url'>,
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ) {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const bytes = Buffer.from(isRaw ? body : JSON.stringify(body));
    const type = isRaw ? 'application/octet-stream' : 'application/json';
    const all = { 'content-type': type, 'content-length': `${bytes.length}`, ...headers };
    this.#request = request(`${url}/api${path}`, { method, agent: false, headers: all });
    this.#answer = answerOf(this.#request).finally(() => {
      this.isAnswered = true;
    });
    this.#answer.catch(() => undefined);
    this.#request.write(bytes.subarray(0, -1));
    this.#rest = bytes.subarray(-1);
  }

  /** Sends a part of a body whose length was announced in the headers. */
  write(bytes: Uint8Array): void {
    this.#request.write(bytes);
  }

  /** Sends the rest; resolves to the answer. */
  end(): Promise<{ readonly status: number; readonly body: unknown }> {
    this.#request.end(this.#rest);
    return this.#answer;
  }

  answer() {
    return this.#answer;
  }
}

async function answerOf(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await response.setEncoding('utf8').toArray()).join('');
  const isJson = response.headers['content-type']?.includes('json') === true;
  return { status: response.statusCode ?? 0, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** Counts the decisions of a server, so that a test can wait until its calls were let in. */
export function watchDecisions({ app: { credentials, vaults } }: TestServer) {
  let [callers, opened] = [0, 0];
  const { authenticate } = credentials;
  credentials.authenticate = (...args) =>
    authenticate.apply(credentials, args).finally(() => {
      callers += 1;
    });
  const { openVault } = vaults;
  vaults.openVault = (...args) =>
    openVault(...args).finally(() => {
      opened += 1;
    });
  const restore = () => {
    credentials.authenticate = authenticate;
    vaults.openVault = openVault;
  };
  return {
    /** Resolves when this many callers, and this many vaults of theirs, were decided on since the watch began. */
    async decided(callersMin: number, openedMin: number): Promise<void> {
      await until(
        () => callers >= callersMin && opened >= openedMin,
        () => `${callers} and ${opened} decisions`,
      );
      await turns();
    },
    [Symbol.dispose]: restore,
  };
}
