import { globSync, readFileSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diary } from './diary.ts';
import { heads } from './files.ts';

/*
 * The vault that tests read: notes about a household in nine languages, a folder for each in `server/test/vault`, and a
 * diary made of their sentences, with links of all forms, frontmatter of every kind and both line endings.
 */

export const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'ja', 'ko', 'ru', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

export type Texts = ReadonlyMap<string, string>;

export interface TestVault {
  readonly name: string;
  /** Path → text, ordered by path. */
  readonly notes: Texts;
  readonly attachments: ReadonlyMap<string, Buffer>;
}

const FOLDER = join(import.meta.dirname, '../../vault');
const DIARY_DAYS = 16;

const read = new Map<Language, Texts>();

/** The hand-written notes of one language, without the diary. */
export function handWritten(language: Language): Texts {
  const known = read.get(language);
  if (known !== undefined) return known;
  const cwd = join(FOLDER, language);
  const paths = globSync('**/*.md', { cwd }).map((path) => path.replaceAll('\\', '/'));
  const texts = new Map(paths.sort().map((path) => [path, readFileSync(join(cwd, path), 'utf8')]));
  if (texts.size === 0) throw new Error(`no notes in ${cwd}`);
  read.set(language, texts);
  return texts;
}

/** The whole vault of a language; the same on every machine. */
export function testVault(language: Language): TestVault {
  const written = handWritten(language);
  const attachments = attachmentsOf(written);
  const days = diary(language, written, [...attachments.keys()], DIARY_DAYS);
  const notes = new Map([...written, ...days].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { name: language, notes, attachments };
}

/** All languages in one vault, a folder for each; some names occur several times. */
export function householdVault(): TestVault {
  const vaults = LANGUAGES.map(testVault);
  const joined = <Content>(files: (vault: TestVault) => ReadonlyMap<string, Content>) =>
    new Map(vaults.flatMap((vault) => [...files(vault)].map(([path, content]) => [`${vault.name}/${path}`, content])));
  return { name: 'Household', notes: joined(({ notes }) => notes), attachments: joined((vault) => vault.attachments) };
}

export function allNotes(): Texts {
  return householdVault().notes;
}

/** Writes the vault as files below `folder`, each with a different time. */
export async function writeVault({ notes, attachments }: TestVault, folder: string): Promise<void> {
  const files: [string, string | Buffer][] = [...notes, ...attachments];
  for (const [index, [path, content]] of files.entries()) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    const at = 1_000_000_000.25 + index * 1_234_567;
    await utimes(file, at, at);
  }
}

/** One file for each attachment that is embedded somewhere, with bytes that identify it. */
function attachmentsOf(notes: Texts): Map<string, Buffer> {
  const names = [...notes.values()].flatMap((text) =>
    [...text.matchAll(/!\[\[([^\]|#]+\.(\w+))/g)].map(([, name = '', extension = '']) => [name, extension] as const),
  );
  return new Map(
    [...new Map(names)]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, extension]) => {
        const kind = extension === 'png' || extension === 'jpg' ? heads[extension] : Buffer.from(textFile(extension));
        return [`files/${name}`, Buffer.concat([kind, Buffer.from(`\n${name}\n`)])];
      }),
  );
}

function textFile(extension: string): string {
  return extension === 'svg' ? '<svg xmlns="http://www.w3.org/2000/svg"/>' : 'month,rent,food\n1,700,310';
}
