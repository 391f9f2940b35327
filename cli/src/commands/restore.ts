import { counted } from '@notevault/protocol/values/counted.ts';
import type { Damage } from '@notevault/server/backup/verify/damaged-rows.ts';
import { Command } from 'commander';
import { askPassword } from '../ask-password.ts';
import { configOf, withConfig } from '../config-flags.ts';
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
  return withConfig(new Command('restore'))
    .description('Replace all data by a backup, with every server stopped; or bring back one vault or note')
    .argument('[backup]', 'a folder with backups (the newest is taken), the folder of one, or a tar file')
    .option('--vault <name>', 'only this vault, into a new one; works beside a running server')
    .option('--note <path>', 'with --vault: only this note, as a new version of it')
    .option('--user <email>', 'with --vault: whose vault (default: the only account)')
    .option('--revoke-credentials', 'end keys, devices, applications and invitations to vaults too, not only sessions')
    .option('--list-points', 'list the restore points: the data before each restore')
    .option('--point <name>', 'return to a restore point; the present data becomes one')
    .option('--passphrase-stdin', 'open the master key in the backup with a passphrase from standard input')
    .action(async (path: string | undefined, flags: Flags) => {
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
  if (points.length === 0) print('There are no restore points: they are made by a restore over data.');
}

async function returnTo(name: string, flags: Flags): Promise<void> {
  const { returnToRestorePoint } = await import('@notevault/server/backup/restore/restore.ts');
  const revokeCredentials = flags.revokeCredentials === true;
  const { restorePoint, checked } = await returnToRestorePoint(configOf(flags), name, revokeCredentials);
  print(`Returned to ${name}.`);
  await printDamage(checked.damage);
  printEnd(restorePoint, 'whatever was changed, revoked, purged or erased since that restore', revokeCredentials);
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
  const undone = 'whatever was revoked, purged, erased or changed since the backup was taken';
  printEnd(restorePoint, undone, revokeCredentials);
}

function printEnd(restorePoint: string | null, undone: string, revokedCredentials: boolean): void {
  if (restorePoint !== null) {
    print(`  before  the data before is kept in ${restorePoint}: remove it once you do not need it`);
    print('          "notevault restore --list-points" lists such, --point returns to one');
  }
  print(`  undone  ${undone}`);
  const credentials = 'keys, devices, applications and invitations to vaults';
  print(`  ended   all sessions${revokedCredentials ? `, ${credentials}` : `; ${credentials} still work`}`);
  print('  people  have the vaults that they had then: look who has each, and remove whom you had removed since');
  print('  next    start the server; clients read their vaults again, and people sign in again');
}

async function printDamage(damage: Damage): Promise<void> {
  if (damage.damaged === 0) return;
  const { damageLines } = await import('@notevault/server/backup/verify/damaged-rows.ts');
  print(`  damaged ${counted(damage.damaged, 'row')}, as before; everything else is there:`);
  for (const line of damageLines(damage)) print(`          ${line}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
