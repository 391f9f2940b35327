import { foldPath, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';

/** Normalizes a path from a request. Throws a validation error on `field`. */
export function pathFrom(raw: string, field: string, normalize: (raw: string) => string = normalizePath): string {
  try {
    return normalize(raw);
  } catch (error) {
    if (error instanceof PathError) throw invalid({ [field]: [error.reason] });
    throw error;
  }
}

/** Like pathFrom, for a folder; returns an empty path for the root, also when it is given as slashes and dots. */
export function folderPathFrom(raw: string, field: string): string {
  return /^(\.?[/\\])*\.?$/.test(raw) ? '' : pathFrom(raw, field);
}

/** Returns a function that gives each missing folder of a batch one spelling: the first one. */
export function spellingOf(): (path: string) => string {
  const spelled = new Map<string, string>();
  return (path) => {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let folder = '';
    for (const name of names) {
      const asSent = folder + name;
      const key = foldPath(asSent);
      const known = spelled.get(key) ?? asSent;
      spelled.set(key, known);
      folder = `${known}/`;
    }
    return folder + file;
  };
}
