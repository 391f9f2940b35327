import { createServer, connect as dial, type Socket } from 'node:net';

/**
 * A TCP proxy in front of a server, for example of PostgreSQL: it counts round trips, cuts connections, and can be down
 * for as long as a test wants.
 */
export class TcpLine implements AsyncDisposable {
  /** How often something was sent after something had been received on the same connection; each is a round trip. */
  flights = 0;
  /** While set, a connection is cut once it has sent this text; the server gets it, but its answer is lost. */
  cutAt: string | undefined;
  /** While true, connections are accepted and closed at once, as by a proxy whose server is away. */
  down = false;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#join(near));
  #target: URL;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  /** Starts to listen; resolves to the URL of the server over this line. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    const url = new URL(this.#target);
    url.hostname = '127.0.0.1';
    url.port = String(typeof address === 'object' ? address?.port : 0);
    return url.href;
  }

  /** Leads new connections to another server. */
  leadTo(url: string): void {
    this.#target = new URL(url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Lets nothing through any more over the connections that there are. */
  hang(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  #join(near: Socket): void {
    near.on('error', () => {});
    if (this.down) {
      near.destroy();
      return;
    }
    const far = dial(Number(this.#target.port), this.#target.hostname);
    let lastWasAnswer = true;
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }
    near.on('data', (chunk) => {
      if (lastWasAnswer) this.flights++;
      lastWasAnswer = false;
      far.write(chunk, () => {
        if (this.cutAt !== undefined && chunk.includes(this.cutAt)) this.cut();
      });
    });
    far.on('data', (chunk) => {
      lastWasAnswer = true;
      near.write(chunk);
    });
    near.on('close', () => far.end());
    far.on('close', () => near.end());
  }
}
