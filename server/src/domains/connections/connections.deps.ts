import type { Credentials, DescribeConnections } from '../credentials/credentials.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface ConnectionDeps {
  readonly credentials: Pick<Credentials, 'list' | 'permissions'>;
  readonly vaults: Pick<Vaults, 'list'>;
  /** What each kind of connections has to tell of its own. */
  readonly describe: readonly DescribeConnections[];
}
