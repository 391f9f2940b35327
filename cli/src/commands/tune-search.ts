import type { TuningReport } from '@notevault/server/admin.ts';
import { Command } from 'commander';
import { storageOptions, withConfig } from '../config-flags.ts';
import { progressLine } from '../progress.ts';
import { vaultNamed, withVaults } from '../vaults-client.ts';

interface Flags extends Record<string, unknown> {
  readonly dryRun?: true;
  readonly json?: true;
}

const STEPS = { vectors: 'notes have vectors', queries: 'queries searched' };

export function tuneSearchCommand(): Command {
  return withConfig(new Command('tune-search'), storageOptions)
    .description('Choose how much the embedder counts in the searches of a vault; works beside a running server')
    .argument('[vault]', 'name of the vault (default: the default one)')
    .option('--user <email>', 'whose vault (default: the only account)')
    .option('--dry-run', 'only report; change nothing')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      `
Makes queries of the vault's own notes (titles, headings, sentences, words with typing errors) and searches with
several weights. A higher weight than the default of the embedder is kept only if it is better beyond chance on queries
that it was not chosen by; a lower one as soon as it is better. The weight is kept for this vault and model.`,
    )
    .action(async (name: string | undefined, { dryRun, json, ...rest }: Flags) => {
      const { report, vault } = await withVaults(rest, async (client) => {
        const found = await vaultNamed(client, name);
        const line = progressLine();
        const tuned = await client.tune(found.id, dryRun === true, ({ step, done, total }) =>
          line(`Vault "${found.name}": ${done} of ${total} ${STEPS[step]}`, false),
        );
        line(`Vault "${found.name}": ${tuned.queries} ${STEPS.queries}`, true);
        return { report: tuned, vault: found.name };
      });
      process.stdout.write(json === true ? `${JSON.stringify(report, null, 2)}\n` : shown(vault, report));
    });
}

function shown(vault: string, report: TuningReport): string {
  const { model, notes, queries, qualities, weight, defaultWeight } = report;
  const lines = [
    `Vault "${vault}", model ${model}: ${queries} queries made of ${notes} notes`,
    'Mean reciprocal rank of the right note, times 100, in the half to choose by and the half to check on:',
    ...qualities.map((own) => {
      const name = own.weight === defaultWeight ? ' (default)' : own.weight === 0 ? ' (words alone)' : '';
      return `  weight ${`${own.weight}${name}`.padEnd(18)} ${points(own.choose)}  ${points(own.check)}`;
    }),
    decision(report),
    report.saved ? `Searches of this vault use the weight ${weight}.` : 'Nothing was changed.',
  ];
  return `${lines.join('\n')}\n`;
}

const points = (value: number) => (100 * value).toFixed(1).padStart(5);

function decision({ weight, defaultWeight, higher }: TuningReport): string {
  if (weight > defaultWeight && higher !== null)
    return `The weight ${weight} is better than ${defaultWeight} beyond chance (p = ${higher.p.toFixed(4)}).`;
  if (weight < defaultWeight) return `The weight ${weight} is better than ${defaultWeight}.`;
  if (higher === null) return `No other weight is better than ${weight}.`;
  return `The weight ${higher.weight} may be better than ${weight} by chance (p = ${higher.p.toFixed(4)}).`;
}
