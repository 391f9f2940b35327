import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider';
import { WebsocketProvider } from 'y-websocket';
import * as Y from 'yjs';
import { until } from '../until.ts';

/*
 * Clients that edit notes with the existing providers, unmodified: Hocuspocus, with many documents over one socket, and
 * y-websocket, with one socket per document.
 */

/** One socket of the Hocuspocus provider. */
export class FlakySocket implements Disposable {
  readonly socket: HocuspocusProviderWebsocket;
  /** Close codes, oldest first. */
  readonly closes: number[] = [];

  constructor(url: string, options: Partial<ConstructorParameters<typeof HocuspocusProviderWebsocket>[0]> = {}) {
    this.socket = new HocuspocusProviderWebsocket({
      url: `${url.replace(/^http/, 'ws')}/api/sync/socket`,
      // Short delays keep the tests fast.
      delay: 20,
      minDelay: 20,
      maxDelay: 200,
      onClose: ({ event }) => this.closes.push(event.code),
      ...options,
    });
  }

  /** A document over this socket. */
  open(name: string, token: string, options: ClientOptions = {}): HocuspocusClient {
    return new HocuspocusClient(this, name, token, options);
  }

  /** Cuts the connection like an unplugged cable. */
  async cut(): Promise<void> {
    this.socket.disconnect();
    await until(() => this.socket.status === 'disconnected', 'the end of the socket');
  }

  async mend(): Promise<void> {
    await this.socket.connect();
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

export interface ClientOptions {
  readonly doc?: Y.Doc;
  readonly sessionAwareness?: boolean;
  readonly awareness?: null;
}

/** A document open in the Hocuspocus provider, and the messages of its server. */
export class HocuspocusClient implements Disposable {
  readonly provider: HocuspocusProvider;
  readonly doc: Y.Doc;
  readonly received = {
    scopes: [] as string[],
    denied: [] as string[],
    closed: [] as string[],
    stateless: [] as string[],
  };
  /** The highest number of unacknowledged changes, and whether it was ever negative. */
  readonly unsynced: number[] = [];

  constructor(line: FlakySocket, name: string, token: string, { doc = new Y.Doc(), ...options }: ClientOptions) {
    this.doc = doc;
    this.provider = new HocuspocusProvider({
      websocketProvider: line.socket,
      name,
      token,
      document: doc,
      ...options,
      onAuthenticated: ({ scope }) => this.received.scopes.push(scope),
      onAuthenticationFailed: ({ reason }) => this.received.denied.push(reason),
      onStateless: ({ payload }) => this.received.stateless.push(payload),
      onUnsyncedChanges: ({ number }) => this.unsynced.push(number),
    });
    // When the socket itself closes, the event differs; a close by the server has code 1000 and a reason.
    this.provider.on('close', ({ event }: { event: { code: number; reason: string } }) => {
      if (event.code === 1000 && event.reason !== '') this.received.closed.push(event.reason);
    });
    this.provider.attach();
  }

  get text(): string {
    return this.doc.getText('content').toString();
  }

  type(insert: string, at = this.text.length, remove = 0): void {
    const content = this.doc.getText('content');
    this.doc.transact(() => {
      if (remove > 0) content.delete(at, remove);
      if (insert !== '') content.insert(at, insert);
    });
  }

  /** Resolves when the document is open and synced, and everything sent is acknowledged. */
  async synced(): Promise<this> {
    await until(
      () => this.provider.isAuthenticated && this.provider.synced && !this.provider.hasUnsyncedChanges,
      'sync',
    );
    return this;
  }

  async shows(text: string): Promise<void> {
    await until(() => this.text === text, `“${text}”`).catch((error) => {
      throw new Error(`${error.message}: it is “${this.text.slice(0, 200)}”`);
    });
  }

  [Symbol.dispose](): void {
    this.provider.destroy();
    this.doc.destroy();
  }
}

/** A note open in y-websocket's provider. */
export class YWebsocketClient implements Disposable {
  readonly provider: WebsocketProvider;
  readonly doc: Y.Doc;
  readonly closes: number[] = [];
  /** The close code that ended it permanently. */
  ended: number | null = null;

  constructor(url: string, note: string, token: string, doc: Y.Doc = new Y.Doc()) {
    this.doc = doc;
    this.provider = new WebsocketProvider(`${url.replace(/^http/, 'ws')}/api/sync/notes`, note, doc, {
      params: { token },
      disableBc: true,
    });
    this.provider.on('connection-close', (event) => this.closes.push(event?.code ?? 0));
    this.provider.on('closed', ({ code }) => {
      this.ended = code;
    });
  }

  get text(): string {
    return this.doc.getText('content').toString();
  }

  type(insert: string, at = this.text.length): void {
    this.doc.getText('content').insert(at, insert);
  }

  async synced(): Promise<this> {
    await until(() => this.provider.synced, 'sync');
    return this;
  }

  async shows(text: string): Promise<void> {
    await until(() => this.text === text, `“${text}”`);
  }

  [Symbol.dispose](): void {
    this.provider.destroy();
    this.doc.destroy();
  }
}
