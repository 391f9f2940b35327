import { counted } from '@notevault/protocol/values/counted.ts';
import { Command } from 'commander';
import { askPassword } from '../ask-password.ts';
import { configOf, storageOptions, withConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { progressLine } from '../progress.ts';

interface Flags extends Record<string, unknown> {
  readonly deep?: boolean;
  readonly passphraseStdin?: boolean;
}

export function verifyCommand(): Command {
  return withConfig(new Command('verify'), storageOptions)
    .description('Check every byte of a backup, and that a server can use it; changes nothing')
    .argument('<backup>', 'a folder of backups (the newest is checked), a single backup’s folder, or a tar file')
    .option('--deep', 'decrypt every value, and compare every note and attachment with its hash')
    .option('--passphrase-stdin', 'decrypt the backup’s master key with a passphrase from standard input')
    .action(async (path: string, flags: Flags) => {
      const config = configOf(flags);
      const passphrase = flags.passphraseStdin === true ? await askPassword(true) : null;
      const { verifyBackup } = await import('@notevault/server/backup/verify/verify-backup.ts');
      const line = progressLine();
      const progress = (bytes: number) => line(`${(bytes / 1_000_000).toFixed(1)} MB compared`, false);
      const { manifest, opened, name } = await verifyBackup({
        path,
        config,
        passphrase,
        deep: flags.deep === true,
        progress,
      });
      const { counts, blobs } = manifest;
      const print = (text: string) => process.stdout.write(`${text}\n`);
      print(`Backup ${name}, taken at ${manifest.taken_at} by Notevault ${manifest.version} on ${manifest.engine}.`);
      print(
        `  holds   ${counted(counts.users, 'account')}, ${counted(counts.vaults, 'vault')}, ${counted(counts.notes, 'note')}, ${counted(counts.versions, 'earlier version')}`,
      );
      print(
        `          ${counted(counts.attachments, 'attachment')} (${blobs.missing.length} missing since before the backup)`,
      );
      print(
        `  key     ${manifest.master_key_id}${manifest.key === null ? ', not in the backup' : ', in the backup under a passphrase'}`,
      );
      print('  hashes  every byte matches its hash');
      if (opened === null) {
        print(
          '  opened  nothing: without the master key only hashes are compared, which does not prove who wrote the backup.',
        );
        return;
      }
      print(
        `  opened  ${counted(opened.notes, 'note')} and ${counted(opened.attachments, 'attachment')} listed in ${counted(opened.vaults, 'vault')}`,
      );
      if (opened.faults.length > 0)
        throw new CliError(`The backup has faults:\n${opened.faults.map((fault) => `  ${fault}`).join('\n')}`);
      const { damage } = opened;
      if (damage.damaged === 0) {
        print('The backup is good.');
        return;
      }
      const { damageLines } = await import('@notevault/server/backup/verify/damaged-rows.ts');
      throw new CliError(
        `The backup is complete, but ${counted(damage.damaged, 'row')} ${damage.damaged === 1 ? 'was' : 'were'} damaged before it was taken. A restore brings back the rest:\n` +
          damageLines(damage)
            .map((damaged) => `  ${damaged}`)
            .join('\n'),
      );
    });
}
