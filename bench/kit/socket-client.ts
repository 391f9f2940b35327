import { once } from 'node:events';
import * as decoding from 'lib0/decoding';
import { WebSocket } from 'ws';

/**
 * A WebSocket client that costs its process little, for measuring the server: it keeps only messages that are awaited.
 */
export class SocketClient {
  readonly #ws: WebSocket;
  readonly #waiting = new Map<string, (body: Uint8Array) => void>();

  private constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on('message', (data: Buffer) => {
      if (data.length === 1) return;
      const decoder = decoding.createDecoder(new Uint8Array(data));
      const key = keyOf(decoding.readVarString(decoder), decoding.readVarUint(decoder));
      const tell = this.#waiting.get(key);
      this.#waiting.delete(key);
      tell?.(data.subarray(decoder.pos));
    });
    ws.on('close', (code) => {
      if (this.#waiting.size > 0) throw new Error(`the server closed a socket with ${code}`);
    });
  }

  static async open(url: string): Promise<SocketClient> {
    const ws = new WebSocket(`${url.replace(/^http/, 'ws')}/api/sync/socket`, { perMessageDeflate: false });
    await once(ws, 'open');
    return new SocketClient(ws);
  }

  send(...frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.#ws.send(frame);
  }

  /** Resolves to the body of the next message of a kind about a document. */
  next(name: string, kind: number): Promise<Uint8Array> {
    return new Promise((resolve) => this.#waiting.set(keyOf(name, kind), resolve));
  }

  close(): void {
    this.#waiting.clear();
    this.#ws.terminate();
  }
}

function keyOf(name: string, kind: number): string {
  return `${kind} ${name}`;
}
