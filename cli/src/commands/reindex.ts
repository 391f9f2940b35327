import { Command } from 'commander';
import { storageOptions, withConfig } from '../config-flags.ts';
import { progressLine } from '../progress.ts';
import { vaultNamed, withVaults } from '../vaults-client.ts';

export function reindexCommand(): Command {
  return withConfig(new Command('reindex'), storageOptions)
    .description('Rebuild search indexes from the notes; works while the server runs')
    .argument('[vault]', 'name of the vault (default: all vaults of the account)')
    .option('--user <email>', 'the account that owns the vaults (default: the only account)')
    .action(async (name: string | undefined, flags: Record<string, unknown>) => {
      await withVaults(flags, async (client) => {
        const vaults = name === undefined ? await client.vaults() : [await vaultNamed(client, name)];
        for (const vault of vaults) {
          const line = progressLine();
          const report = (notes: number, done: boolean) =>
            line(`Vault "${vault.name}": ${notes} of ${vault.note_count} notes indexed`, done);
          report(await client.rebuild(vault.id, (notes) => report(notes, false)), true);
        }
      });
    });
}
