/** The groups of Obsidian's settings that can be synced. */
export const SETTINGS = ['app', 'appearance', 'themes', 'hotkeys', 'core-plugins', 'community-plugins'] as const;
export type Setting = (typeof SETTINGS)[number];

const APP = 'obsidian';
/** The folder of the settings in every vault, whatever the app of a device calls its own. */
export const SETTINGS_FOLDER = `.${APP}`;

/**
 * Returns whether a path is one of Obsidian's settings: the app reads them under one name, so no copy can stand beside.
 */
export function isSetting(path: string): boolean {
  return path.startsWith(`${SETTINGS_FOLDER}/`);
}

/** Files and folders (with `/`) below `.obsidian`, by group. */
const FILES: Readonly<Record<Setting, readonly string[]>> = {
  app: ['app.json', 'types.json'],
  appearance: ['appearance.json'],
  themes: ['themes/', 'snippets/'],
  hotkeys: ['hotkeys.json'],
  'core-plugins': [
    ...['core-plugins.json', 'core-plugins-migration.json', 'backlink.json', 'bookmarks.json', 'canvas.json'],
    ...['command-palette.json', 'daily-notes.json', 'graph.json', 'note-composer.json', 'page-preview.json'],
    ...['slides.json', 'switcher.json', 'templates.json', 'webviewer.json', 'zk-prefixer.json'],
  ],
  // Not `plugins/`: code from a vault would run in the app of everybody who opens it.
  'community-plugins': ['community-plugins.json'],
};

/** Settings files that are never synced, because they change with each click or belong to one device. */
const NEVER = /(?:^|\/)(?:workspace[^/]*\.json|workspaces\.json|cache|\.[^/]*)(?:$|\/)/;

/** Tells which files of `.obsidian` are synced. */
export class SettingsFiles {
  readonly #files: readonly string[];

  constructor(groups: readonly Setting[]) {
    this.#files = groups.flatMap((group) => FILES[group]);
  }

  /** Returns whether a file of the settings, or a folder that can contain some, is synced. */
  includes(path: string, kind: 'file' | 'folder'): boolean {
    if (path === SETTINGS_FOLDER) return kind === 'folder' && this.#files.length > 0;
    if (!isSetting(path)) return false;
    const below = path.slice(SETTINGS_FOLDER.length + 1);
    if (NEVER.test(below)) return false;
    return this.#files.some((file) =>
      file.endsWith('/') ? `${below}/`.startsWith(file) && (kind === 'folder' || below !== file) : below === file,
    );
  }
}
