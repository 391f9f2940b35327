/** Where templates and daily notes are in a vault. */
export interface Folders {
  readonly templates: string;
  readonly daily: string;
}

/** Under which name the account remembers the folders that it chose. */
export const FOLDERS_PREFERENCE = 'folders';

/** What the languages of the app call them. A test compares them with the catalogues. */
export const FOLDER_NAMES: Readonly<Record<keyof Folders, readonly string[]>> = {
  templates: ['Templates', 'Vorlagen', 'テンプレート'],
  daily: ['Daily', 'Tagebuch', '日記'],
};

/** Reads a folder as it was typed or stored; null for none. */
export function readFolder(stored: unknown): string | null {
  return typeof stored === 'string' ? stored.trim().replace(/^\/+|\/+$/g, '') || null : null;
}

/**
 * The folders of a vault: those that were chosen, else those that there are under a name of any language, so that
 * another language of the app finds the same notes, else what the language calls them.
 */
export function foldersIn(
  hasFolder: (path: string) => boolean,
  chosen: Readonly<Partial<Record<keyof Folders, unknown>>>,
  named: Folders,
): Folders {
  const choose = (which: keyof Folders) =>
    readFolder(chosen[which]) ?? FOLDER_NAMES[which].find(hasFolder) ?? named[which];
  return { templates: choose('templates'), daily: choose('daily') };
}
