import type { Clock } from '@notevault/sync/engine/ports.ts';
import { IDBFactory } from 'fake-indexeddb';
import type { TestServer } from '../../../../server/test/kit/server.ts';
import { deviceId } from '../../src/sync/device.ts';
import { SignIn } from '../../src/sync/sign-in.ts';
import { VaultSync, type VaultSyncOptions } from '../../src/sync/vault-sync.ts';
import { StandInApp } from '../stand-in/app.ts';
import { Device, type DeviceOptions } from '../stand-in/device.ts';
import type { TFile } from '../stand-in/files.ts';

/** Returns a vault of alice, and a caller that writes to it beside the devices. */
export async function vaultOf(server: TestServer, name: string) {
  const key = (await server.alice.post('/api-keys', { name })).body.key as string;
  const vaultId = (await server.alice.post('/vaults', { name })).body.vault.id as string;
  const headers = { 'x-vault-id': vaultId };
  const other = server.bearer(key);
  return {
    ...{ server, key, vaultId },
    write: (path: string, content: string) => other.post('/notes', { path, content, mtime: 1 }, headers),
    textOf: async (path: string) =>
      (await other.get(`/notes/${encodeURI(path)}`, headers)).body.content as string | undefined,
    idOf: async (path: string) => (await other.get(`/notes/${encodeURI(path)}`, headers)).body.id as string | undefined,
    rename: (from: string, to: string) => other.post('/notes/rename', { old_path: from, new_path: to }, headers),
    remove: async (path: string) => {
      const { id } = (await other.get(`/notes/${encodeURI(path)}`, headers)).body;
      return other.delete(`/notes/by-id/${id}`, headers);
    },
    purge: (id: string) => other.delete(`/trash/${id}`, headers),
    paths: async () => {
      const { body } = await other.get('/sync/manifest', headers);
      return [...body.notes, ...body.attachments].map(({ path }: { path: string }) => path).sort();
    },
  };
}

export type TestVault = Awaited<ReturnType<typeof vaultOf>>;

/** A device with the app and the plugin’s sync, on a clock that does not wait. */
export class PluginDevice {
  readonly device: Device;
  readonly #vault: TestVault;
  readonly #options: Partial<VaultSyncOptions>;
  /** Storage of the web view, which the system may clear. */
  indexedDb = new IDBFactory();
  app: StandInApp;
  #ticks = 0;
  /** The requests of the last run. */
  readonly requests: string[] = [];

  constructor(vault: TestVault, device: DeviceOptions = {}, options: Partial<VaultSyncOptions> = {}) {
    this.#vault = vault;
    this.#options = options;
    const clock = {
      now: () => this.#clock().now(),
      setTimeout: (run: () => void) => setTimeout(run, 0) as unknown as number,
      clearTimeout: (id: number | undefined) => clearTimeout(id),
    };
    this.device = new Device({ clock, ...device });
    this.app = this.#started();
  }

  /** The app starts again; what ran of it ends as the system ends it. */
  restart(): void {
    this.app.kill();
    this.app = this.#started();
  }

  #started(): StandInApp {
    const app = new StandInApp(this.device);
    app.start();
    return app;
  }

  #clock(): Clock {
    return {
      // Every file counts as written long ago.
      now: () => Math.floor(Date.now() + 60_000 + this.#ticks),
      ticks: () => this.#ticks,
      uuid: () => crypto.randomUUID(),
      sleep: async (ms) => {
        this.#ticks += ms;
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  /**
   * Works with the plugin’s sync, opened as at a start of the app.
   *
   * @param isStarted whether the work starts it, so that it hears of changes itself
   */
  async open<Result>(work: (sync: VaultSync) => Promise<Result>, isStarted = false): Promise<Result> {
    const { server, key, vaultId } = this.#vault;
    const signIn = new SignIn(this.app.asApp.secretStorage, 'test');
    signIn.save({ access_token: key, refresh_token: 'none' });
    const sync = await VaultSync.open({
      ...{ app: this.app.asApp, connection: { url: server.url, vaultId, vaultName: 'Notes' }, signIn },
      ...{ deviceId: deviceId(this.app.asApp), deviceName: 'phone', clock: this.#clock(), indexedDb: this.indexedDb },
      http: async (url, request) => {
        this.requests.push(`${request.method} ${url.pathname.replace(/^\/api/, '')}`);
        return fetch(url, request);
      },
      ...{ settings: [], exclusions: '', bytesMax: null, isPaused: false },
      ...{ setPaused: async () => undefined, changed: () => undefined },
      ...this.#options,
    });
    const kinds = isStarted ? [] : (['create', 'modify', 'delete', 'rename'] as const);
    const heard = kinds.map((kind) =>
      this.app.vault.on(kind, (file: never, from?: string) => sync.disk.heard(kind, file, from)),
    );
    try {
      return await work(sync);
    } finally {
      for (const ref of heard) this.app.vault.offref(ref);
      await sync.close();
    }
  }

  /** Syncs once; returns the result. */
  sync() {
    this.requests.length = 0;
    return this.open((sync) => sync.once());
  }

  /** Writes as a person does in the app. */
  async write(path: string, text: string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file !== null) return this.app.vault.modify(file, text);
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    if (folder !== '') await this.app.vault.adapter.mkdir(folder);
    await this.app.vault.create(path, text);
  }

  file(path: string): TFile {
    const file = this.app.vault.getFileByPath(path);
    if (file === null) throw new Error(`there is no ${path}`);
    return file;
  }

  text(path: string): string | null {
    return this.device.disk.get(path) === undefined ? null : this.device.disk.text(path);
  }

  /** The visible files of the disk. */
  get paths(): string[] {
    const all = (folder: string): string[] =>
      this.device.disk
        .list(folder)
        .filter(({ path }) => !path.slice(path.lastIndexOf('/') + 1).startsWith('.'))
        .flatMap(({ path, type }) => (type === 'folder' ? all(path) : [path]));
    return all('').sort();
  }
}
