import type { Credentials, DescribeConnections } from '../credentials/credentials.ts';
import type { Vaults } from '../vaults/vaults.ts';

/** The injected dependencies of the domain. */
export interface ConnectionDeps {
  readonly credentials: Pick<Credentials, 'list' | 'permissions'>;
  readonly vaults: Pick<Vaults, 'list'>;
  /** Returns details that only some kinds of connections have. */
  readonly describe: readonly DescribeConnections[];
}
