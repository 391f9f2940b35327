import type { MembersResponse } from '@notevault/protocol/members.ts';
import { Argument, Command } from 'commander';
import { vaultCommand } from '../config-flags.ts';
import { print } from '../print.ts';
import { vaultNamed, withVaults } from '../vaults-client.ts';

interface Flags extends Record<string, unknown> {
  readonly vault?: string;
  readonly email?: string;
}

export function membersCommand(): Command {
  return new Command('members')
    .description('List, invite and remove members of a vault; works while the server runs')
    .addCommand(list())
    .addCommand(invite())
    .addCommand(remove());
}

function list(): Command {
  return vaultCommand('list')
    .description('List a vault’s members and invitations')
    .action(async ({ vault: name, ...rest }: Flags) => {
      report(await withVaults(rest, async (client) => client.members((await vaultNamed(client, name)).id)));
    });
}

function report({ members, invitations = [] }: MembersResponse): void {
  for (const { role, email, display_name: shown, since } of members) {
    const person = [email ?? [], shown ?? 'No name'].flat().join('  ');
    print(`${role.padEnd(6)}  ${person}  since ${since.slice(0, 10)}`);
  }
  for (const { role, email, uses_left: uses, expires_at: until } of invitations) {
    print(`${role.padEnd(6)}  invited: ${email ?? `anyone, ${uses} times`}, until ${until.slice(0, 10)}`);
  }
}

function invite(): Command {
  return vaultCommand('invite')
    .description('Create a link to join a vault; it is shown only once')
    .addArgument(new Argument('<role>', 'role of the new member').choices(['viewer', 'editor']))
    .option('--email <email>', 'only the account with this e-mail may accept it')
    .action(async (role: 'viewer' | 'editor', { vault: name, email, ...rest }: Flags) => {
      const invitation = { role, email: email ?? null };
      const url = await withVaults(rest, async (client) =>
        client.invite((await vaultNamed(client, name)).id, invitation),
      );
      print(url);
    });
}

function remove(): Command {
  return vaultCommand('remove')
    .description('Remove a member from a vault; copies on their devices stay')
    .argument('<email>')
    .action(async (email: string, { vault: name, ...rest }: Flags) => {
      await withVaults(rest, async (client) => client.removeMember((await vaultNamed(client, name)).id, email));
      print(`${email} is no longer a member of the vault.`);
    });
}
