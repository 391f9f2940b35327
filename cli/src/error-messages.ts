import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import { DAMAGE_HELP } from '@notevault/server/data/damage-help.ts';
import { printNote } from './print.ts';

/** Errors whose message is written for users of the command line. */
const MESSAGES = new Set([
  ...[
    'ConfigError',
    'KeyringError',
    'DataFolderBusy',
    'DataFolderFull',
    'DataFolderUnusable',
    'NoRoomForUpgrade',
    'DatabaseError',
    'CliError',
    'SchemaError',
  ],
  ...['BackupError', 'BackupDamaged'],
  ...['FolderGone', 'FolderEnded', 'ServerStopped', 'ServerUnreachable', 'NewerState'],
]);

/** The exit code of a sync whose folder is not synced any more. */
export const EXIT_ENDED = 3;

/** An error that ends a command; its message says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** Rewrites an error that mentions the e-mail sent, for a command line without an e-mail. */
export function accountMessage(user: string | undefined, error: unknown): unknown {
  if (user !== undefined || !(error instanceof NotevaultError) || error.code !== 'account_not_found') return error;
  return new CliError(
    'Whose vault? There is no account, or more than one: make one with "notevault admin create-user", or name one with --user.',
  );
}

/** The exit code after an error. One is for those that a service manager had better not start again after. */
export function exitCodeOf(error: unknown): number {
  return error instanceof Error && error.name === 'FolderEnded' ? EXIT_ENDED : 1;
}

/** Prints the message of an error on standard error. */
export function printError(error: unknown): void {
  for (const line of errorMessage(error).split('\n')) printNote(line);
}

/** The message for an error that ended a command. */
export function errorMessage(error: unknown): string {
  if (error instanceof NotevaultError) {
    if (error.code === 'validation') return `notevault: ${faultsOf(error.details.errors)}.`;
    const details = Object.keys(error.details).length === 0 ? '' : ` ${JSON.stringify(error.details)}`;
    return `notevault: ${errors[error.code].help}${details}`;
  }
  if (!(error instanceof Error)) return `notevault: ${String(error)}`;
  if (error.name === 'DatabaseError' && (error as { damaged?: boolean }).damaged === true) {
    return `notevault: ${error.message}. ${DAMAGE_HELP}`;
  }
  if (error.name === 'BlobError') {
    return `notevault: where attachments are stored: ${error.message} "notevault doctor" says more.`;
  }
  if (MESSAGES.has(error.name)) return `notevault: ${error.message}`;
  if (error instanceof ApiError) return `notevault: ${rejectionOf(error)}`;
  if (error instanceof ConnectionError) return `notevault: ${unreachable(error)}`;
  const { code, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') {
    return `notevault: ${address}:${port} is in use. Is notevault running already? Else give another --port.`;
  }
  if (code === 'EADDRNOTAVAIL') return `notevault: this machine has no address ${address}. Give another --host.`;
  if (code === 'EACCES' && port !== undefined) {
    return `notevault: no permission to listen on port ${port}: take one from 1024 on.`;
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `notevault: no permission: ${path ?? error.message}`;
  if (code === 'ENOSPC') return `notevault: the disk is full${path === undefined ? '' : `: ${path}`}.`;
  if (code === 'ENOENT') return `notevault: there is no ${path ?? 'such file'}.`;
  return `notevault: unexpected failure.\n${error.stack ?? error.message}`;
}

/** The faults of each field as one sentence: `plan must be one of free, pro`. */
function faultsOf(fields: unknown): string {
  const faults = Object.entries((fields ?? {}) as Record<string, readonly string[]>);
  return faults.flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`)).join('; ');
}

function rejectionOf({ status, message, body }: ApiError): string {
  if (status === 422 && typeof body.errors === 'object') return `${faultsOf(body.errors)}.`;
  const hint = status === 401 ? ' Sign in again, and give the new access token as --token.' : '';
  return `the server answered ${status}: ${message}.${hint}`;
}

/**
 * Finds the reason that `fetch` hides in the cause of its error. A name with several addresses has an error for each.
 */
function unreachable({ message, cause }: ConnectionError): string {
  const reason = cause instanceof Error ? cause.cause : undefined;
  const first = reason instanceof AggregateError ? reason.errors[0] : reason;
  return first instanceof Error ? `the server cannot be reached (${first.message}).` : `${message}.`;
}
