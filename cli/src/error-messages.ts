import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import { DAMAGE_HELP } from '@notevault/server/data/damage-help.ts';
import { printNote } from './print.ts';

/** Errors whose message is written for users of the command line. */
const MESSAGES = new Set([
  ...[
    'ConfigError',
    'CertificateUnusable',
    'KeyringError',
    'DataFolderBusy',
    'DataFolderFull',
    'DataFolderUnusable',
    'NoRoomForUpgrade',
    'PackagesMissing',
    'DatabaseError',
    'CliError',
    'SchemaError',
  ],
  ...['BackupError', 'BackupDamaged'],
  ...['FolderGone', 'FolderEnded', 'ServerStopped', 'ServerUnreachable', 'NewerState'],
]);

/** Exit code of a sync whose folder is no longer synced. */
export const EXIT_ENDED = 3;

/** An error that ends a command; its message says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** Replaces "no account has this e-mail" when no e-mail was given on the command line. */
export function accountMessage(user: string | undefined, error: unknown): unknown {
  if (user !== undefined || !(error instanceof NotevaultError) || error.code !== 'account_not_found') return error;
  return new CliError(
    'Name the account with --user: there is none, or more than one. "notevault admin create-user" creates one.',
  );
}

/** Returns the exit code for an error. EXIT_ENDED tells a service manager not to restart the command. */
export function exitCodeOf(error: unknown): number {
  return error instanceof Error && error.name === 'FolderEnded' ? EXIT_ENDED : 1;
}

/** Prints the message of an error on standard error. */
export function printError(error: unknown): void {
  for (const line of errorMessage(error).split('\n')) printNote(line);
}

/** Returns the message that a command prints for an error. */
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
    return `notevault: attachment storage: ${error.message} Run "notevault doctor" for details.`;
  }
  if (MESSAGES.has(error.name)) return `notevault: ${error.message}`;
  if (error instanceof ApiError) return `notevault: ${rejectionOf(error)}`;
  if (error instanceof ConnectionError) return `notevault: ${unreachable(error)}`;
  const { code, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') {
    return `notevault: ${address}:${port} is in use. Notevault may already be running; otherwise choose another --port.`;
  }
  if (code === 'EADDRNOTAVAIL') return `notevault: this machine has no address ${address}. Choose another --host.`;
  if (code === 'EACCES' && port !== undefined) {
    return `notevault: no permission to listen on port ${port}: choose one from 1024 up.`;
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `notevault: no permission: ${path ?? error.message}`;
  if (code === 'ENOSPC') return `notevault: the disk is full${path === undefined ? '' : `: ${path}`}.`;
  if (code === 'ENOENT') return `notevault: ${path ?? 'the file'} does not exist.`;
  return `notevault: unexpected error.\n${error.stack ?? error.message}`;
}

/** Returns the validation errors of all fields as one sentence: `plan must be one of free, pro`. */
function faultsOf(fields: unknown): string {
  const faults = Object.entries((fields ?? {}) as Record<string, readonly string[]>);
  return faults.flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`)).join('; ');
}

function rejectionOf({ status, message, body }: ApiError): string {
  if (status === 422 && typeof body.errors === 'object') return `${faultsOf(body.errors)}.`;
  const hint = status === 401 ? ' Sign in again, and pass the new access token with --token.' : '';
  return `the server answered ${status}: ${message}.${hint}`;
}

/**
 * Returns the reason that `fetch` hides in the cause of its error. A host with several addresses has one error for each.
 */
function unreachable({ message, cause }: ConnectionError): string {
  const reason = cause instanceof Error ? cause.cause : undefined;
  const first = reason instanceof AggregateError ? reason.errors[0] : reason;
  return first instanceof Error ? `the server cannot be reached (${first.message}).` : `${message}.`;
}
