import { resolve } from 'node:path';
import { counted } from '@notevault/protocol/values/counted.ts';
import { Command } from 'commander';
import { type VaultClientFlags, withVaultClient, withVaultClientFlags } from '../copy/with-vault-client.ts';
import { type ExportSummary, exportVault } from '../export/export.ts';
import { prepareFolder } from '../export/folder-writer.ts';
import { print } from '../print.ts';
import { progressLine } from '../progress.ts';

interface Flags extends VaultClientFlags {
  readonly overwrite?: boolean;
}

export function exportCommand(): Command {
  return withVaultClientFlags(new Command('export'))
    .description('Write a vault’s notes and attachments as plain files, with their modification times')
    .argument('<vault>', 'the name of the vault')
    .argument('<folder>', 'destination; created if missing, must be empty')
    .option('--overwrite', 'write into a non-empty folder, replacing files of the same name; other files stay')
    .action(async (vault: string, folder: string, flags: Flags) => {
      const root = resolve(folder);
      await prepareFolder(root, flags.overwrite ?? false);
      const exported = await withVaultClient(flags, { name: vault, make: 'never' }, (client) => {
        const line = progressLine();
        return exportVault(root, client, (step, done, of) => line(`Writing ${step}: ${done} of ${of}`, done === of));
      });
      report(vault, root, exported);
      if (exported.failed.length > 0) process.exitCode = 1;
    });
}

function report(vault: string, root: string, { notes, attachments, failed }: ExportSummary): void {
  print(
    `Vault "${vault}" in ${root}: ${counted(notes, 'note')}, ${counted(attachments, 'attachment')}, identical to the vault’s`,
  );
  if (failed.length === 0) return;
  print(`  failed       ${failed.length}`);
  for (const { path, why } of failed) print(`    ${path}: ${why}`);
}
