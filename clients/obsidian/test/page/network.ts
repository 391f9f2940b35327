/** The network of a page, which can be cut: sockets close, requests under way get no answer although they may arrive. */
class PageNetwork {
  isUp = true;
  readonly #sockets = new Set<WebSocket>();
  readonly #cuts = new Set<() => void>();

  constructor() {
    const network = this;
    const [Socket, fetcher] = [WebSocket, fetch];
    globalThis.WebSocket = class extends Socket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(network.isUp ? url : 'ws://127.0.0.1:1/', protocols);
        network.#sockets.add(this);
        this.addEventListener('close', () => network.#sockets.delete(this));
      }
    };
    globalThis.fetch = (input, init) => {
      if (!network.isUp) return Promise.reject(new TypeError('offline'));
      return new Promise((resolve, reject) => {
        const cut = () => reject(new TypeError('offline'));
        network.#cuts.add(cut);
        fetcher(input, init)
          .then(resolve, reject)
          .finally(() => network.#cuts.delete(cut));
      });
    };
  }

  cut(): void {
    this.isUp = false;
    for (const socket of [...this.#sockets]) socket.close();
    for (const cut of [...this.#cuts]) cut();
  }

  restore(): void {
    this.isUp = true;
  }
}

export const network = new PageNetwork();
