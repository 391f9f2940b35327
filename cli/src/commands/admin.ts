import { counted } from '@notevault/protocol/values/counted.ts';
import { Command } from 'commander';
import { askPassword } from '../ask-password.ts';
import { configOf, mailOptions, storageOptions, withConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { withAdmin } from '../open-app.ts';

type Flags = Record<string, unknown>;
const print = (line: string) => process.stdout.write(`${line}\n`);

export function adminCommand(): Command {
  return new Command('admin')
    .description('Manage accounts, invites and plans; works while the server runs')
    .addCommand(createUser())
    .addCommand(setupToken())
    .addCommand(invite())
    .addCommand(setPlan())
    .addCommand(suspend())
    .addCommand(unsuspend())
    .addCommand(resetPassword())
    .addCommand(loginLink())
    .addCommand(resetSecondFactor())
    .addCommand(confirmEmail())
    .addCommand(testMail())
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
      print(`Created the account ${user.email} (${user.role}).`);
    });
}

function setupToken(): Command {
  return withConfig(new Command('setup-token'), storageOptions)
    .description('Show the link that creates the first account (it contains the setup token)')
    .action(async (flags: Flags) => {
      const link = await withAdmin(configOf(flags), (commands) => commands.setupLink());
      if (link === null) throw new CliError('An account exists already, so there is no setup token.');
      print(link);
    });
}

function invite(): Command {
  return withConfig(new Command('invite'), storageOptions)
    .description('Create an invite link, valid once and for 7 days; it is shown only once')
    .argument('[email]', 'only this e-mail may use the link')
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
    .description('Suspend an account: refuse its sign-ins and credentials')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.setSuspended(email, true));
      print(`${email} is suspended.`);
    });
}

function unsuspend(): Command {
  return withConfig(new Command('unsuspend'), storageOptions)
    .description('End the suspension of an account')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.setSuspended(email, false));
      print(`${email} is no longer suspended.`);
    });
}

function handOver(): Command {
  return withConfig(new Command('hand-over'), storageOptions)
    .description('Make a member the owner of a vault whose owner left or is suspended')
    .argument('<vault>', 'the id of the vault')
    .argument('<email>', 'the e-mail of the member')
    .action(async (vault: string, email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.handOver(vault, email));
      print(`${email} now owns the vault.`);
    });
}

function resetPassword(): Command {
  return withConfig(new Command('reset-password'), storageOptions)
    .description('Create a password reset link, valid once and for an hour; it is shown only once')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      print(await withAdmin(configOf(flags), (commands) => commands.issueReset(email)));
    });
}

function loginLink(): Command {
  return withConfig(new Command('login-link'), storageOptions)
    .description(
      'Create a link that signs in without a password, valid once and for ten minutes; it is shown only once',
    )
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      print(await withAdmin(configOf(flags), (commands) => commands.issueLoginLink(email)));
    });
}

function resetSecondFactor(): Command {
  return withConfig(new Command('reset-second-factor'), storageOptions)
    .description('Remove the authenticator app, recovery codes and passkeys of an account; the password stays')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.resetSecondFactor(email));
      print(`${email} now signs in with the password alone.`);
    });
}

function confirmEmail(): Command {
  return withConfig(new Command('confirm-email'), storageOptions)
    .description('Confirm the e-mail of an account, or with --all of every account, without a mail')
    .argument('[email]')
    .option('--all', 'of every account')
    .action(async (email: string | undefined, flags: Flags) => {
      if ((email === undefined) !== (flags.all === true)) throw new CliError('Name an account, or use --all.');
      const count = await withAdmin(configOf(flags), (commands) => commands.confirmEmail(email));
      print(`${counted(count, 'address', 'addresses')} confirmed.`);
    });
}

function testMail(): Command {
  return withConfig(new Command('test-mail'), [...storageOptions, ...mailOptions])
    .description('Send a mail to see whether the mail server takes it')
    .argument('<email>')
    .action(async (email: string, flags: Flags) => {
      await withAdmin(configOf(flags), (commands) => commands.testMail(email));
      print(`The mail server took a mail to ${email}.`);
    });
}
