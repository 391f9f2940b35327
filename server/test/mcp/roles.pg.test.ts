import { onEachEngine } from '../kit/engines.ts';
import { defineToolRoles } from './roles.ts';

// matrices.full.test.ts tries one credential of each reach.
onEachEngine('every tool in a shared vault', (open) => defineToolRoles(open, ({ isSession }) => isSession));
