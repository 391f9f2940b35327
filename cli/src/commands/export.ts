import { resolve } from 'node:path';
import { Command } from 'commander';
import { type DoorFlags, withDoor, withDoorFlags } from '../copy/with-door.ts';
import { type Exported, exportVault } from '../export/export.ts';
import { prepareFolder } from '../export/writing.ts';
import { progressLine } from '../progress.ts';

interface Flags extends DoorFlags {
  readonly overwrite?: boolean;
}

export function exportCommand(): Command {
  return withDoorFlags(new Command('export'))
    .description('Write a vault as plain files, notes and attachments, with the times they were last changed')
    .argument('<vault>', 'the name of the vault')
    .argument('<folder>', 'made when it is not there; it must be empty')
    .option('--overwrite', 'write into a folder that is not empty, over files of the same name; others stay')
    .action(async (vault: string, folder: string, flags: Flags) => {
      const root = resolve(folder);
      await prepareFolder(root, flags.overwrite ?? false);
      const exported = await withDoor(flags, { name: vault, make: false }, (door) => {
        const line = progressLine();
        return exportVault(root, door, (step, done, of) => line(`Writing ${step}: ${done} of ${of}`, done === of));
      });
      report(vault, root, exported);
      if (exported.failed.length > 0) process.exitCode = 1;
    });
}

function report(vault: string, root: string, { notes, attachments, failed }: Exported): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(`Vault "${vault}" in ${root}: ${notes} notes, ${attachments} attachments, each as the vault has it`);
  if (failed.length === 0) return;
  print(`  failed       ${failed.length}`);
  for (const { path, why } of failed) print(`    ${path}: ${why}`);
}
