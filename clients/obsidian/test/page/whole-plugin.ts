import NotevaultPlugin from '../../src/main.ts';
import { AppOnPage, type AppOptions } from './app-on-page.ts';
import { network } from './network.ts';

const FOLDER = '.obsidian/plugins/notevault';

export interface PluginOptions extends AppOptions {
  /** Files of the vault on this device before the first sync. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The app on this page with the whole plugin, on a device that was connected before and has synced nothing yet. */
export class WholePlugin extends AppOnPage {
  readonly #options: PluginOptions;
  #controller: NotevaultPlugin['controller'] | null = null;
  /** Duration of the page's longest task over 50 ms, in milliseconds. */
  longestTaskMs = 0;

  constructor(options: PluginOptions) {
    super(options);
    this.#options = options;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) this.longestTaskMs = Math.max(this.longestTaskMs, duration);
    }).observe({ type: 'longtask' });
  }

  /** Starts the app; the person has seen what the first sync does. */
  async start(): Promise<void> {
    const { server, token, vault, files = {} } = this.#options;
    const { disk, secrets } = this.app.device;
    const connection = { url: server, vaultId: vault, vaultName: 'Notes' };
    if (this.isFirst) {
      for (const [path, text] of Object.entries(files)) disk.write(path, text);
      disk.makeFolder(FOLDER);
      disk.write(`${FOLDER}/data.json`, JSON.stringify({ connection }));
    }
    secrets.set('notevault-sync', JSON.stringify({ access_token: token, refresh_token: 'none' }));
    const manifest = { id: 'notevault', name: 'Notevault', version: '0' };
    const { controller } = (await this.app.enable(NotevaultPlugin as never, manifest)) as unknown as NotevaultPlugin;
    this.#controller = controller;
    this.app.start();
    await new Promise<void>((resolve) => {
      const look = () => controller.facts.phase !== 'not connected' && resolve();
      controller.onChange(look);
      look();
    });
    // A person looks at it first, where there is something to see.
    if (this.#options.files !== undefined && controller.facts.phase === 'asks') await controller.foresee();
    controller.begin();
  }

  cut(): void {
    network.cut();
  }

  restore(): void {
    network.restore();
  }

  /** Changes a note as another plugin would; resolves to its new text. */
  async process(path: string, change: (text: string) => string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (file !== null) await this.app.vault.process(file, change);
  }

  /** Resolves once both sides are in step, after the plugin began anew if it is to. Returns how long that took, in ms. */
  async inStep(isAnew = false): Promise<number> {
    const controller = this.#controller as NotevaultPlugin['controller'];
    const from = performance.now();
    if (isAnew) await controller.open();
    return new Promise((resolve) => {
      const look = () => {
        const { state, at } = controller.facts.status;
        if (state === 'in step' && (!isAnew || (at ?? 0) > performance.timeOrigin + from))
          resolve(performance.now() - from);
      };
      controller.onChange(look);
      look();
    });
  }

  /** Status that the plugin reports. */
  get status(): { readonly state: string; readonly waitingDown: number; readonly message: string | null } {
    const { state, waitingDown, message } = (this.#controller as NotevaultPlugin['controller']).facts.status;
    return { state, waitingDown, message };
  }

  async hide(): Promise<void> {
    await this.#controller?.hide();
  }

  async show(): Promise<void> {
    await this.#controller?.show();
  }

  request(control: 'pause' | 'resume'): void {
    this.#controller?.request(control);
  }

  get paths(): readonly string[] {
    return this.app.vault.getFiles().map(({ path }) => path);
  }
}
