import type { OpenVault } from '../vaults/vaults.ts';
import type { LockedDeps } from './entries.deps.ts';

/** Runs a change of many entries under the vault's lock of this process; resolves once links are resolved again. */
export async function runLocked<Result>(
  { lock, hooks }: Pick<LockedDeps, 'lock' | 'hooks'>,
  vault: OpenVault,
  change: () => Promise<Result>,
): Promise<Result> {
  const result = await lock.runExclusive(vault.id, change);
  await hooks.linksResolved(vault);
  return result;
}
