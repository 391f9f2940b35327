import ignore, { type Ignore } from 'ignore';
import { structureFault } from './safe-path.ts';
import { isSetting, SETTINGS_FOLDER, type SettingsFiles } from './settings-files.ts';

export const IGNORE_FILE = '.notevaultignore';

/** Files that programs make for themselves while they save or download, and those of file managers. */
const OF_PROGRAMS = ['*~', '~$*', '*.tmp', '*.part', '*.crdownload', '*.swp', 'Thumbs.db', 'desktop.ini'];

/** Names of files that file managers put into every folder; they do not keep a folder from being removed. */
export const LITTER: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

const KNOWN_MAX = 500_000;
/** The library remembers every path that it was asked about, which are known here already. */
const FORGET_EVERY = 1000;

/** Rules for paths that are not synced: the user's rules, leftovers of programs, and unselected settings. */
export class IgnoreRules {
  readonly #settings: SettingsFiles;
  #rules: Ignore;
  #asked = 0;
  #text = '';
  /** Answers by path; every path is asked about in each round. */
  readonly #known = new Map<string, boolean>();

  constructor(settings: SettingsFiles) {
    this.#settings = settings;
    this.#rules = rulesOf('');
  }

  /** Returns whether the rules have changed. @param text the content of the ignore file, in the syntax of gitignore. */
  load(text: string): boolean {
    if (text === this.#text) return false;
    this.#text = text;
    this.#rules = rulesOf(text);
    this.#known.clear();
    return true;
  }

  isIgnored(path: string, kind: 'file' | 'folder'): boolean {
    const key = kind === 'folder' ? `${path}/` : path;
    let isIgnored = this.#known.get(key);
    if (isIgnored === undefined) {
      isIgnored = this.#find(path, kind);
      if (this.#known.size >= KNOWN_MAX) this.#known.clear();
      this.#known.set(key, isIgnored);
    }
    return isIgnored;
  }

  #find(path: string, kind: 'file' | 'folder'): boolean {
    // A path that cannot be below the folder is not left out but refused, and listed.
    if (structureFault(path) !== null) return false;
    if (path === SETTINGS_FOLDER || isSetting(path)) return !this.#settings.includes(path, kind);
    this.#asked += 1;
    if (this.#asked % FORGET_EVERY === 0) this.#rules = rulesOf(this.#text);
    return this.#rules.ignores(kind === 'folder' ? `${path}/` : path);
  }
}

function rulesOf(text: string): Ignore {
  return ignore().add(OF_PROGRAMS).add(text);
}
