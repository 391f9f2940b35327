import type { Mail } from '../../../../ports/mail/mail.ts';

/** Values in the text of each kind of mail. */
export interface MailValues {
  readonly confirm: { readonly link: string };
  readonly reset: Record<never, string>;
  readonly invitation: { readonly link: string; readonly by: string };
  readonly sign_in: { readonly at: string; readonly address: string; readonly program: string };
  readonly passkey_copied: { readonly at: string; readonly name: string };
  readonly test: Record<never, string>;
}
export type MailKind = keyof MailValues;
export const mailKinds = [
  'confirm',
  'reset',
  'invitation',
  'sign_in',
  'passkey_copied',
  'test',
] as const satisfies readonly MailKind[];

/** The texts of one mail; values are filled in where their names stand in braces. */
export interface MailText {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The label of the button that opens the link. */
  readonly button?: string;
  /** Follows the link. */
  readonly after?: readonly string[];
}
export type MailTexts = Readonly<Record<MailKind, MailText>>;

/** Address and language of a mail, and the server that sends it. */
export interface Letter {
  readonly to: string;
  /** BCP 47; English for null, and for languages in which there are no mails. */
  readonly locale: string | null;
  readonly publicUrl: string;
}

export type RenderMail = (kind: MailKind, values: Readonly<Record<string, string>>, letter: Letter) => Mail;
