export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Whether mails can be sent at all; where not, nobody should offer what needs one. */
  readonly isOn: boolean;
  /** Resolves once the mail server has accepted the mail. Throws MailError. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in to the mail server, without sending anything. Throws MailError. */
  check(): Promise<void>;
}

export type MailFailure = (typeof mailFailures)[number];

export const mailFailures = ['off', 'unreachable', 'sign_in_refused', 'mail_refused'] as const;

const SENTENCES: Readonly<Record<MailFailure, string>> = {
  off: 'this server sends no mail: set NOTEVAULT_SMTP_URL and NOTEVAULT_MAIL_FROM.',
  unreachable:
    'the mail server does not answer, or not as one does: see host, port and encryption of NOTEVAULT_SMTP_URL.',
  sign_in_refused: 'the mail server refuses the user or password of NOTEVAULT_SMTP_URL.',
  mail_refused: 'the mail server refuses the mail: see NOTEVAULT_MAIL_FROM and the address of the recipient.',
};

/** A mail could not be sent. The message names no address, because it may reach a log. */
export class MailError extends Error {
  override readonly name = 'MailError';
  readonly code: MailFailure;
  /** Whether the same mail will be refused again. */
  readonly isFinal: boolean;
  constructor(code: MailFailure, { isFinal = false, detail = '' } = {}) {
    super(`${SENTENCES[code]}${detail}`);
    this.code = code;
    this.isFinal = isFinal;
  }
}
