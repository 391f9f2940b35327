import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { counted } from '@notevault/protocol/values/counted.ts';
import { Command } from 'commander';
import { type VaultClientFlags, withVaultClient, withVaultClientFlags } from '../copy/with-vault-client.ts';
import { CliError } from '../error-messages.ts';
import { importFolder, type Step, type Summary } from '../import/import.ts';
import { print } from '../print.ts';
import { progressLine } from '../progress.ts';

interface Flags extends VaultClientFlags {
  readonly vault?: string;
}

const STEPS: Readonly<Record<Step, string>> = {
  notes: 'Writing notes:',
  attachments: 'Uploading attachments:',
  check: 'Checking notes:',
};

export function importCommand(): Command {
  return withVaultClientFlags(new Command('import'))
    .description('Copy a folder’s files into a vault; a repeated import writes only changed files')
    .argument('<folder>')
    .option('--vault <name>', 'name of the vault, created if missing (default: the folder’s name)')
    .action(async (folder: string, flags: Flags) => {
      const root = resolve(folder);
      if (!(await stat(root)).isDirectory()) throw new CliError(`${folder} is not a folder.`);
      const vault = flags.vault ?? basename(root);
      const summary = await withVaultClient(flags, { name: vault, make: 'if-missing' }, (client) => {
        const line = progressLine();
        return importFolder(root, client, (step, done, of) => line(`${STEPS[step]} ${done} of ${of}`, done === of));
      });
      report(vault, summary);
      if (summary.failed.length > 0) process.exitCode = 1;
    });
}

function report(vault: string, summary: Summary): void {
  const { notes, written, attachments, uploaded } = summary;
  print(`Vault "${vault}": ${counted(notes, 'note')} (${written} written, ${notes - written} unchanged)`);
  print(`  attachments  ${attachments} (${uploaded} uploaded, ${attachments - uploaded} unchanged)`);
  print(`  links        ${summary.links}, ${summary.dangling} of them dangling`);
  print(`  degraded     ${summary.degraded.length} with unusable frontmatter`);
  for (const path of summary.degraded) print(`    ${path}`);
  print(`  skipped      ${summary.skipped.length}`);
  for (const { path, why } of summary.skipped) print(`    ${path}: ${why}`);
  if (summary.failed.length === 0) return;
  print(`  failed       ${summary.failed.length}`);
  for (const { path, why } of summary.failed) print(`    ${path}: ${why}`);
}
