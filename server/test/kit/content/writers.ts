import type { Random } from '../random.ts';

/** A version of a note as its writers see it. */
export interface SeenVersion {
  readonly version: number;
  readonly text: string;
}

/** The note that the writers share. */
export interface SharedNote {
  /** Writes a text that is based on a version; resolves to the note as it is then. */
  send(text: string, version: number): Promise<SeenVersion>;
  read(): Promise<SeenVersion>;
}

/** One who writes lines of their own into a text they have seen, and whose answers are sometimes lost. */
class Writer {
  readonly #name: string;
  #seen: SeenVersion;
  /** The lines of the text: those of the version that was seen, with own ones between. */
  #lines: string[];
  #made = 0;

  constructor(name: string, seen: SeenVersion) {
    this.#name = name;
    this.#seen = seen;
    this.#lines = seen.text.split('\n');
  }

  see(seen: SeenVersion): void {
    this.#seen = seen;
    this.#lines = seen.text.split('\n');
  }

  /** Adds lines and returns the request. Lines that were sent, but not seen in an answer, may be left out. */
  write(random: Random, sent: string[]): SeenVersion {
    if (random.chance(0.15)) this.see(this.#seen);
    for (let count = 1 + random.below(3); count > 0; count--) {
      this.#made++;
      const line = random.pick([`${this.#name}${this.#made}`, `- line ${this.#made} of ${this.#name}`]);
      const own = this.#lines.findIndex((each) => sent.includes(each));
      const at = own !== -1 && random.chance(0.5) ? own + random.below(2) : random.below(this.#lines.length + 1);
      this.#lines.splice(at, 0, line);
      sent.push(line);
    }
    return { version: this.#seen.version, text: this.#lines.join('\n') };
  }
}

const baseLines = ['', '', '}', '---', '- milk', 'return null;', 'constructor', '__proto__', 'a', '# a', 'b a'];

export function drawBase(random: Random): string {
  return Array.from({ length: random.below(6) }, () => random.pick(baseLines)).join('\n');
}

/** The lines of a text that are not blank, sorted. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

/** Lets some writers write in turns; resolves to all lines that they wrote. */
export async function writeInTurns(note: SharedNote, random: Random, turns: number): Promise<string[]> {
  const first = await note.read();
  const writers = Array.from({ length: 2 + random.below(3) }, (_, at) => new Writer('ABCDE'.charAt(at), first));
  const written: string[] = [];
  const requests: SeenVersion[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const writer = random.pick(writers);
    if (requests.length > 0 && random.chance(0.2)) {
      const { text, version } = random.pick(requests);
      await note.send(text, version);
      continue;
    }
    const request = writer.write(random, written);
    requests.push(request);
    const answer = await note.send(request.text, request.version);
    if (random.chance(0.4)) writer.see(answer);
    if (random.chance(0.2)) random.pick(writers).see(await note.read());
  }
  return written;
}
