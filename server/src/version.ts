import { readFileSync } from 'node:fs';

/** The published version: of the repository, and of the package that is built from it. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
