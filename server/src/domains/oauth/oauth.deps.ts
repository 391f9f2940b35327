import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import type { SafeFetch } from '../../ports/safe-fetch/safe-fetch.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Keys } from '../keys/keys.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
/** An error of the provider, whose description is English. */
export interface ProviderFault {
  readonly error: string;
  readonly description: string | null;
  readonly acceptLanguage: string | undefined;
}

export interface OAuthDeps {
  readonly db: Database;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly accounts: Pick<Accounts, 'me' | 'identify'>;
  readonly vaults: Pick<Vaults, 'list'>;
  readonly credentials: Pick<Credentials, 'insert' | 'end'>;
  /** Fetches the metadata documents and keys of clients. */
  readonly web: SafeFetch;
  /** Public origin of the server. */
  readonly publicUrl: string;
  /** Redirects of applications, in full, that the operator has verified. */
  readonly verifiedRedirects: readonly string[];
  /** Makes the page for errors without an application to return to. */
  errorPage(fault: ProviderFault): { body: string; headers: Record<string, string> };
  /** Reports failures that are not the fault of a client. Must not throw. */
  failed(error: unknown): void;
}
