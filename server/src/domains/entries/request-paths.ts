import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import { invalid } from '@notevault/protocol/errors.ts';

/** A path from a request in its stored form. Throws a validation error on `field`. */
export function pathFrom(raw: string, field: string, normalize: (raw: string) => string = normalizePath): string {
  try {
    return normalize(raw);
  } catch (error) {
    if (error instanceof PathError) throw invalid({ [field]: [error.reason] });
    throw error;
  }
}

/** As pathFrom, for a folder: empty for the root, however many slashes and dots say so. */
export function folderPathFrom(raw: string, field: string): string {
  return /^(\.?[/\\])*\.?$/.test(raw) ? '' : pathFrom(raw, field);
}
