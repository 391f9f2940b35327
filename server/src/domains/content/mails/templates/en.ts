import type { MailTexts } from './kinds.ts';

export const en: MailTexts = {
  confirm: {
    subject: 'Confirm your e-mail address on {host}',
    paragraphs: ['A Notevault account on {host} has this e-mail address. If it is yours, confirm it:'],
    button: 'Confirm the address',
    after: ['The link works once, for a day. If the account is not yours, ignore this mail.'],
  },
  reset: {
    subject: 'Set a new password on {host}',
    paragraphs: ['Somebody asked for a new password for your Notevault account on {host}. If it was you, choose one:'],
    button: 'Choose a password',
    after: ['The link works once, for an hour. If it was not you, ignore this mail: your password stays as it is.'],
  },
  invitation: {
    subject: 'You are invited to Notevault on {host}',
    paragraphs: ['{by} invites you to Notevault on {host}.'],
    button: 'See the invitation',
    after: ['If you do not know who this is, ignore this mail.'],
  },
  sign_in: {
    subject: 'New sign-in on {host}',
    paragraphs: [
      'Somebody signed in to your Notevault account on {host} from a network that was not used in the last 90 days.',
      'Time: {at}. Address: {address}. Program: {program}.',
    ],
    button: 'Open Notevault',
    after: ['If it was not you, end the session in the settings under “Sessions” and change your password.'],
  },
  passkey_copied: {
    subject: 'A passkey may have been copied on {host}',
    paragraphs: [
      'Somebody signed in with the passkey “{name}” of your Notevault account on {host}, and its counter had gone back. The passkey may have been copied, so the sign-in was refused.',
      'Time: {at}.',
    ],
    button: 'Open Notevault',
    after: ['Sign in another way, delete the passkey in the settings and add a new one.'],
  },
  test: {
    subject: 'Test mail from Notevault on {host}',
    paragraphs: ['“notevault admin test-mail” sent this mail. Notevault on {host} can send mails.'],
  },
};
