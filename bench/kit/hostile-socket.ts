import { once } from 'node:events';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import WebSocket from 'ws';
import * as Y from 'yjs';
import type { LoadTarget } from './neighbour-load.ts';

const SYNC = 0;
const STEP1 = 0;
const STEP2 = 1;
const UPDATE = 2;

/** A client of one note that can send any message. */
export class HostileSocket {
  readonly doc: Y.Doc;
  readonly #ws: WebSocket;

  private constructor(ws: WebSocket, doc: Y.Doc) {
    this.#ws = ws;
    this.doc = doc;
  }

  /** Opens a note; resolves when the server's state is in `doc`. */
  static async open({ url, headers }: LoadTarget, note: string): Promise<HostileSocket> {
    const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/api/sync/notes/${note}`, { headers: { ...headers } });
    ws.binaryType = 'nodebuffer';
    ws.on('error', () => undefined);
    const doc = new Y.Doc();
    const synced = Promise.withResolvers<void>();
    ws.on('message', (data: Buffer) => {
      const decoder = decoding.createDecoder(data);
      if (decoding.readVarUint(decoder) !== SYNC) return;
      if (decoding.readVarUint(decoder) === STEP1) return;
      Y.applyUpdate(doc, decoding.readVarUint8Array(decoder));
      synced.resolve();
    });
    ws.on('close', () => synced.resolve());
    await once(ws, 'open');
    const socket = new HostileSocket(ws, doc);
    socket.#send(STEP1, Y.encodeStateVector(doc));
    await synced.promise;
    return socket;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN;
  }

  /** The client id of the document's first item, which only the server creates. */
  get genesis(): number {
    return [...this.doc.store.clients.keys()][0] ?? 0;
  }

  update(update: Uint8Array): void {
    this.#send(UPDATE, update);
  }

  /** Resolves when the server has answered everything sent before. */
  async answered(): Promise<void> {
    const answer = Promise.withResolvers<void>();
    const heard = (data: Buffer) => {
      if (data[0] === SYNC && data[1] === STEP2) answer.resolve();
    };
    this.#ws.on('message', heard).on('close', answer.resolve);
    this.#send(STEP1, Y.encodeStateVector(this.doc));
    await answer.promise;
    this.#ws.off('message', heard).off('close', answer.resolve);
  }

  close(): void {
    this.#ws.terminate();
  }

  #send(kind: number, bytes: Uint8Array): void {
    if (!this.isOpen) return;
    this.#ws.send(
      encoding.encode((encoder) => {
        encoding.writeVarUint(encoder, SYNC);
        encoding.writeVarUint(encoder, kind);
        encoding.writeVarUint8Array(encoder, bytes);
      }),
    );
  }
}

/** Creates a note; resolves to its id. */
export async function makeNote({ url, headers }: LoadTarget, path: string, content: string): Promise<string> {
  const json = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ path, content, mtime: 1 }),
  });
  return ((await answer.json()) as { note: { id: string } }).note.id;
}

/** Opens a note repeatedly and lets `work` send to it, until the signal aborts. */
export async function hostile(
  target: LoadTarget,
  signal: AbortSignal,
  path: string,
  work: (socket: HostileSocket, round: number) => Promise<void>,
): Promise<void> {
  const note = await makeNote(target, path, 'x');
  for (let round = 0; !signal.aborted; round++) {
    const socket = await HostileSocket.open(target, note);
    await work(socket, round).catch(() => undefined);
    socket.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
