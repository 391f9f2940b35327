import { Command } from 'commander';
import { storageOptions, withConfig } from '../config-flags.ts';
import { progressLine } from '../progress.ts';
import { vaultNamed, withVaults } from '../vault-door.ts';

export function reindexCommand(): Command {
  return withConfig(new Command('reindex'), storageOptions)
    .description('Make search indexes anew from the notes; works beside a running server')
    .argument('[vault]', 'name of the vault (default: all of the account)')
    .option('--user <email>', 'whose vaults (default: the only account)')
    .action(async (name: string | undefined, flags: Record<string, unknown>) => {
      await withVaults(flags, async (door) => {
        const vaults = name === undefined ? await door.vaults() : [await vaultNamed(door, name)];
        for (const vault of vaults) {
          const line = progressLine();
          const say = (notes: number, done: boolean) =>
            line(`Vault "${vault.name}": ${notes} of ${vault.note_count} notes indexed`, done);
          say(await door.rebuild(vault.id, (notes) => say(notes, false)), true);
        }
      });
    });
}
