import { MailError, type Mailer } from './mail.ts';

/** The mailer of a server without a mail server. */
export function noMailer(): Mailer {
  const refuse = async () => {
    throw new MailError('off', { isFinal: true });
  };
  return { isOn: false, send: refuse, check: refuse };
}
