import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { adminSocketPath, DataFolderBusy } from '@notevault/server/data-folder.ts';
import { Command } from 'commander';
import { adminClient } from '../admin-client.ts';
import { configOf, storageOptions, withConfig } from '../config-flags.ts';
import { CliError } from '../explain.ts';
import { type Door, localDoor, remoteDoor } from '../import/doors.ts';
import { importFolder, type Summary } from '../import/import.ts';
import { openApp } from '../open-app.ts';
import { progressLine } from '../progress.ts';

interface Flags extends Record<string, unknown> {
  readonly vault?: string;
  readonly user?: string;
  readonly url?: string;
  readonly token?: string;
}

export function importCommand(): Command {
  return withConfig(new Command('import'), [...storageOptions, 'plans', 'defaultPlan'])
    .description('Copy the markdown files of a folder into a vault; again changes nothing but what differs')
    .argument('<folder>')
    .option('--vault <name>', 'the vault, made when there is none of that name (default: the name of the folder)')
    .option('--user <email>', 'whose vault (default: the only account)')
    .option('--url <url>', 'a running server to import into, with --token')
    .option('--token <token>', 'an access token for it')
    .action(async (folder: string, flags: Flags) => {
      const root = resolve(folder);
      if (!(await stat(root)).isDirectory()) throw new CliError(`${folder} is no folder.`);
      if ((flags.url === undefined) !== (flags.token === undefined)) {
        throw new CliError('--url and --token go together: the server to write to, and the credential to do it with.');
      }
      if (flags.url !== undefined && !/^https?:$/.test(URL.parse(flags.url)?.protocol ?? '')) {
        throw new CliError(`--url is "${flags.url}": it must be an address such as https://notes.example.org.`);
      }
      const vault = flags.vault ?? basename(root);
      const summary = await withDoor(flags, vault, (door) => {
        const line = progressLine();
        return importFolder(root, door, (step, done, of) =>
          line(`${step === 'write' ? 'Writing' : 'Checking'} ${done} of ${of} notes`, done === of),
        );
      }).catch(explainAccount(flags.user));
      report(vault, summary);
      if (summary.failed.length > 0) process.exitCode = 1;
    });
}

/** The catalogue speaks of the e-mail that was sent; here there was none. */
function explainAccount(user: string | undefined): (error: unknown) => never {
  return (error) => {
    if (user !== undefined || !(error instanceof NotevaultError) || error.code !== 'account_not_found') throw error;
    throw new CliError(
      'Whose vault? There is no account, or more than one: make one with "notevault admin create-user", or name one with --user.',
    );
  };
}

/** Through the server named, else straight into the data folder, else through the server that works in it. */
async function withDoor(flags: Flags, vault: string, work: (door: Door) => Promise<Summary>): Promise<Summary> {
  const { url, token, user } = flags;
  if (url !== undefined && token !== undefined) return work(await remoteDoor(url, async () => token, vault));
  const config = configOf(flags);
  try {
    await using app = await openApp(config);
    return await work(await localDoor(app, user, vault));
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
  }
  const admin = adminClient(adminSocketPath(config.dataDir));
  const session = await admin.openSession(user);
  return work(await remoteDoor(session.url, async () => (await admin.openSession(user)).token, vault));
}

function report(vault: string, summary: Summary): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(
    `Vault "${vault}": ${summary.notes} notes (${summary.written} written, ${summary.notes - summary.written} unchanged)`,
  );
  print(`  links        ${summary.links}, of them ${summary.dangling} dangling`);
  print(`  degraded     ${summary.degraded.length} with unusable frontmatter`);
  for (const path of summary.degraded) print(`    ${path}`);
  print(`  attachments  ${summary.attachments} counted, not imported: this version keeps notes only`);
  print(`  skipped      ${summary.skipped.length}`);
  for (const { path, why } of summary.skipped) print(`    ${path}: ${why}`);
  if (summary.failed.length === 0) return;
  print(`  failed       ${summary.failed.length}`);
  for (const { path, why } of summary.failed) print(`    ${path}: ${why}`);
}
