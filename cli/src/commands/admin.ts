import { Command } from 'commander';
import { askPassword } from '../ask-password.ts';
import { configOf, storageOptions, withConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { withAdmin } from '../open-app.ts';

type Flags = Record<string, unknown>;
const print = (line: string) => process.stdout.write(`${line}\n`);

export function adminCommand(): Command {
  return new Command('admin')
    .description('Accounts, invites and plans; works beside a running server')
    .addCommand(createUser())
    .addCommand(setupToken())
    .addCommand(invite())
    .addCommand(setPlan())
    .addCommand(suspend())
    .addCommand(unsuspend())
    .addCommand(resetPassword())
    .addCommand(handOver());
}

function createUser(): Command {
  return withConfig(new Command('create-user'), [...storageOptions, 'defaultPlan', 'plans'])
    .description('Create an account; the first one becomes the admin')
    .argument('<email>')
    .option('--admin', 'make the account an admin')
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .action(async (email: string, flags: Flags) => {
      const config = configOf(flags);
      const password = await askPassword(flags.passwordStdin === true);
      const role = flags.admin === true ? 'admin' : 'member';
      const user = await withAdmin(config, (commands) => commands.createUser(email, password, role), true);
      print(`Made the account ${user.email} (${user.role}).`);
    });
}

function setupToken(): Command {
  return withConfig(new Command('setup-token'), storageOptions)
    .description('Show the link to the page that makes the first account, with its setup token')
    .action(async (flags: Flags) => {
      const link = await withAdmin(configOf(flags), (commands) => commands.setupLink());
      if (link === null) throw new CliError('There is an account already, so there is no setup token.');
      print(link);
    });
}

function invite(): Command {
  return withConfig(new Command('invite'), storageOptions)
    .description('Create a link to join this server, once and within 7 days; it is shown only once')
    .argument('[email]', 'only this e-mail may use it')
    .action(async (email: string | undefined, flags: Flags) => {
      print(await withAdmin(configOf(flags), (commands) => commands.invite(email)));
    });
}

function setPlan(): Command {
  return withConfig(new Command('set-plan'), [...storageOptions, 'plans'])
    .description('Change the plan of an account')
    .argument('<email>')
    .argument('<plan>')
    .action(async (email: string, plan: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.setPlan(email, plan));
      print(`${email} is on the plan ${plan}.`);
    });
}

function suspend(): Command {
  return withConfig(new Command('suspend'), storageOptions)
    .description('Refuse every sign-in and credential of an account until it is unsuspended')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.setSuspended(email, true));
      print(`${email} is suspended.`);
    });
}

function unsuspend(): Command {
  return withConfig(new Command('unsuspend'), storageOptions)
    .description('Let a suspended account be used again')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.setSuspended(email, false));
      print(`${email} may be used again.`);
    });
}

function handOver(): Command {
  return withConfig(new Command('hand-over'), storageOptions)
    .description('Make a member the owner of a vault, whose owner has left or is suspended')
    .argument('<vault>', 'the id of the vault')
    .argument('<email>', 'the e-mail of the member')
    .action(async (vault: string, email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.handOver(vault, email));
      print(`${email} owns the vault.`);
    });
}

function resetPassword(): Command {
  return withConfig(new Command('reset-password'), storageOptions)
    .description('Create a link that sets a new password, once and within an hour; it is shown only once')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      print(await withAdmin(configOf(flags), (commands) => commands.issueReset(email)));
    });
}
