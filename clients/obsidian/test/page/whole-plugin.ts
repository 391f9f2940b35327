import NotevaultPlugin from '../../src/main.ts';
import { AppOnPage, type AppOptions } from './app-on-page.ts';

const FOLDER = '.obsidian/plugins/notevault';

/** The app on this page with the whole plugin, on a device that was connected before and has synced nothing yet. */
export class WholePlugin extends AppOnPage {
  readonly #options: AppOptions;

  constructor(options: AppOptions) {
    super(options);
    this.#options = options;
  }

  /** Starts the app; the person has seen what the first sync does. */
  async start(): Promise<void> {
    const { server, token, vault } = this.#options;
    const { disk, secrets } = this.app.device;
    const connection = { url: server, vaultId: vault, vaultName: 'Notes' };
    disk.makeFolder(FOLDER);
    disk.write(`${FOLDER}/data.json`, JSON.stringify({ connection }));
    secrets.set('notevault-sync', JSON.stringify({ access_token: token, refresh_token: 'none' }));
    const manifest = { id: 'notevault', name: 'Notevault', version: '0' };
    const { controller } = (await this.app.enable(NotevaultPlugin as never, manifest)) as unknown as NotevaultPlugin;
    this.app.start();
    await new Promise<void>((resolve) => {
      const look = () => controller.facts.phase !== 'not connected' && resolve();
      controller.onChange(look);
      look();
    });
    controller.begin();
  }

  get paths(): readonly string[] {
    return this.app.vault.getFiles().map(({ path }) => path);
  }
}
