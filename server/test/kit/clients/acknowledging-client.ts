import * as decoding from 'lib0/decoding';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { kinds, message, textIn } from './raw-socket.ts';

const [STEP_1, STEP_2] = [0, 1];
const PATIENCE_MS = 20_000;

/**
 * A client that types words into a note over unreliable sockets, and knows for each word whether the server
 * acknowledged it. Acknowledgements are counted, because the protocol has no ids for them.
 */
export class AcknowledgingClient {
  readonly doc = new Y.Doc();
  readonly note: string;
  readonly #name: string;
  /** Every typed word, and those acknowledged. */
  readonly typed: string[] = [];
  readonly acknowledged = new Set<string>();
  /** Refusals and closes of documents, which a healthy server does not send here. */
  readonly faults: string[] = [];
  /** Unacknowledged words, oldest first; null for a handshake. */
  #unacknowledged: (string | null)[] = [];
  #ws: WebSocket | undefined;
  #joined = Promise.withResolvers<void>();
  #waiters: (() => void) | undefined;

  constructor(name: string, note: string) {
    this.#name = name;
    this.note = note;
  }

  /** Connects and syncs both ways, as a provider does. Rejects when the socket closes before that. */
  async join(url: string, token: string): Promise<void> {
    const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/api/sync/socket`, { perMessageDeflate: false });
    this.#ws = ws;
    this.#unacknowledged = [];
    // An earlier socket may close only now, which does not concern this one.
    const joined = Promise.withResolvers<void>();
    this.#joined = joined;
    joined.promise.catch(() => undefined);
    ws.on('message', (data: Buffer) => this.#receive(data));
    ws.on('error', () => undefined);
    ws.on('close', (code, reason) => {
      joined.reject(new Error(`the socket ended: ${code} ${reason}`));
      this.#waiters?.();
    });
    ws.on('open', () => {
      ws.send(message.token(this.note, token));
      ws.send(message.step1(this.note, Y.encodeStateVector(this.doc)));
    });
    const patience = setTimeout(() => ws.terminate(), PATIENCE_MS);
    await joined.promise.finally(() => clearTimeout(patience));
  }

  get connected(): boolean {
    return this.#ws?.readyState === WebSocket.OPEN;
  }

  /** Number of unacknowledged words. */
  get ahead(): number {
    return this.#unacknowledged.length;
  }

  /** Types a unique word at an offset. */
  type(at: number): void {
    const word = `<${this.#name}.${this.typed.length}>`;
    const before = Y.encodeStateVector(this.doc);
    const content = this.doc.getText('content');
    content.insert(wordBoundary(content.toString(), at % (content.length + 1)), word);
    this.typed.push(word);
    this.#unacknowledged.push(word);
    this.#ws?.send(message.update(this.note, Y.encodeStateAsUpdate(this.doc, before)));
  }

  /** Resolves at the next acknowledgement, or when the socket closes. */
  async acknowledgedOnce(): Promise<void> {
    if (!this.connected) return;
    await new Promise<void>((resolve) => {
      this.#waiters = resolve;
    });
  }

  leave(): void {
    this.#ws?.terminate();
  }

  #receive(data: Buffer): void {
    if (data.length === 1) return;
    const decoder = decoding.createDecoder(new Uint8Array(data));
    decoding.readVarString(decoder);
    const kind = decoding.readVarUint(decoder);
    if (kind === kinds.sync) this.#sync(decoder);
    else if (kind === kinds.status) this.#acknowledge(decoding.readVarUint(decoder));
    else if (kind === kinds.close) this.faults.push(`closed: ${textIn(data, decoder.pos)}`);
    else if (kind === kinds.auth && decoding.readVarUint(decoder) !== 2) this.faults.push('was not let in');
  }

  #sync(decoder: decoding.Decoder): void {
    const step = decoding.readVarUint(decoder);
    const bytes = decoding.readVarUint8Array(decoder);
    if (step !== STEP_1) Y.applyUpdate(this.doc, bytes);
    if (step === STEP_1) {
      // Contains everything that the server lacks, so also all words typed before.
      this.#unacknowledged.push(null);
      this.#ws?.send(message.step2(this.note, Y.encodeStateAsUpdate(this.doc, bytes)));
    } else if (step === STEP_2) this.#joined.resolve();
  }

  #acknowledge(status: number): void {
    const word = this.#unacknowledged.shift();
    if (status !== 1) this.faults.push(`${word} was refused`);
    else if (word === null)
      for (const each of this.typed.slice(0, this.typed.length - this.#unacknowledged.length))
        this.acknowledged.add(each);
    else if (word !== undefined) this.acknowledged.add(word);
    this.#waiters?.();
  }
}

/** The next offset that is inside no word: words stay whole, so that they can be found. */
function wordBoundary(text: string, at: number): number {
  const open = text.lastIndexOf('<', at - 1);
  const close = text.indexOf('>', open);
  return open >= 0 && close >= at ? close + 1 : at;
}
