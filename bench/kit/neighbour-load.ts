/** A server and an account on it, on which a load runs. */
export interface LoadTarget {
  /** Address without a trailing slash. */
  readonly url: string;
  /** Credential and vault of the account, for every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Load that one account puts on a server while others use it. Runs in its own process. */
export interface NeighbourLoad {
  readonly name: string;
  /** Writes the data that the load works on. Not measured. */
  prepare?(target: LoadTarget): Promise<void>;
  /** Works until the signal is aborted, and then ends soon. The load handles failed requests itself. */
  run(target: LoadTarget, signal: AbortSignal): Promise<void>;
}

/**
 * Sends JSON as the account; resolves to the answer's status when its body is read. Throws when the connection breaks.
 */
export async function send(
  { url, headers }: LoadTarget,
  method: string,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
): Promise<number> {
  const key = { 'x-idempotency-key': crypto.randomUUID() };
  const json = body === undefined ? {} : { 'content-type': 'application/json', ...(method === 'POST' ? key : {}) };
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: { ...headers, ...json },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  });
  // The body is read and dropped piece by piece: a load must not run out of memory before the server does.
  if (answer.body !== null) for await (const _ of answer.body);
  return answer.status;
}

/** Like `send`, to prepare a load: throws unless the answer is a success. */
export async function put(target: LoadTarget, method: string, path: string, body: unknown): Promise<void> {
  const status = await send(target, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} was answered ${status}`);
}

/**
 * Runs `work` repeatedly in `count` parallel loops until the signal is aborted; after a refusal (503) a loop waits a
 * moment.
 */
export async function loops(
  count: number,
  signal: AbortSignal,
  work: (loop: number, round: number) => Promise<number>,
): Promise<void> {
  const loop = async (at: number) => {
    for (let round = 0; !signal.aborted; round++) {
      const status = await work(at, round).catch(() => 0);
      if (status === 0 || status === 503) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await Promise.all(Array.from({ length: count }, (_, at) => loop(at)));
}
