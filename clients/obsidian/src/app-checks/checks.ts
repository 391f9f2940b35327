import { type App, normalizePath, TFile } from 'obsidian';

/** Context of a check: the app, a scratch folder that is never synced, and a clock. */
export interface CheckContext {
  readonly app: App;
  /** The path of a folder that exists and is empty. */
  readonly folder: string;
  readonly wait: (ms: number) => Promise<void>;
  /** The paths of the vault's events of a kind, from now until the check ends. */
  readonly heard: (name: VaultEvent) => readonly string[];
}

export type VaultEvent = 'create' | 'modify' | 'delete' | 'rename';

/** Check of one behaviour that the plugin relies on. Throws if the app behaves differently. */
export interface AppCheck {
  readonly name: string;
  readonly run: (context: CheckContext) => Promise<void>;
}

/** Maximum time until an event, in milliseconds. */
const PATIENCE_MS = 5_000;
const STEP_MS = 20;

/** Checks of app behaviour that the plugin relies on. Tests run them on the stand-in, people in the app itself. */
export const APP_CHECKS: readonly AppCheck[] = [
  {
    name: 'a note that is created is there at once, with its event',
    async run({ app, folder, wait, heard }) {
      const events = heard('create');
      const file = await app.vault.create(`${folder}/new.md`, 'text');
      await until(() => events.includes(file.path), wait, 'there was no event');
      require(app.vault.getFileByPath(file.path) === file, 'the file is not in the vault');
      require((await app.vault.read(file)) === 'text', 'the file has another text');
    },
  },
  {
    name: 'a note is not created over another one',
    async run({ app, folder }) {
      await app.vault.create(`${folder}/there.md`, 'first');
      await refused(() => app.vault.create(`${folder}/there.md`, 'second'));
      require((await app.vault.adapter.read(`${folder}/there.md`)) === 'first', 'it was written over');
    },
  },
  {
    name: 'modify writes and tells it',
    async run({ app, folder, wait, heard }) {
      const file = await app.vault.create(`${folder}/changed.md`, 'one');
      const events = heard('modify');
      await app.vault.modify(file, 'two');
      await until(() => events.includes(file.path), wait, 'there was no event');
      require((await app.vault.read(file)) === 'two', 'the file has another text');
    },
  },
  {
    name: 'process gets the text of the disk and gives the one it wrote',
    async run({ app, folder }) {
      const file = await app.vault.create(`${folder}/processed.md`, 'one');
      await app.vault.adapter.write(file.path, 'two');
      const text = await app.vault.process(file, (before) => `${before} three`);
      require(text === 'two three', `process gave ${JSON.stringify(text)}`);
      require((await app.vault.adapter.read(file.path)) === 'two three', 'the disk has another text');
    },
  },
  {
    name: 'many process calls at once lose nothing',
    async run({ app, folder }) {
      const file = await app.vault.create(`${folder}/many.md`, '');
      await Promise.all(Array.from({ length: 20 }, (_, at) => app.vault.process(file, (text) => `${text}${at};`)));
      const parts = (await app.vault.read(file)).split(';').filter((part) => part !== '');
      require(new Set(parts).size === 20, `${parts.length} of 20 are there`);
    },
  },
  {
    name: 'a file keeps its object when it is renamed, and the event names its old path',
    async run({ app, folder, wait }) {
      const file = await app.vault.create(`${folder}/old.md`, 'text');
      const renames: string[] = [];
      const ref = app.vault.on('rename', (renamed, oldPath) => renames.push(`${oldPath} ${renamed.path}`));
      try {
        await app.vault.rename(file, `${folder}/name.md`);
        await until(() => renames.length > 0, wait, 'there was no event');
      } finally {
        app.vault.offref(ref);
      }
      require(renames[0] === `${folder}/old.md ${folder}/name.md`, `the event was ${renames[0]}`);
      require(app.vault.getFileByPath(`${folder}/name.md`) === file, 'another object has the new path');
    },
  },
  {
    name: 'a rename changes no link, renameFile is the one that does',
    async run({ app, folder }) {
      const file = await app.vault.create(`${folder}/target.md`, '');
      const link = await app.vault.create(`${folder}/link.md`, `[[target]]`);
      await app.vault.rename(file, `${folder}/other.md`);
      require((await app.vault.read(link)) === '[[target]]', 'the link was changed');
    },
  },
  {
    name: 'the case of a name can be changed',
    async run({ app, folder }) {
      const file = await app.vault.create(`${folder}/case.md`, 'text');
      await app.vault.rename(file, `${folder}/Case.md`);
      const { files } = await app.vault.adapter.list(folder);
      require(files.map(normalizePath).join() === `${folder}/Case.md`, `the folder has ${files.join()}`);
    },
  },
  {
    name: 'names come in one form, however they are written',
    async run({ app, folder }) {
      await app.vault.create(normalizePath(`${folder}/u\u0308ber.md`), 'text');
      require(app.vault.getFileByPath(`${folder}/\u00fcber.md`) instanceof TFile, 'the file is not at its NFC path');
    },
  },
  {
    name: 'times of a write are kept to the millisecond',
    async run({ app, folder }) {
      const mtime = 1_650_000_000_123;
      const file = await app.vault.create(`${folder}/times.md`, 'text', { mtime });
      const stat = await app.vault.adapter.stat(file.path);
      require(stat?.mtime === mtime, `the time is ${stat?.mtime}`);
    },
  },
  {
    name: 'appendBinary makes a file and adds to it',
    async run({ app, folder }) {
      const path = `${folder}/pieces.bin`;
      await app.vault.adapter.writeBinary(path, Uint8Array.of(1, 2).buffer);
      await app.vault.adapter.appendBinary(path, Uint8Array.of(3, 4).buffer);
      const bytes = [...new Uint8Array(await app.vault.adapter.readBinary(path))];
      require(bytes.join() === '1,2,3,4', `the file has ${bytes.join()}`);
    },
  },
  {
    name: 'the mark of a text file is kept',
    async run({ app, folder }) {
      const path = `${folder}/mark.md`;
      await app.vault.adapter.writeBinary(path, Uint8Array.of(0xef, 0xbb, 0xbf, 0x61).buffer);
      const bytes = new Uint8Array(await app.vault.adapter.readBinary(path));
      require(bytes.byteLength === 4, `the file has ${bytes.byteLength} bytes`);
    },
  },
  {
    name: 'line ends are read as they are',
    async run({ app, folder }) {
      const file = await app.vault.create(`${folder}/ends.md`, 'a\r\nb');
      require((await app.vault.read(file)) === 'a\r\nb', 'the line ends are others');
    },
  },
  {
    name: 'hidden files have no object and no event, but the adapter sees them',
    async run({ app, folder, wait, heard }) {
      const events = heard('create');
      await app.vault.adapter.write(`${folder}/.hidden.md`, 'text');
      const after = await app.vault.create(`${folder}/after.md`, '');
      await until(() => events.includes(after.path), wait, 'there was no event');
      require(!events.includes(`${folder}/.hidden.md`), 'there was an event');
      require(app.vault.getAbstractFileByPath(`${folder}/.hidden.md`) === null, 'there is an object');
      require(await app.vault.adapter.exists(`${folder}/.hidden.md`), 'the adapter does not see it');
    },
  },
  {
    name: 'what is deleted for a person leaves the vault, with its event',
    async run({ app, folder, wait, heard }) {
      const file = await app.vault.create(`${folder}/gone.md`, 'text');
      const events = heard('delete');
      await app.fileManager.trashFile(file);
      await until(() => events.includes(`${folder}/gone.md`), wait, 'there was no event');
      require(!(await app.vault.adapter.exists(`${folder}/gone.md`)), 'the file is there');
    },
  },
  {
    name: 'a folder that is renamed tells of each file in it',
    async run({ app, folder, wait, heard }) {
      await app.vault.createFolder(`${folder}/from`);
      const file = await app.vault.create(`${folder}/from/in.md`, 'text');
      const events = heard('rename');
      const source = app.vault.getFolderByPath(`${folder}/from`);
      if (source === null) throw new Error('the folder is not there');
      await app.vault.rename(source, `${folder}/to`);
      await until(() => events.includes(`${folder}/to/in.md`), wait, 'there was no event');
      require(file.path === `${folder}/to/in.md`, `the file is at ${file.path}`);
    },
  },
  {
    name: 'front matter is changed on the disk, and the rest stays',
    async run({ app, folder }) {
      const file = await app.vault.create(`${folder}/properties.md`, '---\na: 1\n---\nbody\n');
      await app.fileManager.processFrontMatter(file, (properties: Record<string, unknown>) => {
        properties.b = 2;
      });
      require((await app.vault.read(file)) === '---\na: 1\nb: 2\n---\nbody\n', await app.vault.read(file));
    },
  },
  {
    name: 'a secret that is stored can be read back',
    async run({ app }) {
      app.secretStorage.setSecret('notevault-check', 'value');
      const value = app.secretStorage.getSecret('notevault-check');
      app.secretStorage.setSecret('notevault-check', '');
      require(value === 'value', `the secret is ${value === null ? 'null' : 'another'}`);
    },
  },
];

function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

async function refused(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch {
    return;
  }
  throw new Error('it was not refused');
}

async function until(holds: () => boolean, wait: CheckContext['wait'], otherwise: string): Promise<void> {
  for (let waited = 0; !holds(); waited += STEP_MS) {
    if (waited >= PATIENCE_MS) throw new Error(otherwise);
    await wait(STEP_MS);
  }
}
