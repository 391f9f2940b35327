import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { PermissionLevel } from '../access/access.ts';
import type { ConnectionKind } from './credentials.tables.ts';

/** A row of a connection; there is one for each vault with its own level. */
export interface CredentialRow {
  readonly user_id: UserId;
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly name: Buffer | null;
  readonly default_permission: PermissionLevel;
  readonly scope: string | null;
  /** The plan of the account. */
  readonly tier: string;
  /** When the account was suspended; then the connection must not be used. */
  readonly suspended_at: number | null;
  readonly last_used_at: number | null;
  readonly vault_id: VaultId | null;
  readonly permission: PermissionLevel | null;
}

/** Looks up the connection of a token; no rows for an unknown token, or one whose connection has ended. */
export type TokenLookup = (token: string) => Promise<readonly CredentialRow[]>;
