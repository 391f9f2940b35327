import { folderOf, joinPath } from '@notevault/note-text/paths.ts';
import type { Random } from '../kit/random.ts';

/* Names, paths and texts that conflict: there are few, so that they collide, shadow each other and return. */

/** Names that any link can express. */
const NAMES = [
  'a',
  'A',
  'b',
  'Note',
  'note',
  'x y',
  'ß',
  'SS',
  'Cafe\u0301',
  'v1.2',
  'b.md',
  "it's (1)",
  '100%25',
  'é.md',
];
/** Names that no wikilink can express, or that mean something in markdown or YAML. */
const ODD = [
  'C#',
  'q|r',
  '[z]',
  '^k',
  '`c',
  'c`',
  ' s',
  't ',
  '..',
  '%%',
  '<!--',
  '"d"',
  'a: b',
  '\u{1d11e}',
  '$&',
  '-',
  '&amp;',
];
/** Files, some with the name of a note. */
const FILES = [
  'a.png',
  'A.PNG',
  'b.pdf',
  'note.png',
  'x y.png',
  'v1.2.txt',
  'b.md.png',
  'é.txt',
  'ß.pdf',
  "it's (1).png",
];
const FOLDERS = ['f', 'F', 'g', 'b', 'f.md', 'a.png', 'ü', 'Straße', 'STRASSE'];

/** The state from which a generator chooses. */
export interface World {
  readonly notes: readonly { readonly id: string; readonly path: string }[];
  readonly files: readonly { readonly id: string; readonly path: string }[];
  readonly folders: readonly string[];
  /** Explicit folders. */
  readonly made: readonly { readonly id: string; readonly name: string }[];
  /** Ids of deleted notes. */
  readonly gone: readonly string[];
}

export class Maker {
  readonly #random: Random;
  readonly #names: readonly string[];

  /** @param odd whether to use names that not every link can express */
  constructor(random: Random, odd: boolean) {
    this.#random = random;
    this.#names = odd ? [...NAMES, ...ODD] : NAMES;
  }

  notePath(world: World): string {
    const name = `${this.#random.pick(this.#names)}${this.#random.chance(0.05) ? '.MD' : '.md'}`;
    return joinPath(this.folderPath(world), name);
  }

  filePath(world: World): string {
    return joinPath(this.folderPath(world), this.#random.pick(FILES));
  }

  /** Often an existing path, sometimes the root. */
  folderPath(world: World): string {
    const random = this.#random;
    if (world.folders.length > 0 && random.chance(0.5)) return random.pick(world.folders);
    return Array.from({ length: random.below(3) }, () => random.pick(FOLDERS)).join('/');
  }

  /** A folder that is not the root. */
  namedFolder(world: World): string {
    return joinPath(this.folderPath(world), this.#random.pick(FOLDERS));
  }

  content(world: World, path: string): string {
    const random = this.#random;
    const fields: string[] = [];
    if (random.chance(0.2)) fields.push(`aliases: [${yaml(random.pick(this.#names))}, ${yaml(random.pick(NAMES))}]`);
    if (random.chance(0.15)) fields.push(`up: ${yaml(`[[${this.#target(world)}|shown]]`)}`);
    if (random.chance(0.1)) fields.push(`near:\n  - ${yaml(`[[${this.#target(world)}]]`)}`);
    const front = fields.length === 0 ? '' : `---\n${fields.join('\n')}\n---\n`;
    const title = random.chance(0.3) ? '# Heading\n' : '';
    const links = Array.from({ length: random.below(5) }, () => this.#link(world, path));
    return `${front}${title}${random.below(1000)}\n${links.join('\n')}\n`;
  }

  #link(world: World, source: string): string {
    const random = this.#random;
    const isFile = random.chance(0.35);
    const target = isFile ? this.#fileTarget(world) : this.#target(world);
    const md = isFile ? '' : '.md';
    const encoded = encodeURI(random.chance(0.5) ? relative(source, target) : target).replace(
      /[()#?]/g,
      encodeURIComponent,
    );
    const forms = [
      `[[${target}]]`,
      `see ![[${target}#part|shown]]`,
      `[[${target}${md}|t]] and \`[[${target}]]\``,
      `| [[${target}\\|t]] | x |\n| --- | --- |`,
      `[t](${encoded}${md} "title")`,
      `![t](${encoded}${md}#part)`,
      `[t](<${target}${md}>)`,
      `[one][r] and [r]\n\n[r]: ${encoded}${md}`,
      `[t](./${encoded}${md})`,
      `[[./${target}]]`,
      '[[#part]]',
    ];
    return random.pick(forms);
  }

  /** A link target with `#`, or the name of a file. */
  #fileTarget(world: World): string {
    const random = this.#random;
    const path = world.files.length > 0 && random.chance(0.8) ? random.pick(world.files).path : this.filePath(world);
    return path
      .split('/')
      .slice(random.chance(0.6) ? -1 : 0)
      .join('/');
  }

  /** A target without `.md`: a name, a path, or the end of a path, mostly of an existing note. */
  #target(world: World): string {
    const random = this.#random;
    const path = world.notes.length > 0 && random.chance(0.8) ? random.pick(world.notes).path : this.notePath(world);
    const segments = path.replace(/\.md$/i, '').split('/');
    return segments.slice(random.chance(0.6) ? -1 : random.below(segments.length)).join('/');
  }
}

function yaml(text: string): string {
  return JSON.stringify(text);
}

function relative(source: string, target: string): string {
  return `${folderOf(source).replace(/[^/]+/g, '..')}/${target}`.replace(/^\//, '');
}
