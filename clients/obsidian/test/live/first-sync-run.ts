import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../../../server/test/kit/random.ts';
import type { TestServer } from '../../../../server/test/kit/server.ts';
import type { DeviceBrowser, DevicePage } from '../browser.ts';

// Two devices with the whole plugin connect to a vault that has notes, some of which they have too: the same, older,
// or other ones. People look at what the first sync does and go on to type while it runs and after it, an assistant and
// other plugins write, the network goes and comes, apps are killed. In the end every letter is in the vault, and in no
// note twice. Each letter is another one.

const PATH = 'note.md';
const STEPS = 25;
const PATIENCE_MS = 60_000;

type Home = DevicePage<'plugin'>;

interface Person {
  readonly name: string;
  readonly home: Home;
  isOnline: boolean;
  isShown: boolean;
}

class Run {
  readonly log: string[] = [];
  readonly #random: Random;
  readonly #alice: TestServer['alice'];
  readonly #headers: { readonly 'x-vault-id': string };
  #count = 0;
  /** Every letter, where it was typed, and whether it may be lost because it was only in the memory of a killed app. */
  readonly #letters = new Map<string, { readonly typedOn: Person | null; isOptional: boolean }>();
  people: readonly Person[] = [];

  constructor(random: Random, alice: TestServer['alice'], vault: string) {
    this.#random = random;
    this.#alice = alice;
    this.#headers = { 'x-vault-id': vault };
  }

  /** Returns a letter that was in no text before. */
  letter(typedOn: Person | null = null): string {
    const letter = String.fromCodePoint(0x4e00 + this.#count++);
    this.#letters.set(letter, { typedOn, isOptional: false });
    return letter;
  }

  /** Writes the note of the server in some versions; resolves to them. */
  async begin(): Promise<readonly string[]> {
    const versions: string[] = [];
    let content = '# Title\n';
    for (let count = 1 + this.#random.below(3); count > 0; count--) {
      content += `\n${this.letter()} line\n`;
      await this.#alice.post('/notes', { path: PATH, content, mtime: 1 }, this.#headers);
      versions.push(content);
    }
    await this.#alice.post('/notes', { path: 'there.md', content: `${this.letter()}\n`, mtime: 1 }, this.#headers);
    return versions;
  }

  /** Returns the files that a device has before its first sync. */
  files(name: string, versions: readonly string[]): Record<string, string> {
    const choices: readonly (readonly [string, () => string | undefined])[] = [
      ['in a version', () => this.#random.pick(versions)],
      ['as it is', () => versions.at(-1)],
      ['empty', () => ''],
      ['otherwise', () => `# Title\n\n${this.letter()} other\n`],
      ['not', () => undefined],
    ];
    const [kind, textOf] = this.#random.pick(choices);
    const text = textOf();
    this.log.push(`${name} has the note ${kind}`);
    return { [`${name}.md`]: `${this.letter()}\n`, ...(text !== undefined && { [PATH]: text }) };
  }

  async step(): Promise<void> {
    const person = this.#random.pick(this.people);
    const dice = this.#random.below(100);
    if (dice < 45) await this.#type(person);
    else if (dice < 55) await this.#process(person);
    else if (dice < 65) await this.#assistant();
    else if (dice < 73) await this.#network(person);
    else if (dice < 80) await this.#kill(person);
    else if (dice < 88) await this.#show(person);
    else await pause(this.#random.below(300));
  }

  async #show(person: Person): Promise<void> {
    if (person.isShown) await person.home.run((device) => device.close(0));
    else if (!(await this.#open(person))) return;
    person.isShown = !person.isShown;
    this.log.push(`${person.name} ${person.isShown ? 'shows' : 'closes'} the note`);
  }

  async #open({ home }: Person): Promise<boolean> {
    return home.run(async (device, path) => {
      if (device.app.vault.getFileByPath(path) === null) return false;
      await device.open(path);
      return true;
    }, PATH);
  }

  async #type(person: Person): Promise<void> {
    if (!person.isShown) return this.#show(person);
    const letter = this.letter(person);
    const share = this.#random.next();
    await person.home.run((device, [text, at]) => device.type(0, text, Math.floor(at * (device.text(0).length + 1))), [
      letter,
      share,
    ] as const);
    this.log.push(`${person.name} types ${letter}`);
  }

  async #process(person: Person): Promise<void> {
    const letter = this.letter();
    const disk = await person.home.run(
      async (device, [path, text]) => {
        await device.process(path, (before) => `${before}${text}\n`);
        return device.disk(path);
      },
      [PATH, letter] as const,
    );
    if (disk?.includes(letter) !== true) this.#forgive(letter);
    this.log.push(`${person.name} has a plugin write ${letter}`);
  }

  async #assistant(): Promise<void> {
    const letter = this.letter();
    await this.#alice.post('/notes/append', { path: PATH, text: `${letter}\n` }, this.#headers);
    this.log.push(`an assistant writes ${letter}`);
  }

  async #network(person: Person): Promise<void> {
    if (person.isOnline) await person.home.run((device) => device.cut());
    else await person.home.run((device) => device.restore());
    person.isOnline = !person.isOnline;
    this.log.push(`${person.name} is ${person.isOnline ? 'online' : 'offline'}`);
  }

  /** Kills the app. Texts that are in no file and not on the server may be lost. */
  async #kill(person: Person): Promise<void> {
    const disk = await person.home.run((device, path) => device.disk(path), PATH);
    const there = (await this.#server()).join();
    for (const [letter, { typedOn }] of this.#letters) {
      if (typedOn === person && disk?.includes(letter) !== true && !there.includes(letter)) this.#forgive(letter);
    }
    await this.#forgiveMerges(person);
    await person.home.kill();
    Object.assign(person, { isOnline: true, isShown: false });
    this.log.push(`${person.name} is killed`);
  }

  /**
   * Excuses texts that the app's own merge dropped while the plugin was not connected, because they would be lost
   * without the plugin too.
   */
  async #forgiveMerges({ home }: Person): Promise<void> {
    const dropped = await home.run((device) => device.dropped);
    for (const letter of this.#letters.keys()) if (dropped.includes(letter)) this.#forgive(letter);
  }

  #forgive(letter: string): void {
    const known = this.#letters.get(letter);
    if (known === undefined || known.isOptional) return;
    known.isOptional = true;
    this.log.push(`${letter} may be lost`);
  }

  /** Returns the texts of the server's notes, one request after the other. */
  async #server(): Promise<readonly string[]> {
    const { notes } = (await this.#alice.get('/sync/manifest', this.#headers)).body as { notes: { id: string }[] };
    const texts: string[] = [];
    for (const { id } of notes) texts.push((await this.#alice.get(`/notes/by-id/${id}`, this.#headers)).body.content);
    return texts;
  }

  /**
   * Ends all faults and waits until all devices have the same files. Resolves to a description of what is wrong, or
   * null.
   */
  async end(): Promise<string | null> {
    for (const { home } of this.people) await home.run((device) => device.restore());
    const from = performance.now();
    for (;;) {
      for (const person of this.people) await this.#forgiveMerges(person);
      const texts = [...(await this.#server())].sort();
      const disks = await Promise.all(
        this.people.map(({ home }) =>
          home.run(async (device) => {
            await device.save();
            const files = device.paths.map((path) => device.disk(path) ?? '').sort();
            // A note that was kept beside another one is shown by its new name.
            const isSaved = device.leaves.every((_, at) => files.includes(device.text(at)));
            return { files, isSaved, ...device.status };
          }),
        ),
      );
      const fault = this.#faultIn(texts);
      const isSame = disks.every(({ files, isSaved }) => isSaved && `${files}` === `${texts}`);
      if (isSame && fault === null) return null;
      const isOver = performance.now() - from > PATIENCE_MS || disks.some(({ state }) => state === 'stopped');
      if (isOver || fault?.startsWith('doubled') === true)
        return `${fault}\n${JSON.stringify({ texts, disks }, null, 1)}`;
      await pause(50);
    }
  }

  #faultIn(texts: readonly string[]): string | null {
    for (const [letter, { isOptional }] of this.#letters) {
      const doubled = texts.find((text) => text.split(letter).length > 2);
      if (doubled !== undefined) return `doubled: ${letter}`;
      if (!isOptional && !texts.some((text) => text.includes(letter))) return `lost: ${letter}`;
    }
    return null;
  }
}

/** Runs a seed; returns what is wrong, with what was done, or null. */
export async function runFirstSync(browser: DeviceBrowser, server: TestServer, seed: number): Promise<string | null> {
  const random = new Random(seed);
  const { alice } = server;
  const vault = (await alice.post('/vaults', { name: `first ${seed}` })).body.vault.id as string;
  const { accessToken: token } = await alice.signed();
  const run = new Run(random, alice, vault);
  const versions = await run.begin();
  const homes: Home[] = [];
  try {
    for (const name of ['desk', 'phone']) {
      const platform = name === 'desk' ? ('desktop' as const) : ('android' as const);
      const files = run.files(name, versions);
      homes.push(await browser.openPlugin({ server: server.url, token, vault, platform, saveMs: 200, seed, files }));
      run.people = [...run.people, { name, home: homes.at(-1) as Home, isOnline: true, isShown: false }];
      for (let step = 0; step < STEPS / 2; step++) await run.step();
    }
    const failure = await run.end();
    const complaints = homes.flatMap((home) => home.complaints);
    const wrong = failure ?? (complaints.length > 0 ? complaints.join('\n') : null);
    return wrong === null ? null : `seed ${seed}: ${wrong}\n${run.log.join('\n')}`;
  } catch (error) {
    return `seed ${seed}: ${(error as Error).stack}\n${run.log.join('\n')}`;
  } finally {
    for (const home of homes) await home[Symbol.asyncDispose]();
  }
}
