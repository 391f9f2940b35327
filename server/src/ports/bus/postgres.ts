import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { type Bus, HINT_BYTES_MAX } from './bus.ts';
import { Listeners } from './listeners.ts';

const CHANNEL = 'notevault';
/** PostgreSQL refuses payloads of 8,000 bytes and more. */
const BATCH_BYTES_MAX = 7_800;
/** Maximum hints that wait while the connection is down or slow; the oldest are dropped first. */
const WAITING_MAX = 10_000;
const RECONNECT_MS = { first: 100, most: 5_000 };

type Hint = readonly [topic: string, payload: string];

/**
 * The bus over LISTEN and NOTIFY, on its own connection. A connection pooler would lose LISTEN, and NOTIFY inside the
 * transactions it reports would make their commits wait for each other.
 */
export async function openPostgresBus(options: { url: string }): Promise<Bus> {
  const bus = new PostgresBus(options.url);
  await bus.connect();
  return bus;
}

class PostgresBus implements Bus {
  readonly #url: string;
  /** Identifies our own notifications, which PostgreSQL also delivers to their sender. */
  readonly #self = randomUUID().slice(0, 8);
  readonly #listeners = new Listeners();
  readonly #missed = new Listeners();
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
    // Nobody listens yet when the bus opens.
    this.#missed.notify('', '');
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

  onMissed(listener: () => void): Disposable {
    return this.#missed.add('', listener);
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

  /** Sends one notification after another; hints published meanwhile go into the next one. */
  async #send(): Promise<void> {
    try {
      for (;;) {
        const client = this.#client;
        const batch = client === undefined ? [] : this.#takeBatch();
        if (client === undefined || batch.length === 0) break;
        const values = [CHANNEL, JSON.stringify([this.#self, ...batch])];
        await client.query({ name: 'notify', text: 'select pg_notify($1, $2)', values });
      }
    } catch {
      // The hints are lost, as the contract allows; the connection's event reconnects.
    } finally {
      this.#sending = false;
    }
  }

  #takeBatch(): Hint[] {
    // Equal hints are sent once.
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

  #receive(wire: string): void {
    const [from, ...batch] = parsed(wire);
    if (from === this.#self) return;
    for (const hint of batch) {
      if (!Array.isArray(hint)) continue;
      try {
        this.#listeners.notify(String(hint[0]), String(hint[1]));
      } catch {
        // Ignored like a notification that is no batch.
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

/** The array in a notification, or an empty one if it is not a batch: anybody who may connect can notify. */
function parsed(wire: string): unknown[] {
  try {
    const value: unknown = JSON.parse(wire);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
