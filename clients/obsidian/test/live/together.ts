import type { Database } from '../../../../server/src/ports/database/database.ts';
import { startServer, type TestServer } from '../../../../server/test/kit/server.ts';
import { until } from '../../../../server/test/kit/until.ts';
import type { DeviceBrowser, DevicePage } from '../browser.ts';
import type { StartOptions } from '../page/page.ts';

export interface Together extends AsyncDisposable {
  readonly server: TestServer;
  readonly vault: string;
  readonly note: { readonly id: string; readonly path: string };
  /** Starts one more device with the note. */
  device(options?: Partial<StartOptions>): Promise<DevicePage>;
  /** Returns a device that shows the note in an editor that is connected. */
  shown(options?: Partial<StartOptions>): Promise<DevicePage>;
  /** Returns the text that the server has. */
  stored(): Promise<string>;
}

/** Returns a server with a note of alice, and devices of hers that have it. */
export async function together(browser: DeviceBrowser, open: () => Promise<Database>, text: string): Promise<Together> {
  const server = await startServer({ open, config: { corsOrigins: [browser.origin] } });
  return { ...(await noteOn(server, browser, text)), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Another note in a vault of its own. */
export async function noteOn(server: TestServer, browser: DeviceBrowser, text: string): Promise<Together> {
  const { alice } = server;
  const { accessToken } = await alice.signed();
  const vault: string = (await alice.post('/vaults', { name: `vault ${Math.random()}` })).body.vault.id;
  const headers = { 'x-vault-id': vault };
  const written = await alice.post('/notes', { path: 'note.md', content: text, mtime: 1 }, headers);
  const { id, path } = written.body.note;
  const opened: DevicePage[] = [];
  const device: Together['device'] = async (options = {}) => {
    const notes = [{ id, path, text }, ...(options.notes ?? [])];
    const started = await browser.open({ server: server.url, token: accessToken, vault, ...options, notes });
    opened.push(started);
    return started;
  };
  return {
    server,
    vault,
    note: { id, path },
    device,
    async shown(options) {
      const started = await device(options);
      await started.run((page, at) => page.open(at), path);
      await connected(started);
      return started;
    },
    stored: async () => (await alice.get(`/notes/by-id/${id}`, headers)).body.content,
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one[Symbol.asyncDispose]();
    },
  };
}

/** Waits until every editor of a device is connected. */
export async function connected({ run }: DevicePage, editors = 1): Promise<void> {
  await until(async () => (await run((device) => device.bound)) === editors, `${editors} connected editors`);
}

/** Waits until every editor and the disk of each device, and the server, have one text, which is the result. */
export async function inStep(note: Together, ...devices: readonly DevicePage[]): Promise<string> {
  let texts: string[] = [];
  const look = async () => {
    texts = [await note.stored()];
    for (const { run } of devices) {
      const found = await run(async (device) => {
        await device.engine.sync().catch(() => undefined);
        await device.save();
        const paths = device.app.vault.getMarkdownFiles().map(({ path }) => path);
        const disk = device.disk(paths.find((path) => path !== 'other.md') ?? '') ?? 'no file';
        const isWaiting = (await device.copies()).length > 0;
        return [disk, ...device.leaves.map((_, at) => device.text(at)), ...(isWaiting ? ['something waits'] : [])];
      });
      texts.push(...found);
    }
    return new Set(texts).size === 1;
  };
  await until(look, () => `one text: ${JSON.stringify(texts)}`);
  return texts[0] ?? '';
}
