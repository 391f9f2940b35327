import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { type Bus, HINT_BYTES_MAX } from './bus.ts';
import { Listeners } from './listeners.ts';

const CHANNEL = 'notevault';
/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const BATCH_BYTES_MAX = 7_800;
/** Hints that wait while the connection is away or slow; older ones are dropped first. */
const WAITING_MAX = 10_000;
const RECONNECT_MS = { first: 100, most: 5_000 };

/** A hint on its way: topic, payload. */
type Hint = readonly [topic: string, payload: string];

/**
 * The bus over LISTEN and NOTIFY, on a connection of its own: a pooler in between would lose the listening, and NOTIFY
 * inside the transactions it tells of would make their commits wait for each other.
 */
export async function openPostgresBus(options: { url: string }): Promise<Bus> {
  const bus = new PostgresBus(options.url);
  await bus.connect();
  return bus;
}

class PostgresBus implements Bus {
  readonly #url: string;
  /** Notifications come back to their sender too, who knows them by this. */
  readonly #self = randomUUID().slice(0, 8);
  readonly #listeners = new Listeners();
  #client: Client | undefined;
  #waiting: Hint[] = [];
  #sending = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = RECONNECT_MS.first;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  async connect(): Promise<void> {
    const client = new Client({ connectionString: this.#url, application_name: 'notevault bus', keepAlive: true });
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) return client.end();
    this.#client = client;
    this.#retryMs = RECONNECT_MS.first;
    this.#wake();
  }

  publish(topic: string, payload: string): void {
    if (this.#closed || Buffer.byteLength(topic) + Buffer.byteLength(payload) > HINT_BYTES_MAX) return;
    if (this.#waiting.length >= WAITING_MAX) this.#waiting.shift();
    this.#waiting.push([topic, payload]);
    this.#wake();
  }

  subscribe(topic: string, listener: (payload: string) => void): Disposable {
    return this.#listeners.add(topic, listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => {});
  }

  #wake(): void {
    if (this.#sending || this.#client === undefined) return;
    this.#sending = true;
    setImmediate(() => this.#send());
  }

  /** One notification after another: what is published meanwhile goes together in the next. */
  async #send(): Promise<void> {
    try {
      for (;;) {
        const client = this.#client;
        const batch = client === undefined ? [] : this.#takeBatch();
        if (client === undefined || batch.length === 0) break;
        await client.query({ name: 'notify', text: 'select pg_notify($1, $2)', values: [CHANNEL, this.#wire(batch)] });
      }
    } catch {
      // Lost, as hints may be; the connection's own event brings a new one.
    } finally {
      this.#sending = false;
    }
  }

  #takeBatch(): Hint[] {
    // The same hint twice says no more than once.
    const batch: Hint[] = [];
    let bytes = 64;
    while (this.#waiting.length > 0) {
      const [topic, payload] = this.#waiting[0] as Hint;
      bytes += Buffer.byteLength(JSON.stringify([topic, payload])) + 1;
      if (batch.length > 0 && bytes > BATCH_BYTES_MAX) break;
      this.#waiting.shift();
      if (!batch.some(([t, p]) => t === topic && p === payload)) batch.push([topic, payload]);
    }
    return batch;
  }

  #wire(batch: readonly Hint[]): string {
    return JSON.stringify([this.#self, ...batch]);
  }

  #receive(wire: string): void {
    const [from, ...batch] = parsed(wire);
    if (from === this.#self) return;
    for (const hint of batch) {
      if (!Array.isArray(hint)) continue;
      try {
        this.#listeners.notify(String(hint[0]), String(hint[1]));
      } catch {
        // Whoever may connect can notify: what its hearer cannot read is nobody's hint.
      }
    }
  }

  #lost(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    if (this.#closed || this.#retry !== undefined || this.#client !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.connect().catch(() => this.#lost(client));
    }, this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, RECONNECT_MS.most);
  }
}

/** Anybody who may connect can notify: what is no batch is nothing. */
function parsed(wire: string): unknown[] {
  try {
    const value: unknown = JSON.parse(wire);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
