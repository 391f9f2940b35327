import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { PermissionLevel } from '../access/access.ts';
import type { ConnectionKind } from './credentials.tables.ts';

/** Rows of one connection that may be used, one for each vault with a level of its own. */
export interface CredentialRow {
  readonly user_id: UserId;
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly name: Buffer | null;
  readonly default_permission: PermissionLevel;
  readonly scope: string | null;
  /** The plan of the account. */
  readonly tier: string;
  readonly last_used_at: number | null;
  readonly vault_id: VaultId | null;
  readonly permission: PermissionLevel | null;
}

/** The connection that a token stands for; no rows when it stands for none, or for none that may be used now. */
export type TokenLookup = (token: string) => Promise<readonly CredentialRow[]>;
