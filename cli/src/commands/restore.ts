import { counted } from '@notevault/protocol/values/counted.ts';
import type { Damage } from '@notevault/server/backup/verify/damaged-rows.ts';
import { Command } from 'commander';
import { askPassword } from '../ask-password.ts';
import { configOf, storageOptions, withAllConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { totalsText } from '../print.ts';
import { progressLine } from '../progress.ts';

interface Flags extends Record<string, unknown> {
  readonly passphraseStdin?: boolean;
  readonly revokeCredentials?: boolean;
  readonly vault?: string;
  readonly note?: string;
  readonly user?: string;
  readonly listPoints?: boolean;
  readonly point?: string;
}

export function restoreCommand(): Command {
  return withAllConfig(
    new Command('restore')
      .description('Replace all data with a backup (stop every server first), or restore one vault or note')
      .argument('[backup]', 'a folder of backups (the newest is restored), a single backup’s folder, or a tar file')
      .option('--vault <name>', 'restore only this vault, as a new vault; works while the server runs')
      .option('--note <path>', 'with --vault: restore only this note, as a new version')
      .option('--user <email>', 'with --vault: the vault’s owner (default: the only account)')
      .option(
        '--revoke-credentials',
        'revoke API keys, devices, applications and vault invitations too, not only sessions',
      )
      .option('--list-points', 'list the restore points (the data before each restore)')
      .option('--point <name>', 'return to a restore point; the current data becomes one')
      .option('--passphrase-stdin', 'decrypt the backup’s master key with a passphrase from standard input'),
    storageOptions,
  ).action(async (path: string | undefined, flags: Flags) => {
    if ([path, flags.listPoints, flags.point].filter((wanted) => wanted !== undefined).length !== 1) {
      throw new CliError('Give either a backup, or --list-points, or --point with the name of a restore point.');
    }
    if (path === undefined && flags.vault !== undefined) throw new CliError('--vault needs a backup.');
    if (flags.listPoints === true) return await listPoints(flags);
    if (flags.point !== undefined) return await returnTo(flags.point, flags);
    if (path === undefined) return;
    if (flags.note !== undefined && flags.vault === undefined) throw new CliError('--note needs --vault.');
    const passphrase = flags.passphraseStdin === true ? await askPassword(true) : null;
    if (flags.vault !== undefined) {
      const { restoreVault } = await import('../restore/restore-vault.ts');
      await restoreVault(path, { ...flags, vault: flags.vault }, passphrase);
      return;
    }
    await restoreAll(path, flags, passphrase);
  });
}

async function listPoints(flags: Flags): Promise<void> {
  const { listRestorePoints } = await import('@notevault/server/backup/restore/restore.ts');
  const points = await listRestorePoints(configOf(flags));
  for (const { name, bytes } of points) print(`${name}  ${(bytes / 1_000_000).toFixed(1)} MB`);
  if (points.length === 0) print('There are no restore points. A restore that replaces data creates one.');
}

async function returnTo(name: string, flags: Flags): Promise<void> {
  const { returnToRestorePoint } = await import('@notevault/server/backup/restore/restore.ts');
  const revokeCredentials = flags.revokeCredentials === true;
  const { restorePoint, checked } = await returnToRestorePoint(configOf(flags), name, revokeCredentials);
  print(`Returned to ${name}.`);
  await printDamage(checked.damage);
  printEnd(restorePoint, 'every change, revocation and deletion since that restore', revokeCredentials);
}

async function restoreAll(path: string, flags: Flags, passphrase: string | null): Promise<void> {
  const config = configOf(flags);
  const revokeCredentials = flags.revokeCredentials === true;
  const { restoreBackup } = await import('@notevault/server/backup/restore/restore.ts');
  const line = progressLine();
  const progress = (bytes: number) => line(`${(bytes / 1_000_000).toFixed(1)} MB compared`, false);
  const { name, manifest, checked, restorePoint } = await restoreBackup({
    path,
    config,
    passphrase,
    revokeCredentials,
    progress,
  });
  const { counts } = manifest;
  print(`Restored ${name}: ${totalsText(counts)}.`);
  await printDamage(checked.damage);
  const undone = 'every change, revocation and deletion since the backup';
  printEnd(restorePoint, undone, revokeCredentials);
}

function printEnd(restorePoint: string | null, undone: string, revokedCredentials: boolean): void {
  if (restorePoint !== null) {
    print(`  before  the previous data is kept in ${restorePoint}: remove it once you no longer need it`);
    print('          "notevault restore --list-points" lists restore points, --point returns to one');
  }
  print(`  undone  ${undone}`);
  const credentials = 'API keys, devices, applications and vault invitations';
  print(`  ended   all sessions${revokedCredentials ? `, ${credentials}` : `; ${credentials} still work`}`);
  print('  members are those of that time: check each vault, and remove again anyone removed since');
  print('  next    start the server; clients read their vaults again, and everyone signs in again');
}

async function printDamage(damage: Damage): Promise<void> {
  if (damage.damaged === 0) return;
  const { damageLines } = await import('@notevault/server/backup/verify/damaged-rows.ts');
  print(`  damaged ${counted(damage.damaged, 'row')}, as in the backup; everything else was restored:`);
  for (const line of damageLines(damage)) print(`          ${line}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
