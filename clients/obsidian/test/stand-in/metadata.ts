import { Events } from './events.ts';
import { type TAbstractFile, TFile, TFolder } from './files.ts';
import type { Vault } from './vault.ts';

const LINK = /\[\[([^\]|#]+)((?:#[^\]|]*)?(?:\|[^\]]*)?)\]\]/g;
const FRONT_MATTER = /^---\n([\s\S]*?\n)?---(?:\n|$)/;

/** Metadata of notes (api: MetadataCache); only links, because the plugin uses nothing else. */
export class MetadataCache extends Events {
  readonly #vault: Vault;
  readonly #links = new Map<TFile, readonly string[]>();

  constructor(vault: Vault) {
    super();
    this.#vault = vault;
    // It follows the files a turn later, and is not told of a renamed one, whose text is the same (api: on 'changed').
    const read = async (file: TAbstractFile) => {
      if (!(file instanceof TFile) || file.extension !== 'md') return;
      const text = await vault.cachedRead(file).catch(() => null);
      if (text === null) return;
      this.#links.set(file, linksOf(text));
      this.trigger('changed', file, text, this.getFileCache(file));
    };
    for (const name of ['create', 'modify']) vault.on(name, read);
    vault.on('delete', (file: TAbstractFile) => {
      if (file instanceof TFile && this.#links.delete(file)) this.trigger('deleted', file, null);
    });
  }

  getFileCache(file: TFile): { links: { link: string }[] } | null {
    const links = this.#links.get(file);
    return links === undefined ? null : { links: links.map((link) => ({ link })) };
  }

  getFirstLinkpathDest(link: string, _sourcePath: string): TFile | null {
    const found = this.#vault.getFiles().filter((file) => leadsTo(link, file));
    return found[0] ?? null;
  }
}

/** File operations that the app offers to users (api: FileManager). */
export class FileManager {
  readonly #vault: Vault;
  /** The person's choice, "Deleted files". */
  trash: 'system' | 'local' | 'none' = 'local';
  /** The person's choice, "Automatically update internal links". */
  updatesLinks = true;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Renames, and rewrites the links of other notes one after the other (api: renameFile). */
  async renameFile(file: TAbstractFile, to: string): Promise<void> {
    const isLinked = (link: string) => file instanceof TFile && leadsTo(link, file);
    const linking: [TFile, string[]][] = [];
    for (const note of this.updatesLinks ? this.#vault.getMarkdownFiles() : []) {
      const links = linksOf(await this.#vault.cachedRead(note)).filter(isLinked);
      if (links.length > 0) linking.push([note, links]);
    }
    await this.#vault.rename(file, to);
    const target = file instanceof TFile ? file.basename : '';
    for (const [note, links] of linking) {
      await this.#vault.process(note, (text) =>
        text.replace(LINK, (all, link: string, rest: string) => (links.includes(link) ? `[[${target}${rest}]]` : all)),
      );
    }
  }

  /** Deletes as the person chose (api: trashFile). */
  async trashFile(file: TAbstractFile): Promise<void> {
    if (this.trash === 'none') await this.#vault.delete(file, file instanceof TFolder);
    else await this.#vault.trash(file, this.trash === 'system');
  }

  /** Changes the front matter of a file on the disk, as the properties panel does (api: processFrontMatter). */
  async processFrontMatter(file: TFile, change: (frontmatter: Record<string, unknown>) => void): Promise<void> {
    await this.#vault.process(file, (text) => {
      const found = FRONT_MATTER.exec(text);
      const values: Record<string, unknown> = {};
      for (const line of (found?.[1] ?? '').split('\n').filter((one) => one !== '')) {
        const colon = line.indexOf(':');
        if (colon < 0) throw new Error('YAMLParseError');
        values[line.slice(0, colon)] = line.slice(colon + 1).trim();
      }
      change(values);
      const lines = Object.entries(values).map(([name, value]) => `${name}: ${String(value)}\n`);
      const body = text.slice(found?.[0].length ?? 0);
      return lines.length === 0 ? body : `---\n${lines.join('')}---\n${body}`;
    });
  }
}

function linksOf(text: string): string[] {
  return [...text.matchAll(LINK)].map(([, link = '']) => link);
}

function leadsTo(link: string, file: TFile): boolean {
  const name = file.extension === 'md' ? file.path.slice(0, -3) : file.path;
  return name === link || name.endsWith(`/${link}`);
}
