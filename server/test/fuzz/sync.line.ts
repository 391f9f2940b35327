import { NotevaultError } from '@notevault/protocol/errors.ts';
import * as decoding from 'lib0/decoding';
import type { LiveNote, Watcher } from '../../src/domains/content/notes/notes.ts';
import { kinds, message, RawSocket } from '../kit/clients/raw-socket.ts';

const STEP1 = 0;
const STEP2 = 1;
const AUTHENTICATED = 2;

/** Reasons to close a document that an honest client may receive after sending to it. */
const REFUSALS = new Set(['foreign_lineage', 'note_too_large']);

/**
 * A note's document over a real socket, in the protocol of the Hocuspocus provider, with the interface of LiveNote. An
 * update that is not accepted is reported as `missing`, whatever the reason. A final refusal is recognised by the CLOSE
 * after it, which may come in the same segment or later; the note may also be closed because it was deleted meanwhile.
 */
export class Line implements Pick<LiveNote, 'missingFor' | 'stateVector' | typeof Symbol.dispose> {
  readonly #wire: RawSocket;
  readonly #note: string;
  readonly #watcher: Watcher;
  readonly #authenticated = Promise.withResolvers<void>();
  /** Callers that wait for an acknowledgement, a step 2 or a step 1; each arrives in the order of the requests. */
  readonly #acknowledging: PromiseWithResolvers<boolean>[] = [];
  readonly #missing: PromiseWithResolvers<Uint8Array>[] = [];
  #vector: Uint8Array = Uint8Array.of(0);
  readonly #refused: (reason: string) => void;
  #over = false;

  private constructor(socket: RawSocket, note: string, watcher: Watcher, refused: (reason: string) => void) {
    this.#refused = refused;
    this.#wire = socket;
    this.#note = note;
    this.#watcher = watcher;
    // When the socket closes there may be no caller that waits for it.
    this.#authenticated.promise.catch(() => undefined);
    socket.ws.on('message', (data: Buffer) => this.#hear(new Uint8Array(data)));
    socket.ws.on('close', () => this.#end());
  }

  /** @param refused called for a CLOSE that an honest client should never get. */
  static async open(
    { url, token }: { readonly url: string; readonly token: string },
    note: string,
    watcher: Watcher,
    refused: (reason: string) => void,
  ): Promise<Line> {
    const socket = await RawSocket.open(url).catch(() => {
      throw new NotevaultError('unavailable');
    });
    const line = new Line(socket, note, watcher, refused);
    socket.send(message.token(note, token));
    await line.#authenticated.promise;
    return line;
  }

  async missingFor(stateVector: Uint8Array | null): Promise<Uint8Array> {
    const asked = Promise.withResolvers<Uint8Array>();
    this.#ask(this.#missing, asked, message.step1(this.#note, stateVector ?? Uint8Array.of(0)));
    return asked.promise;
  }

  /** The state vector that the server last sent in a step 1; before that, an empty one. */
  async stateVector(): Promise<Uint8Array> {
    return this.#vector;
  }

  apply(updates: readonly Uint8Array[]): Promise<string[]> {
    return Promise.all(updates.map((update) => this.#apply(update)));
  }

  async #apply(update: Uint8Array): Promise<string> {
    const asked = Promise.withResolvers<boolean>();
    this.#ask(this.#acknowledging, asked, message.update(this.#note, update));
    return (await asked.promise) ? 'stored' : 'missing';
  }

  [Symbol.dispose](): void {
    this.#wire[Symbol.dispose]();
    this.#end();
  }

  #ask<T>(waiting: PromiseWithResolvers<T>[], asked: PromiseWithResolvers<T>, sent: Uint8Array): void {
    if (this.#over) throw new NotevaultError('unavailable');
    waiting.push(asked);
    this.#wire.send(sent);
  }

  #hear(frame: Uint8Array): void {
    const decoder = decoding.createDecoder(frame);
    if (frame.length < 2) return;
    decoding.readVarString(decoder);
    const kind = decoding.readVarUint(decoder);
    if (kind === kinds.auth) this.#admitted(decoding.readVarUint(decoder) === AUTHENTICATED);
    else if (kind === kinds.status) this.#acknowledging.shift()?.resolve(decoding.readVarUint(decoder) === 1);
    else if (kind === kinds.close) {
      const reason = decoding.readVarString(decoder);
      if (REFUSALS.has(reason)) this.#refused(reason);
      this[Symbol.dispose]();
    } else if (kind === kinds.sync) this.#synced(decoding.readVarUint(decoder), decoding.readVarUint8Array(decoder));
  }

  #admitted(yes: boolean): void {
    if (yes) this.#authenticated.resolve();
    else {
      this.#authenticated.reject(new NotevaultError('note_not_found'));
      this[Symbol.dispose]();
    }
  }

  #synced(step: number, bytes: Uint8Array): void {
    if (step === STEP1) this.#vector = bytes;
    else if (step === STEP2) this.#missing.shift()?.resolve(bytes);
    else this.#watcher.update(bytes);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    const gone = new NotevaultError('unavailable');
    this.#authenticated.reject(gone);
    for (const waiting of [...this.#acknowledging.splice(0), ...this.#missing.splice(0)]) {
      waiting.promise.catch(() => undefined);
      waiting.reject(gone);
    }
    this.#watcher.closed('lost');
  }
}
