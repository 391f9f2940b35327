import { errors, NotevaultError } from '@notevault/protocol/errors.ts';

/** Errors whose message was written for the person at the terminal. */
const SPOKEN = new Set(['ConfigError', 'KeyringError', 'DataFolderBusy', 'DatabaseError', 'CliError', 'SchemaError']);

/** A command cannot go on; the message says what to do. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** What a person is told about an error that ended a command. */
export function explain(error: unknown): string {
  if (error instanceof NotevaultError) {
    const details = Object.keys(error.details).length === 0 ? '' : ` ${JSON.stringify(error.details)}`;
    return `notevault: ${errors[error.code].help}${details}`;
  }
  if (!(error instanceof Error)) return `notevault: ${String(error)}`;
  if (SPOKEN.has(error.name)) return `notevault: ${error.message}`;
  const { code, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE') {
    return `notevault: ${address}:${port} is in use. Is notevault running already? Else give another --port.`;
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `notevault: no permission: ${path ?? error.message}`;
  if (code === 'ENOENT') return `notevault: there is no ${path ?? 'such file'}.`;
  return `notevault: unexpected failure.\n${error.stack ?? error.message}`;
}
