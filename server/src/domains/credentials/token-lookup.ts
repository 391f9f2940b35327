import type { UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { PermissionLevel } from '../access/access.ts';
import type { ConnectionKind } from './credentials.tables.ts';

/** A row of a usable connection; there is one for each vault with its own level. */
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

/** Looks up the connection of a token; no rows for an unknown token, or one whose connection may not be used now. */
export type TokenLookup = (token: string) => Promise<readonly CredentialRow[]>;
