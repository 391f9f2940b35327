import type { Person } from '../person.ts';
import { startServer, type TestServer, type TestServerOptions } from '../server.ts';

export const ISSUER = 'https://notes.example';

/** Starts a server that has the address of the issuer. */
export const startIssuer = (options: TestServerOptions) =>
  startServer({ ...options, config: { publicUrl: ISSUER, ...options.config } });

type Reached = Pick<TestServer, 'url' | 'publicUrl'>;

/** `fetch` as seen from outside: the host of the public address leads to the server, with paths unchanged. */
export function outside(server: Reached): typeof fetch {
  const { origin } = new URL(server.publicUrl);
  return async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(`${origin}/`)) throw new Error(`nothing answers at ${request.url}`);
    const target = server.url + request.url.slice(origin.length);
    const body = request.body === null ? {} : { body: await request.arrayBuffer() };
    const { method, headers, redirect } = request;
    return fetch(target, { method, headers, redirect, ...body });
  };
}

/** A page or redirect that a browser received. */
export interface Met {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
}

/** The parts of a browser that OAuth needs: cookies by path, redirects within the server, forms without script. */
export class Browser {
  readonly #fetch: typeof fetch;
  readonly #origin: string;
  readonly #cookies: { name: string; value: string; path: string }[] = [];

  constructor(server: Reached) {
    this.#fetch = outside(server);
    this.#origin = new URL(server.publicUrl).origin;
  }

  /** Follows redirects while they stay on the server; returns the last answer, or the redirect that leaves. */
  async open(url: string, init: RequestInit = {}): Promise<Met> {
    const response = await this.#fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { cookie: this.#cookiesFor(url), accept: 'text/html', ...(init.headers as Record<string, string>) },
    });
    this.#keep(response.headers, url);
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) return { status: response.status, url, headers: response.headers, text };
    const next = new URL(location, url).href;
    if (next.startsWith(`${this.#origin}/`)) return this.open(next);
    return { status: response.status, url: next, headers: response.headers, text };
  }

  /** Submits the only form of a page with these values, by the button of this step. */
  submit(page: Met, step: string, values: Readonly<Record<string, string>> = {}): Promise<Met> {
    return this.send(page, { ...fieldsOf(page.text), ...values, step });
  }

  send(page: Met, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Promise<Met> {
    return this.open(page.url, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.#origin, ...headers },
    });
  }

  get cookies(): readonly { readonly name: string; readonly value: string; readonly path: string }[] {
    return this.#cookies;
  }

  #cookiesFor(url: string): string {
    const { pathname } = new URL(url);
    const sent = this.#cookies.filter(
      ({ path }) => path === '/' || pathname === path || pathname.startsWith(`${path}/`),
    );
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  #keep(headers: Headers, url: string): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const at = pair.indexOf('=');
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? new URL(url).pathname;
      const before = this.#cookies.findIndex((each) => each.name === name && each.path === path);
      if (before >= 0) this.#cookies.splice(before, 1);
      if (value !== '') this.#cookies.push({ name, value, path });
    }
  }
}

/** The fields of a form by name, with their initial or selected values. */
export function fieldsOf(page: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, attributes = ''] of page.matchAll(/<input ([^>]*)>/g)) {
    fields[attributeOf(attributes, 'name')] = attributeOf(attributes, 'value');
  }
  for (const [, name = '', options = ''] of page.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    fields[name] = /value="([\w-]+)" selected/.exec(options)?.[1] ?? /value="([\w-]+)"/.exec(options)?.[1] ?? '';
  }
  return fields;
}

function attributeOf(attributes: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}

/** The consent page of a request, for a person who has signed in. */
export async function signedIn(browser: Browser, url: string, who: Person): Promise<Met> {
  await who.signed();
  return browser.submit(await browser.open(url), 'sign-in', { email: who.email, password: who.password });
}
