import { Agent, type IncomingMessage, request } from 'node:http';
import { type Answer, Caller, type Headed } from '../person.ts';

/**
 * A caller over kept-alive connections, at half the cost of `fetch`, for tests with thousands of requests. Sends only
 * JSON and reads no cookies. Rejects like `fetch` when the server is gone.
 */
export class LeanCaller extends Caller {
  readonly #api: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #always: Headed;

  constructor(url: string, always: Headed) {
    super(url);
    this.#api = `${url}/api`;
    this.#always = always;
  }

  override async call(method: string, path: string, body: unknown, headers: Headed): Promise<Answer> {
    const sent = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const response = await this.#send(method, path, sent, headers).catch((cause: unknown) => {
      throw new TypeError('fetch failed', { cause });
    });
    const text = response.bytes.toString();
    return { ...response, body: text === '' ? null : JSON.parse(text), cookie: () => undefined };
  }

  #send(method: string, path: string, body: Buffer | null, headers: Headed) {
    const kind = body === null ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) };
    return new Promise<{ status: number; headers: Headers; bytes: Buffer }>((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { ...kind, ...this.#always, ...headers } };
      const sending = request(this.#api + path, options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: headersOf(response),
            bytes: Buffer.concat(parts),
          }),
        );
      });
      sending.on('error', reject);
      sending.end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return headers;
}
