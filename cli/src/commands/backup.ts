import { setPriority } from 'node:os';
import { counted } from '@notevault/protocol/values/counted.ts';
import type { FolderBackup } from '@notevault/server/backup/take/run-backup.ts';
import type { BackupStep, BackupSummary } from '@notevault/server/backup/take/take-backup.ts';
import { requireData } from '@notevault/server/data/data-folder.ts';
import { Command, InvalidArgumentError } from 'commander';
import { askPassword } from '../ask-password.ts';
import { backupOptions, configOf, withConfig } from '../config-flags.ts';
import { totalsText } from '../print.ts';
import { progressLine } from '../progress.ts';

interface Flags extends Record<string, unknown> {
  readonly keep?: number;
  readonly includeKey?: boolean;
  readonly passphraseStdin?: boolean;
  readonly maxRate?: number;
  readonly deep?: boolean;
  readonly unlessSince?: number;
}

const LOWEST_PRIORITY = 19;
const MB = 1_000_000;
const inMb = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`;

export function backupCommand(): Command {
  return withConfig(new Command('backup'), backupOptions)
    .description('Back up everything, encrypted as stored; works while the server runs')
    .argument('<folder>', 'destination folder, to which later backups add only new data; - writes a tar stream')
    .option('--keep <number>', 'after a successful backup, keep only this number of backups in the folder', atLeastOne)
    .option('--include-key', 'add the master key to the backup, encrypted with a passphrase')
    .option('--passphrase-stdin', 'read the passphrase from standard input instead of asking for it')
    .option('--max-rate <MB/s>', 'maximum copy rate', positive)
    .option('--deep', 'first decrypt every row, and take no backup if one is damaged')
    .option(
      '--unless-since <time>',
      'do nothing if a backup was taken since this time, such as 2026-11-22T02:00Z',
      timeOf,
    )
    .action(async (folder: string, flags: Flags) => {
      const config = configOf(flags);
      requireData(config);
      lowerPriority();
      const passphrase = flags.includeKey === true ? await askPassword(flags.passphraseStdin === true) : null;
      const line = progressLine();
      const options = {
        config,
        passphrase,
        deep: flags.deep === true,
        ...(flags.unlessSince === undefined ? {} : { due: flags.unlessSince }),
        ...(flags.maxRate === undefined ? {} : { bytesPerSecond: flags.maxRate * MB }),
        progress: (step: BackupStep, done: number) => line(progressText(step, done), false),
      };
      const { backUpAsTar, backUpIntoFolder } = await import('@notevault/server/backup/take/run-backup.ts');
      const done: BackupSummary & Partial<FolderBackup> =
        folder === '-'
          ? await backUpAsTar(process.stdout, options)
          : await backUpIntoFolder(folder, flags.keep ?? null, options);
      const { counts, blobs, key } = done.manifest;
      const say = (text: string) => process.stderr.write(`${text}\n`);
      say(`Backup ${done.name}: ${totalsText(counts)} (${inMb(blobs.bytes)}).`);
      const removed = done.pruned?.backups.length ?? 0;
      if (removed > 0) say(`Removed ${counted(removed, 'older backup')}.`);
      if (key === null)
        say(`It does not contain master key ${done.manifest.master_key_id}: keep a copy of the key elsewhere.`);
      if (blobs.missing.length > 0) {
        say(
          `MISSING: the files of ${counted(blobs.missing.length, 'attachment')} were not found in storage. Run "notevault doctor".`,
        );
        process.exitCode = 1;
      }
    });
}

function progressText(step: BackupStep, done: number): string {
  if (step === 'rows') return `${counted(done, 'row')} opened`;
  return step === 'checking' ? `checking the copy of the database: ${done} s` : `${step}: ${inMb(done)}`;
}

/** Lowers this process’s priority below the server’s, where the system allows it. */
function lowerPriority(): void {
  try {
    setPriority(LOWEST_PRIORITY);
  } catch {
    // Without permission the priority stays as it is.
  }
}

function atLeastOne(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError('It must be a time in ISO 8601.');
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number greater than 0.');
}
