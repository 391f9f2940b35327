import type { Rule } from '@notevault/protocol/operations.ts';
import type { Known } from '../../kit/operations.ts';
import { type Credential, levelOf, type Standing } from './standings.ts';

export type Refusal = readonly [status: number, error: string];

export const UNAUTHORIZED: Refusal = [401, 'unauthorized'];

/** Deleted vaults are those of their owner only. */
const OF_DELETED_VAULTS = ['restoreVault', 'purgeVault'];

/** Their rows name things of the owner alone: a code that the owner has claimed, and an import. */
export const OF_THE_OWNER = ['authorizeDevice', 'applyImport'];

/** The refusal that somebody gets under the rule of an operation; null if they may call it. */
export function refusalOf({ name, rule }: Known, standing: Standing | 'owner', credential: Credential): Refusal | null {
  const { who, vault, named, later, role: least }: Rule = rule;
  const { isSession } = credential;
  const reached = levelOf(standing, credential);
  if (reached === 'ended') return UNAUTHORIZED;
  if (who === 'session' && !isSession) return [403, 'api_key_not_allowed'];
  if (later !== undefined) return isSession || credential.elsewhere ? null : [403, 'insufficient_access'];
  const need = vault ?? named;
  if (need === undefined) return null;
  const unknown: Refusal =
    vault !== undefined || name === 'startImport' ? [404, 'Vault not found'] : [404, 'not found'];
  if (standing === 'removed' || standing === 'stranger') return unknown;
  if (OF_DELETED_VAULTS.includes(name) && standing !== 'owner') return unknown;
  if (reached === 'none') return vault === undefined ? unknown : [403, 'API key does not have access to this vault'];
  const lacksRole = standing !== 'owner' && (least === 'owner' || (least === 'editor' && standing === 'viewer'));
  const lacksLevel = need === 'write' && reached === 'read';
  const required: Refusal = least === 'owner' ? [403, 'owner_required'] : [403, 'insufficient_access'];
  // The vault of a request is opened first, one that is named is looked at as a whole.
  if (lacksLevel && (vault !== undefined || !lacksRole)) return [403, 'insufficient_access'];
  // Members may remove themselves only.
  if (lacksRole || name === 'removeMember') return name === 'removeMember' ? [403, 'owner_required'] : required;
  return null;
}
