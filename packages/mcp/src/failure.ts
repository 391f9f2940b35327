import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { PathError } from '@notevault/note-text/paths.ts';
import { type ErrorEntry, errors } from '@notevault/protocol/errors.ts';
import { data, type Parts, ToolFailure } from './text/answer.ts';

const HELP: ReadonlyMap<string, string> = new Map(
  Object.values(errors as Record<string, ErrorEntry>).map(({ status, error, help }) => [`${status} ${error}`, help]),
);

/** Explains a tool's error to a model; null for an unexpected error, which must not be disclosed. */
export function explained(error: unknown): Parts | null {
  if (error instanceof ToolFailure) return error.parts;
  if (error instanceof PathError) return [`${error.message}; nothing was done.`];
  if (error instanceof ConnectionError) {
    return ['The server could not be reached. It is not known whether anything was done: read before you try again.'];
  }
  if (!(error instanceof ApiError)) return null;
  const { status, code, body } = error;
  if (status >= 500 && status !== 503) return null;
  const at = typeof body.server_path === 'string' ? [data(body.server_path)] : [];
  if (status === 422 && typeof body.errors === 'object') return [`Nothing was done: ${faultsOf(body.errors)}.`];
  return [`Nothing was done. ${HELP.get(`${status} ${code}`) ?? `The server answered ${status}.`}`, ...at];
}

const NO_VAULT: ReadonlySet<string> = new Set([errors.vault_header_not_found.error, errors.vault_no_access.error]);

/** Returns whether an error says that a vault does not exist, or not for this credential. */
export function isVaultNotFound(error: unknown): boolean {
  return error instanceof ApiError && NO_VAULT.has(error.code);
}

/** Returns the faults of each field as one sentence. */
function faultsOf(fields: unknown): string {
  const faults = Object.entries((fields ?? {}) as Record<string, readonly string[]>);
  return faults.flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`)).join('; ');
}
