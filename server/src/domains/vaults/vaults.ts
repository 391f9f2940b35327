import { type Access, createAccess } from './access.ts';
import { type Creation, createCreation } from './create.ts';
import { createManagement, type Management } from './manage.ts';
import type { VaultParts } from './parts.ts';
import { createPurging, type Purging } from './purge.ts';
import { createReading, type Reading } from './reading.ts';
import { createWriting, type VaultWriting } from './writing.ts';

export type { OpenVault } from './access.ts';
export type { Advance, VaultWriting } from './writing.ts';

/** Vaults: who may use which, how many there are, and how they end. */
export interface Vaults extends Access, Creation, Reading, Management, Purging, VaultWriting {}

export function createVaults(parts: VaultParts): Vaults {
  return {
    ...createAccess(parts),
    ...createCreation(parts),
    ...createReading(parts),
    ...createManagement(parts),
    ...createPurging(parts),
    ...createWriting(parts),
  };
}
