import { dirname } from 'node:path';
import { isExecutable } from './program.ts';

/** Packages of a part that an installation may lack. Its message says how to get them. */
export class PackagesMissing extends Error {
  override readonly name = 'PackagesMissing';
}

/** Loads a module of optional packages. Throws PackagesMissing. @param need their use, as a sentence's subject. */
export async function loadOptional<Module>(
  need: string,
  packages: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause;
    const command = `npm install ${packages.join(' ')}`;
    const place = isExecutable ? `in ${dirname(process.execPath)}` : 'beside notevault';
    const message = `${need} needs packages that are not installed: run "${command}" ${place}.`;
    throw new PackagesMissing(message, { cause });
  }
}
