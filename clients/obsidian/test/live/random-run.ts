import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../../../server/test/kit/random.ts';
import type { TestServer } from '../../../../server/test/kit/server.ts';
import type { DeviceBrowser, DevicePage } from '../browser.ts';
import { noteOn, type Together } from './together.ts';

// People type on two devices while other plugins and programs change the file, an assistant writes to the vault, views
// are used for other notes, the network goes and comes, and the app is killed. Then everything is restored, and every
// letter must be there once: in both editors, on both disks, on the server. Each letter is another one, so that no
// comparison can take one for another.

// Without properties: of two values of one, only the later stands.
const TEXT = '# Title\n\nfirst line\n\nsecond line\n';
const OTHER = 'other.md';
const STEPS = 40;
const PATIENCE_MS = 60_000;

/** A letter, and what may have become of it. */
interface Letter {
  readonly letter: string;
  /** Whether it may be missing: taken back, or only in the memory of an app that was killed. */
  isOptional: boolean;
  /** The device where it was typed into an editor; null for one that came another way. */
  readonly typedOn: Person | null;
  /** Whether its device has it where it outlives the app. */
  isPreserved: boolean;
}

class Person {
  readonly name: string;
  readonly device: DevicePage;
  path = 'note.md';
  panes = 0;
  isOnline = true;

  constructor(name: string, device: DevicePage) {
    this.name = name;
    this.device = device;
  }
}

class Run {
  readonly #random: Random;
  readonly #note: Together;
  readonly #people: readonly Person[];
  readonly #letters: Letter[] = [];
  readonly log: string[] = [];

  constructor(random: Random, note: Together, people: readonly Person[]) {
    this.#random = random;
    this.#note = note;
    this.#people = people;
  }

  /** Returns what is wrong at the end; null for nothing. */
  async run(): Promise<string | null> {
    for (const person of this.#people) await this.#open(person);
    for (let step = 0; step < STEPS; step++) await this.#step();
    return this.#end();
  }

  async #step(): Promise<void> {
    const person = this.#random.pick(this.#people);
    const dice = this.#random.below(100);
    if (dice < 42) await this.#type(person);
    else if (dice < 47) await this.#template(person);
    else if (dice < 52) await this.#process(person);
    else if (dice < 56) await this.#property(person);
    else if (dice < 59) await this.#outside(person);
    else if (dice < 62) await this.#overlap(person);
    else if (dice < 65) await this.#assistant();
    else if (dice < 68) await this.#undo(person);
    else if (dice < 72) await this.#switch(person);
    else if (dice < 76) await this.#pane(person);
    else if (dice < 79) await this.#rename(person);
    else if (dice < 82) await this.#same();
    else if (dice < 86) await this.#network(person);
    else if (dice < 90) await this.#kill(person);
    else await this.#wait();
  }

  /** Returns a letter that was in no text before. */
  #letter(typedOn: Person | null, isPreserved = true): string {
    const letter = String.fromCodePoint(0x4e00 + this.#letters.length);
    this.#letters.push({ letter, isOptional: false, typedOn, isPreserved });
    return letter;
  }

  async #open(person: Person): Promise<void> {
    await person.device.run((device, path) => device.open(path), person.path);
    person.panes = 1;
    this.#say(person, 'opens');
  }

  async #type(person: Person): Promise<void> {
    if (person.panes === 0) return;
    const count = 1 + this.#random.below(3);
    for (let at = 0; at < count; at++) {
      const letter = this.#letter(person, false);
      const pane = this.#random.below(person.panes);
      const place = this.#random.next();
      await person.device.run(
        (device, [number, text, share]) => {
          const offset = Math.floor(share * (device.text(number).length + 1));
          device.type(number, text, offset);
        },
        [pane, letter, place] as const,
      );
      this.#say(person, `types ${letter} in pane ${pane}`);
    }
  }

  async #template(person: Person): Promise<void> {
    if (person.panes === 0) return;
    const letter = this.#letter(person, false);
    await person.device.run((device, text) => device.view(0).editor.replaceSelection(text), letter);
    this.#say(person, `has a template put in ${letter}`);
  }

  async #process(person: Person): Promise<void> {
    const letter = this.#letter(null);
    const isFirst = this.#random.chance(0.5);
    await person.device.run(
      (device, [path, text, first]) =>
        device.process(path, (before) =>
          first ? before.replace('# Title\n', `# Title\n${text}\n`) : `${before}${text}\n`,
        ),
      [person.path, letter, isFirst] as const,
    );
    this.#say(person, `has a plugin write ${letter}`);
    await this.#optionalUnlessThere(person, letter);
  }

  async #property(person: Person): Promise<void> {
    const letter = this.#letter(null);
    const failure = await person.device.run(
      async (device, [path, value]) => {
        const file = device.app.vault.getFileByPath(path);
        if (file === null) return 'no file';
        const set = (values: Record<string, unknown>) => {
          values[`p${value}`] = 'x';
        };
        return device.app.fileManager.processFrontMatter(file, set).then(() => null, String);
      },
      [person.path, letter] as const,
    );
    this.#say(person, `sets a property ${letter} ${failure ?? ''}`);
    await this.#optionalUnlessThere(person, letter);
  }

  async #outside(person: Person): Promise<void> {
    const letter = this.#letter(null);
    await person.device.run(
      (device, [path, text]) => device.app.device.disk.write(path, `${device.disk(path)}${text}\n`) !== null,
      [person.path, letter] as const,
    );
    this.#say(person, `has a program write ${letter}`);
    // Until the app hears of it, it may save over it; for ever, once it is deaf.
    await pause(80);
    const isDeaf = await person.device.run(
      (device, path) => device.app.vault.getFileByPath(path)?.saving === true,
      person.path,
    );
    await this.#optionalUnlessThere(person, letter, isDeaf);
  }

  /** Both at once, after which the app is deaf to changes from outside. */
  async #overlap(person: Person): Promise<void> {
    const letter = this.#letter(null);
    await person.device.run(
      async (device, [path, text]) => {
        const file = device.app.vault.getFileByPath(path);
        if (file === null) return;
        const before = device.disk(path) ?? '';
        await Promise.all([
          device.app.vault.modify(file, before),
          device.app.vault.process(file, (now) => `${now}${text}\n`),
        ]);
      },
      [person.path, letter] as const,
    );
    this.#say(person, `has two plugins write ${letter} at once`);
    await this.#optionalUnlessThere(person, letter);
  }

  /** The app may have saved over it before anybody could read it, as without the plugin. */
  async #optionalUnlessThere(person: Person, letter: string, isOptional = false): Promise<void> {
    const disk = await person.device.run((device, path) => device.disk(path), person.path);
    const known = this.#letters.find((one) => one.letter === letter);
    if (known !== undefined && (isOptional || disk?.includes(letter) !== true)) known.isOptional = true;
  }

  async #assistant(): Promise<void> {
    const letter = this.#letter(null);
    const path = 'note.md';
    const headers = { 'x-vault-id': this.#note.vault };
    const answer = await this.#note.server.alice.post('/notes/append', { path, text: `${letter}\n` }, headers);
    this.log.push(`an assistant writes ${letter}: ${answer.status}`);
  }

  /**
   * Excuses texts that the app's own merge dropped while the plugin was not connected, because they would be lost
   * without the plugin too.
   */
  async #forgiveMerges(person: Person): Promise<void> {
    const dropped = await person.device.run((device) => device.dropped);
    for (const letter of this.#letters) if (dropped.includes(letter.letter)) letter.isOptional = true;
  }

  /** Takes back what was done last in the pane: in an editor that is not connected, also what the app has read. */
  async #undo(person: Person): Promise<void> {
    if (person.panes === 0) return;
    const [before, after] = await person.device.run((device) => {
      const text = device.text(0);
      device.view(0).editor.undo();
      return [text, device.text(0)] as const;
    });
    const gone = this.#letters.filter(({ letter }) => before.includes(letter) && !after.includes(letter));
    this.#say(person, `takes back ${gone.map(({ letter }) => letter).join('')}`);
    for (const letter of gone) letter.isOptional = true;
  }

  async #switch(person: Person): Promise<void> {
    if (person.panes === 0) return this.#open(person);
    await person.device.run((device, path) => device.open(path, 0), OTHER);
    this.#say(person, 'shows another note');
    if (this.#random.chance(0.5)) await pause(this.#random.below(60));
    await person.device.run((device, path) => device.open(path, 0), person.path);
    this.#say(person, 'shows the note again');
  }

  async #pane(person: Person): Promise<void> {
    if (person.panes > 1 || (person.panes === 1 && this.#random.chance(0.3))) {
      await person.device.run((device) => device.close(device.leaves.length - 1));
      person.panes -= 1;
      this.#say(person, 'closes a pane');
    } else {
      const isPopout = this.#random.chance(0.3);
      await person.device.run((device, [path, popout]) => (popout ? device.openPopout(path) : device.open(path)), [
        person.path,
        isPopout,
      ] as const);
      person.panes += 1;
      this.#say(person, 'opens a pane');
    }
  }

  async #rename(person: Person): Promise<void> {
    const to = `note ${this.#letters.length}.md`;
    await person.device.run(
      async (device, [from, path]) => {
        const file = device.app.vault.getFileByPath(from);
        if (file !== null) await device.app.vault.rename(file, path);
      },
      [person.path, to] as const,
    );
    person.path = to;
    this.#say(person, `renames the file to ${to}`);
  }

  /** Makes the same change to the same text on both devices at once; it must be applied once. */
  async #same(): Promise<void> {
    if (this.#people.some(({ isOnline, panes }) => !isOnline || panes === 0)) return;
    await pause(120);
    const texts = await Promise.all(
      this.#people.map(({ device, path }) => device.run((page, at) => page.disk(at), path)),
    );
    if (texts[0] !== texts[1] || texts[0] !== (await this.#note.stored())) return;
    const letter = this.#letter(null);
    await Promise.all(
      this.#people.map((person) =>
        person.device.run(
          (device, [path, text]) => device.process(path, (before) => before.replace('# Title\n', `# Title\n${text}\n`)),
          [person.path, letter] as const,
        ),
      ),
    );
    this.log.push(`plugins of both write ${letter}`);
    for (const person of this.#people) await this.#optionalUnlessThere(person, letter);
  }

  async #network(person: Person): Promise<void> {
    if (person.isOnline) await person.device.run((device) => device.cut());
    else await person.device.run((device) => device.restore());
    person.isOnline = !person.isOnline;
    this.#say(person, person.isOnline ? 'is online' : 'is offline');
  }

  async #kill(person: Person): Promise<void> {
    if (this.#random.chance(0.5)) await this.#keep(person);
    const disk = await person.device.run((device, path) => device.disk(path), person.path);
    for (const letter of this.#letters) {
      if (letter.typedOn !== person || letter.isPreserved) continue;
      if (disk?.includes(letter.letter) === true) letter.isPreserved = true;
      else letter.isOptional = true;
    }
    await this.#forgiveMerges(person);
    await person.device.kill();
    person.isOnline = true;
    this.#say(person, 'is killed');
    await this.#open(person);
  }

  /** Waits until the device's copy contains the text of a connected editor. */
  async #keep(person: Person): Promise<void> {
    const isBound = await person.device.run(async (device) => {
      const all = device.bound === device.leaves.length && device.bound > 0;
      await device.copies();
      return all;
    });
    if (!isBound) return;
    const text = await person.device.run((device) => device.text(0));
    for (const letter of this.#letters) {
      if (letter.typedOn === person && text.includes(letter.letter)) letter.isPreserved = true;
    }
  }

  async #wait(): Promise<void> {
    for (const person of this.#people) await this.#keep(person);
    await pause(this.#random.below(this.#random.chance(0.2) ? 700 : 80));
    for (const person of this.#people) {
      if (person.isOnline) void person.device.run((device) => device.engine.sync()).catch(() => undefined);
    }
  }

  async #end(): Promise<string | null> {
    for (const person of this.#people) {
      await person.device.run((device) => device.restore());
      if (person.panes === 0) await this.#open(person);
    }
    for (const person of this.#people) await this.#forgiveMerges(person);
    const from = performance.now();
    for (let found = ''; ; ) {
      const states = await this.#states();
      const different = states.find(({ text }) => text !== states[0]?.text);
      found = different === undefined ? this.#faultIn(states[0]?.text ?? '') : `${different.name} differs`;
      if (found === '') return this.#endWithoutPanes(states[0]?.text ?? '');
      if (performance.now() - from > PATIENCE_MS || found.startsWith('doubled')) {
        return [found, ...states.map(({ name, text }) => `${name}: ${JSON.stringify(text)}`)].join('\n');
      }
      await pause(30);
    }
  }

  /** Once nobody shows the note, both disks have it, and nothing is kept beside. */
  async #endWithoutPanes(text: string): Promise<string | null> {
    for (const { device } of this.#people) {
      await device.run(async (page) => {
        while (page.leaves.length > 0) await page.close(0);
      });
    }
    const from = performance.now();
    for (;;) {
      const copies = await Promise.all(this.#people.map(({ device }) => device.run((page) => page.copies())));
      const disks = await Promise.all(
        this.#people.map(({ device, path }) => device.run((page, at) => page.disk(at), path)),
      );
      const complaints = this.#people.flatMap(({ device }) => device.complaints);
      if (complaints.length > 0) return complaints.join('\n');
      if (copies.flat().length === 0 && disks.every((disk) => disk === text)) return null;
      if (performance.now() - from > PATIENCE_MS) return `closed: ${JSON.stringify({ copies, disks, text })}`;
      await pause(30);
    }
  }

  /**
   * Returns the texts of the note everywhere, which may be equal while a device still sends what the app has saved
   * over: then that is another text.
   */
  async #states(): Promise<readonly { readonly name: string; readonly text: string }[]> {
    const states = [{ name: 'the server', text: await this.#note.stored() }];
    for (const person of this.#people) {
      const { name, device, path } = person;
      const found = await device.run(async (page, at) => {
        const failure = await page.engine.sync().then(() => '', String);
        await page.save();
        return {
          failure,
          editors: page.leaves.map((_, number) => page.text(number)),
          disk: page.disk(at) ?? 'no file',
          waiting: await page.copies(),
        };
      }, path);
      if (found.failure !== '') this.#say(person, `cannot sync: ${found.failure}`);
      states.push(...found.editors.map((text, at) => ({ name: `pane ${at} of ${name}`, text })));
      states.push({ name: `the disk of ${name}`, text: found.disk });
      if (found.waiting.length > 0)
        states.push({ name: `what waits on ${name}`, text: `${found.waiting.length} notes` });
    }
    return states;
  }

  #faultIn(text: string): string {
    for (const { letter, isOptional } of this.#letters) {
      const count = text.split(letter).length - 1;
      if (count > 1) return `doubled: ${letter}`;
      if (count === 0 && !isOptional) return `lost: ${letter}`;
    }
    return '';
  }

  #say({ name }: Person, what: string): void {
    this.log.push(`${name} ${what}`);
  }
}

/** Runs a seed; returns what is wrong, with what was done, or null. */
export async function runSeed(browser: DeviceBrowser, server: TestServer, seed: number): Promise<string | null> {
  const random = new Random(seed);
  await using note = await noteOn(server, browser, TEXT);
  const options = {
    saveMs: 300,
    switching: random.chance(0.5) ? ('state' as const) : ('change' as const),
    lateEventMs: random.chance(0.3) ? 50 : 0,
    seed,
  };
  const other = { id: crypto.randomUUID(), path: OTHER, text: 'another note\n' };
  const people = [];
  for (const name of ['desk', 'phone']) {
    const platform = name === 'desk' ? 'desktop' : 'android';
    const device = await note.device({ ...options, platform, notes: [other] });
    people.push(new Person(name, device));
  }
  const run = new Run(random, note, people);
  try {
    const failure = await run.run();
    return failure === null ? null : `seed ${seed}: ${failure}\n${run.log.join('\n')}`;
  } catch (error) {
    const { stack } = error as Error;
    return `seed ${seed}: ${stack}\n${people.flatMap(({ device }) => device.complaints).join('\n')}\n${run.log.join('\n')}`;
  }
}
