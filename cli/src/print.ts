import { counted } from '@notevault/protocol/values/counted.ts';

/** What a terminal obeys instead of showing it: control characters, and marks that turn the direction of what follows. */
const UNSHOWN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text as one line that cannot control a terminal or look like another line: names and messages come from files and
 * servers of others. It keeps its length.
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

/** How much a server or a backup holds. */
export function totalsText(totals: {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
}): string {
  const { vaults, notes, attachments } = totals;
  return `${counted(vaults, 'vault')}, ${counted(notes, 'note')}, ${counted(attachments, 'attachment')}`;
}
