import type { PublicLink } from '@notevault/protocol/public-links.ts';
import { Command, InvalidArgumentError } from 'commander';
import { askPassword } from '../ask-password.ts';
import { vaultCommand } from '../config-flags.ts';
import { print, printJson } from '../print.ts';
import { vaultNamed, withVaults } from '../vaults-client.ts';

interface Flags extends Record<string, unknown> {
  readonly vault?: string;
  readonly days?: number;
  readonly password?: true;
  readonly passwordStdin?: true;
  readonly json?: true;
}

const DAY_SECONDS = 24 * 60 * 60;

export function linksCommand(): Command {
  return new Command('links')
    .description('List, make and end public links of a vault; works while the server runs')
    .addCommand(list())
    .addCommand(make())
    .addCommand(end());
}

function list(): Command {
  return vaultCommand('list')
    .description('List a vault’s public links with their last use')
    .option('--json', 'print JSON, as the API returns it')
    .action(async ({ vault: name, json, ...rest }: Flags) => {
      const links = await withVaults(rest, async (client) => client.publicLinks((await vaultNamed(client, name)).id));
      if (json === true) printJson(links);
      else for (const link of links) print(lineOf(link));
    });
}

function lineOf({ id, kind, path, has_password, expires_at, last_used_at }: PublicLink): string {
  const facts = [
    last_used_at === null ? 'never opened' : `last opened ${last_used_at.slice(0, 16).replace('T', ' ')}`,
    ...(expires_at === null ? [] : [`until ${expires_at.slice(0, 10)}`]),
    ...(has_password ? ['with a password'] : []),
  ];
  return `${id}  ${kind.padEnd(6)}  ${path ?? '(deleted)'}  ${facts.join(', ')}`;
}

function make(): Command {
  return vaultCommand('make')
    .description('Make a public link to a note (a path that ends in .md) or a folder; it is shown only once')
    .argument('<path>')
    .option('--days <number>', 'days after which it expires (default: never)', daysOf)
    .option('--password', 'ask for a password that readers have to enter')
    .option('--password-stdin', 'read that password from the first line of standard input')
    .action(async (path: string, { vault: name, days, password, passwordStdin, ...rest }: Flags) => {
      const isProtected = password === true || passwordStdin === true;
      const options = {
        ...(days === undefined ? {} : { expires_in: days * DAY_SECONDS }),
        ...(isProtected ? { password: await askPassword(passwordStdin === true) } : {}),
      };
      print(
        await withVaults(rest, async (client) =>
          client.makePublicLink((await vaultNamed(client, name)).id, path, options),
        ),
      );
    });
}

function daysOf(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > 366) throw new InvalidArgumentError('Use 1 to 366 days.');
  return Number(text);
}

function end(): Command {
  return vaultCommand('end')
    .description('End a public link at once')
    .argument('<id>', 'the id in the list')
    .action(async (id: string, { vault: name, ...rest }: Flags) => {
      await withVaults(rest, async (client) => client.endPublicLink((await vaultNamed(client, name)).id, id));
      print('The public link is ended.');
    });
}
