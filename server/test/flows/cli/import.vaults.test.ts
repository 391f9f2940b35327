import { join } from 'node:path';
import { realVaults as folder } from '../../kit/content/real-vaults.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { realVaults } from '../vaults/vaults.known.ts';
import { describeVault } from './vault-copies.ts';

onEachEngine('vaults of others, imported', (open) => {
  for (const known of realVaults) describeVault(open, known, () => join(folder(), known.name));
});
