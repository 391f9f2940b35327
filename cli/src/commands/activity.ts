import { ApiError } from '@notevault/client/transport.ts';
import type { ActivityItem, ActivityQuery, ActivityUndone } from '@notevault/protocol/activity.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import type { Command } from 'commander';
import { vaultCommand } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { print, printJson } from '../print.ts';
import { vaultNamed, withVaults } from '../vaults-client.ts';

interface Flags extends Record<string, unknown> {
  readonly vault?: string;
  readonly limit: string;
  readonly since?: string;
  readonly diffs?: true;
  readonly dryRun?: true;
  readonly json?: true;
}

function command(name: string): Command {
  return vaultCommand(name).option('--json', 'print JSON, as the API returns it');
}

export function activityCommand(): Command {
  return command('activity')
    .description('List who did what in a vault, newest first; works while the server runs')
    .option('--limit <number>', 'maximum number of activities, 1 to 100', '20')
    .option('--since <time>', 'only what was done after this time (ISO 8601)')
    .option('--diffs', 'show what changed in each note')
    .action(async ({ vault: name, limit, since, diffs, json, ...rest }: Flags) => {
      const query: ActivityQuery = {
        limit,
        ...(since === undefined ? {} : { since: timeOf(since) }),
        ...(diffs === true ? { diffs: 'true' } : {}),
      };
      const { items } = await withVaults(rest, async (client) =>
        client.activity((await vaultNamed(client, name)).id, query),
      );
      if (json === true) printJson(items);
      else for (const item of items) printItem(item);
    });
}

/** Throws CliError. */
function timeOf(sent: string): string {
  const time = new Date(sent);
  if (Number.isNaN(time.getTime())) throw new CliError(`"${sent}" is not a time; write one like 2026-12-01T08:00:00Z.`);
  return time.toISOString();
}

function printItem({
  id,
  at,
  actor,
  action,
  count,
  paths,
  people,
  undone_by: undone,
  changes = [],
}: ActivityItem): void {
  const who = actor.display_name ?? (actor.name === '' ? 'someone' : actor.name);
  const program = actor.client === undefined ? '' : ` (${actor.client})`;
  const what = people === undefined ? `${action}, ${counted(count, 'change')}` : people.change.replace('_', ' ');
  print(`${id}  ${at.slice(0, 16).replace('T', ' ')}  ${who}${program}  ${what}${undone === null ? '' : ', undone'}`);
  for (const path of changes.length > 0 ? [] : paths) print(`    ${path}`);
  for (const { op, path, from, difference = [] } of changes) {
    print(`    ${op} ${from === undefined ? '' : `${from} → `}${path}`);
    const signs = { same: '', added: '+', removed: '-' } as const;
    for (const { kind, text } of difference) if (kind !== 'same') print(`      ${signs[kind]} ${text}`);
  }
}

export function undoCommand(): Command {
  return command('undo')
    .description('Undo an activity and keep what others changed since; works while the server runs')
    .argument('<activity>', 'id of the activity, as `activity` lists it')
    .option('--dry-run', 'only show what would change and what would be left')
    .action(async (activity: string, { vault: name, dryRun, json, ...rest }: Flags) => {
      const outcome = await withVaults(rest, async (client) =>
        client.undo((await vaultNamed(client, name)).id, activity, dryRun === true).catch(unknownActivity),
      );
      if (json === true) printJson(outcome);
      else report(outcome, dryRun === true);
    });
}

/** Rethrows an error; a server's answer that there is no such activity becomes `activity_not_found`. */
function unknownActivity(error: unknown): never {
  const isUnknown = error instanceof ApiError && error.status === 404;
  throw isUnknown ? new NotevaultError('activity_not_found', {}, error) : error;
}

function report({ undone, merged, left, changes = [] }: ActivityUndone, isDry: boolean): void {
  for (const { op, path, from } of changes) print(`${op} ${from === undefined ? '' : `${from} → `}${path}`);
  const kept = merged === 0 ? '' : `; ${counted(merged, 'note')} with later changes, which stay`;
  print(`${isDry ? 'Would undo' : 'Undone'}: ${counted(undone, 'entry', 'entries')}${kept}.`);
  for (const { path, reason } of left) print(`left: ${path} (${reason.replaceAll('_', ' ')})`);
}
