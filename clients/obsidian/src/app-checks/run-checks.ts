import type { App, EventRef } from 'obsidian';
import { APP_CHECKS, type VaultEvent } from './checks.ts';

/** The result of a check; null for one that holds. */
export interface CheckResult {
  readonly name: string;
  readonly failure: string | null;
}

/**
 * Runs all checks in the app, each in a folder of its own within `folder`, which is made and removed. Nothing may sync
 * that folder.
 */
export async function runAppChecks(
  app: App,
  folder: string,
  wait: (ms: number) => Promise<void>,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const [at, { name, run }] of APP_CHECKS.entries()) {
    const own = `${folder}/${at + 1}`;
    await app.vault.adapter.mkdir(own);
    const refs: EventRef[] = [];
    const heard = (kind: VaultEvent) => {
      const paths: string[] = [];
      // The four are overloads, which no union fits.
      refs.push(app.vault.on(kind as 'create', (file) => paths.push(file.path)));
      return paths;
    };
    const failure = await run({ app, folder: own, wait, heard }).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    for (const ref of refs) app.vault.offref(ref);
    results.push({ name, failure });
  }
  await app.vault.adapter.rmdir(folder, true);
  return results;
}
