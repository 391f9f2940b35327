import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { IDBFactory } from 'fake-indexeddb';
import type { TestServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import NotevaultPlugin from '../../src/main.ts';
import { en } from '../../src/texts/en.ts';
import { StandInApp } from '../stand-in/app.ts';
import { type Modal, type Setting, settingsIn, shown } from '../stand-in/components.ts';
import { Device, type DeviceOptions } from '../stand-in/device.ts';
import type { Plugin } from '../stand-in/plugin.ts';
import { installWindow } from '../stand-in/window.ts';

const MANIFEST = { id: 'notevault', name: 'Notevault', version: '0.2.0' };

/** Short waits are ten times as fast. */
const clock = {
  now: () => Date.now(),
  setTimeout: (run: () => void, ms = 0) => setTimeout(run, ms > 5000 ? ms : ms / 10) as unknown as number,
  clearTimeout: (id: number | undefined) => clearTimeout(id),
};

/** A device on which the plugin is on. */
export class Home {
  readonly device: Device;
  app: StandInApp;
  plugin!: NotevaultPlugin;
  /** Called before the plugin asks whether it was approved. */
  onPoll: () => void = () => undefined;
  /** Responses that replace the server's, by API path. */
  readonly answers = new Map<string, Response>();
  /** Until when a request waits. */
  gate: (url: URL) => Promise<void> = async () => undefined;

  constructor(options: DeviceOptions = {}) {
    this.device = new Device({ clock, ...options });
    Object.assign(window, {
      indexedDB: new IDBFactory(),
      fetch: async (url: URL, init: object) => {
        await this.gate(url);
        if (url.pathname.endsWith('/auth/device/token')) this.onPoll();
        return this.answers.get(url.pathname)?.clone() ?? fetch(url, init);
      },
    });
    Object.assign(window, { document: new EventTarget() });
    this.app = new StandInApp(this.device);
  }

  async start(): Promise<void> {
    this.plugin = (await this.app.enable(NotevaultPlugin as never, MANIFEST)) as never;
    this.app.start();
    const data = this.device.disk.text('.obsidian/plugins/notevault/data.json') ?? '{}';
    const isConnected = JSON.parse(data).connection != null;
    await until(() => this.phase !== 'not connected' || !isConnected, 'the start');
  }

  async restart(): Promise<void> {
    await this.plugin.controller.close();
    this.app.kill();
    this.app = new StandInApp(this.device);
    await this.start();
  }

  command(id: string): void {
    this.standIn.commands.get(id)?.callback?.();
  }

  /** The plugin as the app has it. */
  get standIn(): Plugin {
    return this.plugin as unknown as Plugin;
  }

  get phase(): string {
    return this.plugin.controller.facts.phase;
  }

  async write(path: string, text: string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file === null) await this.app.vault.create(path, text);
    else await this.app.vault.modify(file, text);
  }
}

export const topModal = (): Modal => shown.modals.at(-1) ?? assert.fail('no dialog is open');
export const textOf = ({ contentEl }: Pick<Modal, 'contentEl'>): string =>
  contentEl.all.map(({ textContent }) => textContent).join('\n');
export const control = (row: Setting | undefined, text: string) =>
  row?.components.find((one) => one.text === text) ?? assert.fail(`there is no ${text}`);
export const button = ({ contentEl }: Pick<Modal, 'contentEl'>, text: string) =>
  settingsIn(contentEl)
    .flatMap(({ components }) => components)
    .find((one) => one.text === text) ?? assert.fail(`there is no ${text}`);

/** Returns a function that starts devices for the tests of a suite; each test's devices end with it. */
export function testHomes(): (options?: DeviceOptions) => Promise<Home> {
  const homes: Home[] = [];
  const window = installWindow(clock);
  after(() => window[Symbol.dispose]());
  afterEach(async () => {
    for (const home of homes.splice(0)) await home.plugin.controller.close();
    for (const modal of shown.modals.splice(0)) modal.onClose();
  });

  return async (options: DeviceOptions = {}) => {
    const home = new Home(options);
    homes.push(home);
    await home.start();
    return home;
  };
}

/** Connects as a person does, who approves the device on the server’s page; resolves to the vault. */
export async function connect(home: Home, server: TestServer, vault = 'new', url = server.url): Promise<string> {
  // The server lets nobody ask twice within five seconds.
  home.onPoll = () => server.clock.advance({ ms: 6000 });
  home.command('connect');
  const dialog = topModal();
  const [address, go] = settingsIn(dialog.contentEl);
  await address?.components[0]?.change(url);
  void control(go, en.connect).click();
  const code = () => /[A-Z0-9]{4}-[A-Z0-9]{4}/.exec(textOf(dialog))?.[0];
  await until(() => code() !== undefined, 'the code');
  const answer = await server.alice.post('/auth/device/authorize', { user_code: code(), vault_id: vault });
  await until(() => ['asks', 'runs'].includes(home.phase), 'the connection');
  return answer.body.vault_id as string;
}

/** Connects and begins to sync; resolves once that is done. */
export async function synced(home: Home, server: TestServer, url = server.url): Promise<string> {
  const vaultId = await connect(home, server, 'new', url);
  await until(() => textOf(topModal()).includes('Upload: '), 'the figures');
  await button(topModal(), en.go).click();
  await until(() => home.plugin.controller.sync?.status.state === 'in step');
  return vaultId;
}
