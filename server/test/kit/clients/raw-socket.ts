import { once } from 'node:events';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { WebSocket } from 'ws';
import type { TestClock } from '../clock.ts';
import { until, untilInTime } from '../until.ts';

/* A socket that sends arbitrary bytes, for messages that providers never send and details that they do not show. */

/** A message of the server. Its body stays bytes, because a textual form would hide bytes that matter. */
export interface ReceivedMessage {
  readonly name: string;
  readonly kind: number;
  readonly body: Uint8Array;
}

/** A WebSocket without a provider. */
export class RawSocket implements Disposable {
  readonly ws: WebSocket;
  readonly frames: Uint8Array[] = [];
  /** Close code and reason; null while it is open. */
  closed: { readonly code: number; readonly reason: string } | null = null;

  private constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', (data: Buffer) => this.frames.push(new Uint8Array(data)));
    ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    ws.on('error', () => undefined);
  }

  /** Opens a socket; rejects with the status when the server refuses the upgrade. */
  static async open(url: string, path = '/api/sync/socket', headers: Record<string, string> = {}): Promise<RawSocket> {
    const ws = new WebSocket(url.replace(/^http/, 'ws') + path, { headers, perMessageDeflate: false });
    const socket = new RawSocket(ws);
    const refused = new Promise<never>((_, reject) => {
      ws.on('unexpected-response', (_request, response) => {
        response.resume();
        ws.terminate();
        reject(new Error(`answered ${response.statusCode}`));
      });
      ws.on('error', reject);
    });
    refused.catch(() => undefined);
    await Promise.race([once(ws, 'open'), refused]);
    return socket;
  }

  send(...bytes: (number | Uint8Array)[]): void {
    const parts = bytes.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part));
    this.ws.send(Buffer.concat(parts));
  }

  /** The messages about documents, in order. */
  get messages(): ReceivedMessage[] {
    return this.frames.filter((frame) => frame.length > 1).map(messagesIn);
  }

  /**
   * Resolves to the message of a kind with that number, or one that has already arrived.
   *
   * @param clock advanced meanwhile, for a refusal, which the server sends only after some time.
   */
  async waitFor(kind: number, count = 1, clock?: TestClock): Promise<ReceivedMessage> {
    const all = () => this.messages.filter((messages) => messages.kind === kind);
    await this.#wait(() => all().length >= count || this.closed !== null, `message ${kind}`, clock);
    const messages = all()[count - 1];
    if (messages === undefined) throw new Error(`closed with ${this.closed?.code} ${this.closed?.reason}`);
    return messages;
  }

  /** @param clock see waitFor. */
  async ended(clock?: TestClock): Promise<{ readonly code: number; readonly reason: string }> {
    await this.#wait(() => this.closed !== null, 'a close', clock);
    return this.closed ?? { code: 0, reason: '' };
  }

  #wait(holds: () => boolean, what: string, clock: TestClock | undefined): Promise<void> {
    return clock === undefined ? until(holds, what) : untilInTime(clock, holds, what);
  }

  [Symbol.dispose](): void {
    this.ws.terminate();
  }
}

function messagesIn(frame: Uint8Array): ReceivedMessage {
  const decoder = decoding.createDecoder(frame);
  const name = decoding.readVarString(decoder);
  const kind = decoding.readVarUint(decoder);
  return { name, kind, body: frame.subarray(decoder.pos) };
}

export const kinds = { sync: 0, awareness: 1, auth: 2, query: 3, stateless: 5, close: 7, status: 8 } as const;

/** Builds messages of the Hocuspocus provider. */
export const message = {
  token: (name: string, token: string) => named(name, kinds.auth, 0, text(token), text('4.8.0')),
  step1: (name: string, vector: Uint8Array = Uint8Array.of(0)) => named(name, kinds.sync, 0, bytes(vector)),
  step2: (name: string, update: Uint8Array = Uint8Array.of(0, 0)) => named(name, kinds.sync, 1, bytes(update)),
  update: (name: string, update: Uint8Array) => named(name, kinds.sync, 2, bytes(update)),
  awareness: (name: string, update: Uint8Array) => named(name, kinds.awareness, bytes(update)),
  query: (name: string) => named(name, kinds.query),
  close: (name: string) => named(name, kinds.close),
};

function named(name: string, ...parts: (number | Uint8Array)[]): Uint8Array {
  return Buffer.concat([text(name), ...parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))]);
}

/** Encodes a text with its length before it. */
export function text(value: string): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarString(encoder, value);
  return encoding.toUint8Array(encoder);
}

/** Encodes bytes with their length before them. */
export function bytes(value: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint8Array(encoder, value);
  return encoding.toUint8Array(encoder);
}

/** Decodes the text of a body. */
export function textIn(body: Uint8Array, from = 0): string {
  const decoder = decoding.createDecoder(body.subarray(from));
  return decoding.readVarString(decoder);
}
