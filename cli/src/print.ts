import { counted } from '@notevault/protocol/values/counted.ts';

/** Characters that control a terminal: control characters and marks that change the writing direction. */
const UNSHOWN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns a text as a single line of the same length, without characters that control a terminal: names and messages
 * may come from untrusted files and servers.
 */
export function printable(text: string): string {
  return text.replace(/[\t-\r]/g, ' ').replace(UNSHOWN, '\ufffd');
}

/** Prints one line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** Prints one line on standard error. */
export function printNote(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/** Prints a value as JSON on one line of standard output. */
export function printJson(value: unknown): void {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  process.stdout.write(`${JSON.stringify(value).replace(UNSHOWN, escaped)}\n`);
}

/** Returns the numbers of vaults, notes and attachments as text: `2 vaults, 10 notes, 3 attachments`. */
export function totalsText(totals: {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
}): string {
  const { vaults, notes, attachments } = totals;
  return `${counted(vaults, 'vault')}, ${counted(notes, 'note')}, ${counted(attachments, 'attachment')}`;
}
