/** The answer of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; null when there is none. Its shape is what tests check, so it is not typed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting, field by field.
  readonly body: any;
  /** The raw body. */
  readonly bytes: Buffer;
  /** The value to which the answer sets the cookie; null when it clears it, undefined when it does not mention it. */
  cookie(name: string): string | null | undefined;
}

export type Headed = Readonly<Record<string, string>>;

/** Makes calls below `/api`. */
export class Caller {
  readonly #api: string;
  readonly #headers: () => Promise<Headed>;

  constructor(url: string, headers: () => Promise<Headed> = async () => ({})) {
    this.#api = `${url}/api`;
    this.#headers = headers;
  }

  get(path: string, headers: Headed = {}): Promise<Answer> {
    return this.call('GET', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }
  put(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('PUT', path, body, headers);
  }
  patch(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('PATCH', path, body, headers);
  }
  delete(path: string, body?: unknown, headers: Headed = {}): Promise<Answer> {
    return this.call('DELETE', path, body, headers);
  }

  /** Sends a request. Strings and bytes are sent unchanged, anything else as JSON. */
  async call(method: string, path: string, body: unknown, headers: Headed): Promise<Answer> {
    const raw = typeof body === 'string' ? body : body instanceof Uint8Array ? new Blob([body.slice()]) : undefined;
    const response = await fetch(this.#api + path, {
      method,
      headers: {
        ...(body === undefined || raw !== undefined ? {} : { 'content-type': 'application/json' }),
        ...(await this.#headers()),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const text = bytes.toString();
    // A raw file may also be JSON, or be labelled so.
    const isFile = response.headers.has('content-disposition');
    const isJson = !isFile && (response.headers.get('content-type')?.includes('json') ?? false);
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: text === '' ? null : isJson ? JSON.parse(text) : text,
      cookie: (name) => cookieOf(response.headers, name),
    };
  }
}

/** A person with an account, which is registered at the first call. */
export class Person extends Caller {
  readonly email: string;
  readonly password: string;
  readonly #register: () => Promise<Signed>;

  /** @param setupToken returns the token for the first account; null if another account is the first. */
  constructor(
    url: string,
    name: string,
    before: () => Promise<unknown>,
    setupToken: () => Promise<string | null> = async () => null,
  ) {
    let signed: Promise<Signed> | undefined;
    const [email, password] = [`${name}@example.org`, `${name}'s long password`];
    const register = () => {
      signed ??= before().then(async () => signUp(url, { email, password, setup_token: await setupToken() }));
      return signed;
    };
    super(url, async () => ({ authorization: `Bearer ${(await register()).accessToken}` }));
    this.email = email;
    this.password = password;
    this.#register = register;
  }

  /** The account and the credentials of its first session. */
  signed(): Promise<Signed> {
    return this.#register();
  }
}

export interface Signed {
  readonly id: string;
  readonly accessToken: string;
  /** Value of the refresh cookie. */
  readonly refreshToken: string;
}

async function signUp(
  url: string,
  account: { readonly email: string; readonly [field: string]: unknown },
): Promise<Signed> {
  const answer = await new Caller(url).post('/auth/register', account);
  if (answer.status !== 201) throw new Error(`registering ${account.email} was answered ${answer.status}`);
  const { user, access_token: accessToken } = answer.body;
  return { id: user.id, accessToken, refreshToken: answer.cookie('refresh_token') ?? '' };
}

function cookieOf(headers: Headers, name: string): string | null | undefined {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  if (line === undefined) return undefined;
  const value = line.slice(name.length + 1).split(';', 1)[0] ?? '';
  return value === '' ? null : value;
}
