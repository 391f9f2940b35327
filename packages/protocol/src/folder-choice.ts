/** Folders for templates and daily notes in a vault. */
export interface Folders {
  readonly templates: string;
  readonly daily: string;
}

/** The preference in which an account keeps the folders that it chose. */
export const FOLDERS_PREFERENCE = 'folders';

/** The names of the folders in each language of the app. A test compares them with the catalogues. */
export const FOLDER_NAMES: Readonly<Record<keyof Folders, readonly string[]>> = {
  templates: ['Templates', 'Vorlagen', 'テンプレート'],
  daily: ['Daily', 'Tagebuch', '日記'],
};

/** Reads a folder as it was typed or stored; null for none. */
export function readFolder(stored: unknown): string | null {
  return typeof stored === 'string' ? stored.trim().replace(/^\/+|\/+$/g, '') || null : null;
}

/**
 * Returns the folders of a vault: the chosen ones; else existing ones with a name of any language, so that the app finds
 * the same notes in another language; else the names of the current language.
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
